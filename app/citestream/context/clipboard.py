"""Context on the clipboard: the fragment that travels beside the copied text.

A fragment has records and where they came from, no bytes and no addresses of bytes. What a paste
does with it is another file's business.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from citestream.context.encoding import clean_json, compact_json, json_length, read_json
from citestream.context.errors import ContextError
from citestream.context.records import (
    CONTEXT_LIMIT,
    Record,
    context_entries,
    decode_record,
    decode_records,
)
from citestream.context.schema import MalformedError, name, shape

_SOURCE = shape({"environmentId": name(512)}, {"threadId": name(512), "messageId": name(512)})


@dataclass(frozen=True, slots=True)
class Fragment:
    """Records on the clipboard and the `environmentId` (`threadId`, `messageId`) they are from."""

    source: dict[str, str]
    records: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """Return the fragment as it travels: `version` (1), `source` and `records`."""
        return {"version": 1, "source": self.source, "records": list(self.records)}


def encode_fragment(
    source: object, records: Sequence[object], selected: Collection[str]
) -> str | None:
    """Write the fragment of the records whose ids are `selected`, in the order of the records.

    None when the selection names no record or the fragment would be over its limits. Raises
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
    fragment = Fragment(clean_json(origin), chosen).as_json()
    fits = json_length(fragment, CONTEXT_LIMIT) <= CONTEXT_LIMIT
    return compact_json(fragment) if fits else None


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
    records = context_entries(value)
    if records is None or not isinstance(value, dict):
        return None
    try:
        source = _SOURCE(value.get("source"))
    except MalformedError:
        return None
    decoded = decode_records(records).records
    return None if decoded is None else Fragment(source, decoded)
