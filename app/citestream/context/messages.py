"""Messages as they are stored and read again: their own context, or the upgraded one.

This file must not know where a message is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citestream.context.drafts import rebind_attachments
from citestream.context.encoding import UnwritableError, clean_json, encodable
from citestream.context.errors import ContextError
from citestream.context.legacy.messages import upgrade_message
from citestream.context.projection import project
from citestream.context.records import (
    CONTEXT_LIMIT,
    KNOWN_KINDS,
    RECORDS_LIMIT,
    Record,
    context_entries,
    decode_context,
    without_bytes,
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


def storable_message(
    text: str,
    context: object,
    attachments: Mapping[str, str] = _NO_ATTACHMENTS,
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> dict[str, Any]:
    """Return what to store of a user message: `text`, `context`, `attachments`, `unavailable`.

    The context is as it came, but without bytes: an entry that JSON has no form for is left out,
    and so is `dataUrl` wherever it is (the `payload` of an unknown kind stays as it is).
    `unavailable` is that of `resolve_message`. Raises ContextError, with the limit, for a context
    of more than `RECORDS_LIMIT` entries or `CONTEXT_LIMIT` characters, since no record of it could
    be read, and for a message that no provider could be given.
    """
    entries = context_entries(context) or ()
    if len(entries) > RECORDS_LIMIT:
        raise ContextError("context.records", f"at most {RECORDS_LIMIT} records")
    if entries and decode_context(context).records is None:
        raise ContextError("context.records", f"at most {CONTEXT_LIMIT:,} characters of JSON")
    message = resolve_message(text, context, settings, attachments=attachments)
    project(message.text, list(message.records), settings=settings)
    return {
        "text": encodable(text),
        "context": _without_bytes_of_records(context),
        "attachments": {encodable(before): after for before, after in attachments.items()},
        "unavailable": list(message.unavailable),
    }


def bound_context(context: object, attachments: Mapping[str, str]) -> Any:
    """Return a context as it came, with its image and file records bound to `attachments`.

    `attachments` has the id before and the id that the attachment is stored under. Raises
    ContextError for a stored id that cannot be one.
    """
    entries = context_entries(context)
    if entries is None or not isinstance(context, dict):
        return context
    return {**context, "records": rebind_attachments(entries, attachments)}


_LEFT_OUT = object()


def _without_bytes_of_records(context: object) -> Any:
    entries = context_entries(context)
    if entries is None or not isinstance(context, dict):
        # In a form that is not known here; what JSON cannot write is a context all the same.
        return without_bytes(_clean_or(context, {}))
    kept = [clean for entry in entries if (clean := _clean_or(entry, _LEFT_OUT)) is not _LEFT_OUT]
    rest = {key: value for key, value in context.items() if key != "records"}
    return {
        **without_bytes(_clean_or(rest, {"version": context["version"]})),
        "records": [_record_without_bytes(entry) for entry in kept],
    }


def _clean_or(value: object, other: object) -> Any:
    try:
        return clean_json(value)
    except UnwritableError:
        return other


def _record_without_bytes(record: Any) -> Any:
    kept = without_bytes(record)
    if isinstance(record, dict) and "payload" in record and record.get("kind") not in _KNOWN_KINDS:
        kept["payload"] = record["payload"]
    return kept
