"""Context on the clipboard: the fragment that travels beside the copied text (S2, "Clipboard").

A fragment has records and where they came from, no bytes and no addresses of bytes. Importing says
what the draft gains, which attachments are to be fetched and which links wait; it fetches nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citestream.context.encoding import encodable, read_json, write_json
from citestream.context.errors import ContextError
from citestream.context.records import CONTEXT_LIMIT, Record, decode_record, decode_records
from citestream.context.references import (
    Reference,
    check_context_id,
    parse_references,
    replace_references,
)
from citestream.context.schema import MalformedError, name, shape
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

_ATTACHED = frozenset({"image", "file"})
_SOURCE = shape({"environmentId": name(512)}, {"threadId": name(512), "messageId": name(512)})


@dataclass(frozen=True, slots=True)
class Fragment:
    """Records on the clipboard and the `environmentId` (`threadId`, `messageId`) they are from."""

    source: dict[str, str]
    records: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """Return the fragment as it travels, version 1."""
        return {"version": 1, "source": self.source, "records": list(self.records)}


@dataclass(frozen=True, slots=True)
class Fetch:
    """An attachment to fetch: the id of the record to come and the attachment to copy."""

    context_id: str
    attachment_id: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What a paste brings: the text, new records, attachments to fetch, ids that nothing backs."""

    text: str
    records: list[Record]
    fetch: list[Fetch]
    unresolved: list[str]


def encode_fragment(
    source: object, records: Sequence[object], selected: Collection[str]
) -> str | None:
    """Write the fragment of the records whose ids are `selected`, in the order of the records.

    None when no record is behind the selection or the fragment would be over its limits. Raises
    ContextError when `source` does not name its environment.
    """
    try:
        origin = _SOURCE(source)
    except MalformedError:
        raise ContextError("source", "environmentId, 1 to 512 characters") from None
    decoded = (decode_record(record) for record in records)
    chosen = decode_records([r for r in decoded if r and r["contextId"] in selected]).records
    if not chosen:
        return None
    written = write_json(Fragment(origin, chosen).as_json())
    return written if written and len(written) <= CONTEXT_LIMIT else None


def decode_fragment(text: str) -> Fragment | None:
    """Read a fragment as it came from a clipboard; its bad records are dropped."""
    if len(text) > CONTEXT_LIMIT:
        return None
    try:
        return read_fragment(read_json(text))
    except ValueError:
        return None


def read_fragment(value: object) -> Fragment | None:
    """Check a fragment that is JSON already; None when it is of another version or no fragment."""
    if not isinstance(value, dict) or type(value.get("version")) is not int:
        return None
    records = value.get("records")
    if value["version"] != 1 or not isinstance(records, list):
        return None
    try:
        source = _SOURCE(value.get("source"))
    except MalformedError:
        return None
    decoded = decode_records(records).records
    return None if decoded is None else Fragment(source, decoded)


def import_fragment(
    text: str,
    fragment: Fragment | None,
    held: Collection[str],
    environment_id: str,
    fresh_ids: Mapping[str, str],
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> Imported:
    """Say what pasting `text` with `fragment` does to a draft that holds the records `held`.

    Records the draft does not hold are imported. Images and files have their attachments fetched
    under the ids that the client minted (`fresh_ids`, old to new) and their links rewritten; from
    another environment they stay unresolved. Raises ContextError for a fresh id that is none.
    """
    for fresh in fresh_ids.values():
        check_context_id("fresh_ids", fresh)
    pasted = _new_records(fragment, held)
    reachable = fragment is not None and fragment.source["environmentId"] == environment_id
    renamed = {
        record["contextId"]: fresh_ids[record["contextId"]]
        for record in pasted
        if reachable and record["kind"] in _ATTACHED and record["contextId"] in fresh_ids
    }
    fetch = [
        Fetch(renamed[record["contextId"]], record["attachmentId"])
        for record in pasted
        if record["contextId"] in renamed
    ]
    along = {*held, *(record["contextId"] for record in pasted)}
    records = [
        _with_screenshot(record, along, renamed)
        for record in pasted
        if record["kind"] not in _ATTACHED
    ]

    text = encodable(text)

    def rewritten(reference: Reference) -> str:
        link = text[reference.start : reference.end]
        fresh = renamed.get(reference.context_id)
        return link if fresh is None else f"{link[: -len(reference.context_id) - 1]}{fresh})"

    text_now = replace_references(text, rewritten, settings)
    backed = {*held, *(record["contextId"] for record in records)}
    ids = dict.fromkeys(r.context_id for r in parse_references(text_now, settings))
    return Imported(text_now, records, fetch, [id_ for id_ in ids if id_ not in backed])


def _new_records(fragment: Fragment | None, held: Collection[str]) -> list[Record]:
    records: dict[str, Record] = {}
    for record in fragment.records if fragment else ():
        if record["contextId"] not in held:
            records.setdefault(record["contextId"], record)
    return list(records.values())


def _with_screenshot(record: Record, along: Collection[str], renamed: Mapping[str, str]) -> Record:
    """Return an annotation whose screenshot is the fetched one, or none when it did not come."""
    shot = record.get("screenshotContextId")
    if shot is None:
        return record
    rest = {key: value for key, value in record.items() if key != "screenshotContextId"}
    return {**record, "screenshotContextId": renamed.get(shot, shot)} if shot in along else rest
