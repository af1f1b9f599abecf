"""What a paste does to a draft: records, links and attachments from a fragment.

Pasting says what the draft gains, which attachments are to be fetched and which links wait. It
fetches nothing, and it never changes what the draft holds.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from citestream.context.clipboard import Fragment
from citestream.context.drafts import ATTACHED, field
from citestream.context.encoding import compact_json, encodable
from citestream.context.errors import ContextError
from citestream.context.long_text import joined, spliced
from citestream.context.records import ID_LIMIT, Record, decode_record
from citestream.context.references import (
    Reference,
    check_context_id,
    parse_references,
    reference_changes,
)
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

# Which attachment a record is bound to and which local image shows it is no content of its own.
_BINDINGS = frozenset({"contextId", "attachmentId", "screenshotContextId"})


@dataclass(frozen=True, slots=True)
class Fetch:
    """An attachment to fetch: the id of the record to come and the attachment to copy."""

    context_id: str
    attachment_id: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What a draft gains by a paste.

    `text` is the pasted text with its links rewritten, `records` the new records, `fetch` the
    attachments to fetch, `unresolved` the ids of links that have no record yet.
    """

    text: str
    records: list[Record]
    fetch: list[Fetch]
    unresolved: list[str]


def import_fragment(
    text: str,
    fragment: Fragment | None,
    draft_records: Iterable[object],
    environment_id: str,
    fresh_ids: Mapping[str, str],
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> Imported:
    """Say what pasting `text` with `fragment` does to a draft that holds `draft_records`.

    Records that the draft does not hold are imported. A record whose id the draft uses for other
    content is imported under a fresh id: the one of `fresh_ids` (id in the fragment to new id),
    else the first of `id-2`, `id-3`, … that is free. Images and files are fetched under fresh ids;
    without one from the client, or from another environment, they are not fetched and their links
    wait. Links in the text follow. An annotation keeps its screenshot when that is fetched or the
    draft has it. Raises ContextError for a fresh id that is no id, or that is in use.
    """
    for given in fresh_ids.values():
        check_context_id("fresh_ids", given)
    text = encodable(text)
    draft = _by_id(draft_records)
    pasted = _first_of_each(fragment)
    new = {id_: record for id_, record in pasted.items() if not _holds(draft, record)}
    reachable = fragment is not None and fragment.source["environmentId"] == environment_id
    links = dict.fromkeys(link.context_id for link in parse_references(text, settings))
    fresh = _fresh(new, draft, {*draft, *pasted, *links}, fresh_ids, reachable=reachable)
    fetched = {
        id_: fresh[id_]
        for id_, record in new.items()
        if reachable and record["kind"] in ATTACHED and id_ in fresh
    }
    shown = {**{id_: id_ for id_ in draft if id_ not in new}, **fetched}
    records = [
        _with_screenshot({**record, "contextId": fresh.get(id_, id_)}, shown)
        for id_, record in new.items()
        if record["kind"] not in ATTACHED
    ]

    def rewritten(reference: Reference) -> str:
        link = text[reference.start : reference.end]
        id_ = reference.context_id
        return f"{link[: -len(id_) - 1]}{fresh.get(id_, id_)})"

    backed = {*draft, *(record["contextId"] for record in records)}
    return Imported(
        text=joined(spliced(text, reference_changes(text, settings, rewritten))),
        records=records,
        fetch=[Fetch(to, new[id_]["attachmentId"]) for id_, to in fetched.items()],
        unresolved=[now for id_ in links if (now := fresh.get(id_, id_)) not in backed],
    )


def _by_id(records: Iterable[object]) -> dict[str, list[str | None]]:
    """Return the content of the draft's records under each id; None for what is no record."""
    found: dict[str, list[str | None]] = {}
    for value in records:
        id_ = field(value, "contextId").strip()
        if id_:
            record = decode_record(value)
            found.setdefault(id_, []).append(None if record is None else _content(record))
    return found


def _first_of_each(fragment: Fragment | None) -> dict[str, Record]:
    pasted: dict[str, Record] = {}
    for record in fragment.records if fragment else ():
        pasted.setdefault(record["contextId"], record)
    return pasted


def _holds(draft: Mapping[str, list[str | None]], record: Record) -> bool:
    return _content(record) in draft.get(record["contextId"], ())


def _content(record: Record) -> str:
    return compact_json(_ordered({key: record[key] for key in record.keys() - _BINDINGS}))


def _ordered(value: object) -> object:
    """Return a JSON value with the keys of its objects in order: equal values are written alike."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _fresh(
    new: Mapping[str, Record],
    draft: Mapping[str, Any],
    taken: set[str],
    fresh_ids: Mapping[str, str],
    *,
    reachable: bool,
) -> dict[str, str]:
    """Return the id that each new record gets in place of its own, where it gets another."""
    fresh: dict[str, str] = {}
    minted = []
    for id_, record in new.items():
        if id_ not in draft and not (reachable and record["kind"] in ATTACHED):
            continue
        if id_ in fresh_ids:
            fresh[id_] = fresh_ids[id_]
        elif id_ in draft:
            minted.append(id_)
    # An image may keep the id that it is pasted under.
    others = [to for id_, to in fresh.items() if to != id_ or id_ in draft]
    if taken.intersection(others) or len(set(fresh.values())) < len(fresh):
        raise ContextError("fresh_ids", "ids that neither the draft nor the paste uses, each once")
    taken |= set(others)
    for id_ in minted:
        fresh[id_] = next(to for to in _numbered(id_) if to not in taken)
        taken.add(fresh[id_])
    return fresh


def _numbered(id_: str) -> Iterator[str]:
    for number in count(2):
        suffix = f"-{number}"
        yield f"{id_[: ID_LIMIT - len(suffix)]}{suffix}"


def _with_screenshot(record: Record, shown: Mapping[str, str]) -> Record:
    """Return an annotation with the screenshot of the draft, or with none when it has none."""
    shot = record.get("screenshotContextId")
    if shot is None:
        return record
    if shot in shown:
        return {**record, "screenshotContextId": shown[shot]}
    return {key: value for key, value in record.items() if key != "screenshotContextId"}
