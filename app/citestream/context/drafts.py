"""What happens to the records of a draft between typing and sending.

Records of a draft are kept as they came, fields that only the client knows included; only those
that JSON has no form for are left out. This file must not know drafts from before references.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citestream.context.encoding import UnwritableError, clean_json, encodable
from citestream.context.errors import ContextError
from citestream.context.long_text import Unit, joined, rune_place, spliced
from citestream.context.references import Reference, check_context_id, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

ATTACHED = frozenset({"image", "file"})


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a draft and its records, as they came."""

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
    for record in draft_records(records):
        attached = field(record, "kind") in ATTACHED
        bound = stored.get(field(record, "attachmentId")) if attached else None
        rebound.append(record if bound is None else {**record, "attachmentId": bound})
    return rebound


def prune_draft(
    text: str, records: Iterable[object], settings: ContextSettings = DEFAULT_SETTINGS
) -> Draft:
    """Take out expired terminal excerpts, then the records that no link points at.

    An excerpt is expired when its `expired` is true: the client sets it when the terminal is gone
    that the excerpt was taken from. It leaves with its links, each with the blank after it or else
    the one before it. Images stay without links: the thumbnail shelf is their inventory.
    """
    kept = list(draft_records(records))
    expired = {
        field(record, "contextId")
        for record in kept
        if field(record, "kind") == "terminal" and record.get("expired") is True
    }
    text = _without(encodable(text), lambda link: link.context_id in expired, settings)
    ids = {reference.context_id for reference in parse_references(text, settings)}
    return Draft(
        text, [r for r in kept if field(r, "contextId") in ids or field(r, "kind") == "image"]
    )


def remove_records(
    text: str,
    records: Iterable[object],
    ids: Collection[str],
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> Draft:
    """Remove the records `ids` from a draft, with every link to them.

    An annotation leaves with its screenshot and a screenshot with its annotation, but a screenshot
    that another annotation of the draft shows stays. Ids that the draft does not have are ignored.
    A link leaves with the blank after it or else the one before it.
    """
    return _removed(encodable(text), list(draft_records(records)), set(ids), settings)


def remove_reference(
    text: str,
    records: Iterable[object],
    at: int,
    settings: ContextSettings = DEFAULT_SETTINGS,
    *,
    unit: Unit = "rune",
) -> Draft:
    """Remove the one link that begins at `at` in the text of a draft, counted in `unit`.

    With the last link to it a record leaves as in `remove_records`; an image stays, because the
    thumbnail shelf is its inventory. Raises ContextError when no link begins there.
    """
    text = encodable(text)
    kept = list(draft_records(records))
    place = rune_place(text, at) if unit == "utf16" else at
    links = parse_references(text, settings)
    link = next((link for link in links if link.start == place), None)
    if link is None:
        raise ContextError("at", "the place where a reference begins")
    id_ = link.context_id
    is_last = sum(other.context_id == id_ for other in links) == 1
    images = {field(record, "contextId") for record in kept if field(record, "kind") == "image"}
    if is_last and id_ not in images:
        return _removed(text, kept, {id_}, settings)
    return Draft(_without(text, lambda other: other.start == place, settings), kept)


def draft_records(records: Iterable[object]) -> Iterator[Any]:
    """Yield clean copies of the values that JSON has a form for."""
    for record in records:
        try:
            yield clean_json(record)
        except UnwritableError:
            continue


def field(record: object, name: str) -> str:
    """Return a field that must be a string, empty when it is none."""
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, str) else ""


def _removed(text: str, records: list[Any], ids: set[str], settings: ContextSettings) -> Draft:
    screenshots = {
        field(record, "contextId"): field(record, "screenshotContextId")
        for record in records
        if field(record, "kind") == "preview-annotation"
    }
    annotations = ids | {id_ for id_, screenshot in screenshots.items() if screenshot in ids}
    shown = {screenshot for id_, screenshot in screenshots.items() if id_ not in annotations}
    gone = annotations | {screenshots[id_] for id_ in annotations & screenshots.keys()} - shown
    return Draft(
        _without(text, lambda link: link.context_id in gone, settings),
        [record for record in records if field(record, "contextId") not in gone],
    )


def _without(text: str, leaves: Callable[[Reference], bool], settings: ContextSettings) -> str:
    # Links side by side leave as one, or each would take a blank and the words around them meet.
    gaps: list[tuple[int, int]] = []
    for reference in parse_references(text, settings):
        if not leaves(reference):
            continue
        start = reference.start
        if gaps and gaps[-1][1] + 1 >= start and text[gaps[-1][1] : start] in {"", " "}:
            start, _ = gaps.pop()
        gaps.append((start, reference.end))
    return joined(spliced(text, _with_blanks(text, gaps)))


def _with_blanks(text: str, gaps: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    done = 0
    for start, end in gaps:
        after = text[end : end + 1] == " "
        before = not after and start > done and text[start - 1] == " "
        yield start - before, end + after, ""
        done = end + after
