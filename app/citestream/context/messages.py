"""Messages as they are stored and read again: their own context, or the upgraded one (S2).

This file must not know how a message is projected or where it is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citestream.context.drafts import rebind_attachments
from citestream.context.encoding import UnwritableError, clean_json, encodable
from citestream.context.errors import ContextError
from citestream.context.legacy.messages import upgrade_message
from citestream.context.records import (
    BYTES_FIELD,
    CONTEXT_LIMIT,
    KNOWN_KINDS,
    RECORDS_LIMIT,
    Record,
    context_entries,
    decode_context,
)
from citestream.context.references import parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

# A tuple: what is looked up may be of any type.
_KNOWN_KINDS = tuple(KNOWN_KINDS)
_NO_ATTACHMENTS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ResolvedMessage:
    """A message as references and records.

    `upgraded` is whether it was an old one. `unavailable` has the ids that no record can be read
    under: first those that the text refers to, in its order, then those of other dropped records.
    """

    text: str
    records: tuple[Record, ...]
    upgraded: bool
    unavailable: tuple[str, ...]


def resolve_message(
    text: str,
    context: object,
    settings: ContextSettings = DEFAULT_SETTINGS,
    *,
    attachments: Mapping[str, str] = _NO_ATTACHMENTS,
) -> ResolvedMessage:
    """Return a message with its own context when it has one, else the upgraded message.

    `context` is `{"version": 1, "records": [...]}` or None. A context that cannot be read is a
    context all the same: its text is in the new form. `attachments` (id before to id after) binds
    image and file records to the attachments under the ids that they were stored with. Raises
    ContextError for a stored id that cannot be one.
    """
    claimed: tuple[str, ...] = ()
    if context is None:
        upgraded = upgrade_message(text, settings)
        text, records = upgraded.text, upgraded.records
    else:
        decoded = decode_context(context)
        text, records, claimed = encodable(text), decoded.records or (), decoded.unavailable
    held = {record["contextId"] for record in records} - set(claimed)
    named = [reference.context_id for reference in parse_references(text, settings)]
    return ResolvedMessage(
        text,
        tuple(rebind_attachments(records, attachments)),
        upgraded=context is None and bool(records),
        unavailable=tuple(dict.fromkeys(i for i in [*named, *claimed] if i not in held)),
    )


def check_context(context: object) -> None:
    """Raise ContextError, with the limit, when no record of a context can be read for its size.

    A context has at most `RECORDS_LIMIT` entries, and `CONTEXT_LIMIT` characters of compact JSON.
    """
    entries = context_entries(context)
    if entries is None:
        return
    if len(entries) > RECORDS_LIMIT:
        raise ContextError("context.records", f"at most {RECORDS_LIMIT} records")
    if decode_context(context).records is None:
        raise ContextError("context.records", f"at most {CONTEXT_LIMIT:,} characters of JSON")


def storable_context(context: object) -> Any:
    """Return a context as a store may keep it: as it came, but without bytes.

    An entry that JSON has no form for is left out, and so is the field `dataUrl` of each entry and
    of everything in it; the `payload` of an unknown kind stays as it is. None stays None, and a
    value that JSON has no form for is no context: `{}`.
    """
    entries = context_entries(context)
    if entries is None or not isinstance(context, dict):
        return _without_bytes(_clean_or(context, {}))
    kept = [clean for entry in entries if (clean := _clean_or(entry, _LEFT_OUT)) is not _LEFT_OUT]
    rest = {key: value for key, value in context.items() if key != "records"}
    return {
        **_without_bytes(_clean_or(rest, {"version": context["version"]})),
        "records": [_record_without_bytes(entry) for entry in kept],
    }


_LEFT_OUT = object()


def _clean_or(value: object, other: object) -> Any:
    try:
        return clean_json(value)
    except UnwritableError:
        return other


def _record_without_bytes(record: Any) -> Any:
    kept = _without_bytes(record)
    if isinstance(record, dict) and "payload" in record and record.get("kind") not in _KNOWN_KINDS:
        kept["payload"] = record["payload"]
    return kept


def _without_bytes(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_bytes(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_bytes(item) for key, item in value.items() if key != BYTES_FIELD}
    return value
