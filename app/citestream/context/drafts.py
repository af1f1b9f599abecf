"""What happens to the records of a draft between typing and sending (S2).

Records of a draft are kept as they came, fields that only the client knows included; only those
that JSON has no form for are left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citestream.context.encoding import encodable, read_json, write_json
from citestream.context.placeholders import PLACEHOLDER
from citestream.context.records import CONTEXT_ID
from citestream.context.references import check_context_id, format_reference, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

_ATTACHED = frozenset({"image", "file"})


@dataclass(frozen=True, slots=True)
class PrunedDraft:
    """A draft without what nothing points at."""

    text: str
    records: list[Any]


def rebind_attachments(records: Iterable[object], stored: Mapping[str, str]) -> list[Any]:
    """Bind image and file records to the stored attachments (`stored`, id before to id after).

    Links are not touched: they name the record, not the attachment. Raises ContextError for a
    stored id that cannot be one.
    """
    for after in stored.values():
        check_context_id("attachments.after", after)
    rebound = []
    for record in _kept(records):
        attached = _field(record, "kind") in _ATTACHED
        bound = stored.get(_field(record, "attachmentId")) if attached else None
        rebound.append(record if bound is None else {**record, "attachmentId": bound})
    return rebound


def prune_draft(
    text: str, records: Iterable[object], settings: ContextSettings = DEFAULT_SETTINGS
) -> PrunedDraft:
    """Take out expired terminal excerpts, then the records that no link points at.

    An excerpt goes with its links, each with the blank behind it or else the one before it. Images
    stay without links: the thumbnail shelf is their inventory.
    """
    kept = list(_kept(records))
    expired = {
        _field(record, "contextId")
        for record in kept
        if _field(record, "kind") == "terminal" and record.get("expired") is True
    }
    text = _without(encodable(text), expired, settings)
    ids = {reference.context_id for reference in parse_references(text, settings)}
    return PrunedDraft(
        text,
        [r for r in kept if _field(r, "contextId") in ids or _field(r, "kind") == "image"],
    )


def hydrate_draft(
    text: str,
    terminals: Iterable[object],
    files: Iterable[object],
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> str:
    """Bring the text of a draft from before references up to date.

    Placeholders become the links of the terminal excerpts in order, excerpts the text does not
    mention are put in front. Files that it does not mention are appended, images are not.
    """
    text = encodable(text)
    excerpts = list(_links(terminals, "terminal", settings))
    if excerpts:
        parts = text.split(PLACEHOLDER)
        bound = [link for _, link in excerpts[: len(parts) - 1]]
        bound += [""] * (len(parts) - 1 - len(bound))
        text = "".join(p for pair in zip(parts, [*bound, ""], strict=True) for p in pair)
    front = " ".join(_missing(text, excerpts, settings))
    back = " ".join(_missing(text, _links(files, "file", settings), settings))
    return _spaced(_spaced(front, text), back)


def _kept(records: Iterable[object]) -> Iterator[Any]:
    for record in records:
        written = write_json(record)
        if written is not None:
            # Read back only when lone surrogates were replaced in writing.
            yield read_json(written) if "\ufffd" in written else record


def _field(record: object, name: str) -> str:
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, str) else ""


def _without(text: str, ids: set[str], settings: ContextSettings) -> str:
    # Links side by side go as one, or each would take a blank and the words around them meet.
    gaps: list[tuple[int, int]] = []
    for reference in parse_references(text, settings):
        if reference.context_id not in ids:
            continue
        start = reference.start
        if gaps and text[gaps[-1][1] : start] in {"", " "}:
            start, _ = gaps.pop()
        gaps.append((start, reference.end))
    pieces = []
    done = 0
    for start, end in gaps:
        behind = text[end : end + 1] == " "
        before = not behind and text[done:start].endswith(" ")
        pieces.append(text[done : start - before])
        done = end + behind
    return "".join([*pieces, text[done:]])


def _links(
    records: Iterable[object], kind: str, settings: ContextSettings
) -> Iterator[tuple[str, str]]:
    for record in records:
        id_ = _field(record, "contextId")
        if CONTEXT_ID.fullmatch(id_) and _field(record, "kind") == kind:
            yield id_, format_reference(kind, id_, _field(record, "label"), settings=settings)


def _missing(text: str, links: Iterable[tuple[str, str]], settings: ContextSettings) -> list[str]:
    mentioned = {reference.context_id for reference in parse_references(text, settings)}
    return [link for id_, link in links if id_ not in mentioned]


def _spaced(first: str, second: str) -> str:
    """Join two texts by a blank where neither is empty nor has white space there."""
    touching = first[-1:] + second[:1]
    needed = first and second and not any(sign.isspace() for sign in touching)
    return f"{first} {second}" if needed else first + second
