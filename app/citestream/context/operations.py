"""The operations of this package on plain JSON: one table, name to function.

Each takes the input object of an operation and returns its whole answer. Nothing is decided here
but the names of JSON fields; a field that is missing or of another type is the caller's mistake and
raises ContextError with its name.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from citestream.context.clipboard import decode_fragment, encode_fragment, read_fragment
from citestream.context.drafts import (
    prune_draft,
    rebind_attachments,
    remove_records,
    remove_reference,
)
from citestream.context.errors import ContextError
from citestream.context.ids import fold_context_id
from citestream.context.legacy.drafts import hydrate_draft
from citestream.context.legacy.messages import upgrade_message
from citestream.context.long_text import Unit, check_unit
from citestream.context.messages import resolve_message
from citestream.context.pasting import import_fragment
from citestream.context.projection import plain_text, project
from citestream.context.quotes import format_quote, parse_quotes
from citestream.context.records import decode_context
from citestream.context.references import (
    check_context_id,
    format_reference,
    parse_references,
    sanitize_label,
)
from citestream.context.settings import ContextSettings

Input = Mapping[str, Any]
Answer = dict[str, Any]
Operation = Callable[[Input, ContextSettings], Answer]

_T = TypeVar("_T")
_TYPE_NAMES: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    list: "an array",
    dict: "an object",
}


def _parse(body: Input, settings: ContextSettings) -> Answer:
    references = parse_references(_field(body, "text", str), settings, unit=_unit(body))
    return {
        "references": [
            {
                "kind": reference.kind,
                "contextId": reference.context_id,
                "label": reference.label,
                "image": reference.image,
                "start": reference.start,
                "end": reference.end,
            }
            for reference in references
        ]
    }


def _format(body: Input, settings: ContextSettings) -> Answer:
    text = format_reference(
        _field(body, "kind", str),
        _field(body, "contextId", str),
        _field(body, "label", str),
        image=_optional(body, "image", bool),
        settings=settings,
    )
    return {"text": text}


def _sanitize_label(body: Input, _: ContextSettings) -> Answer:
    return {"label": sanitize_label(_field(body, "label", str), _field(body, "kind", str))}


def _decode(body: Input, _: ContextSettings) -> Answer:
    decoded = decode_context(body.get("context"))
    context = None
    if decoded.records is not None:
        context = {"version": 1, "records": list(decoded.records)}
    return {
        "context": context,
        "dropped": decoded.dropped,
        "unknown": list(decoded.unknown),
        "ambiguous": list(decoded.ambiguous),
    }


def _project(body: Input, settings: ContextSettings) -> Answer:
    text = project(
        _field(body, "text", str),
        _field(body, "records", list),
        mention_entries=bool(_optional(body, "mention_entries", bool)),
        settings=settings,
    )
    return {"text": text}


def _upgrade(body: Input, settings: ContextSettings) -> Answer:
    message = upgrade_message(_field(body, "text", str), settings)
    return {"text": message.text, "records": list(message.records)}


def _resolve(body: Input, settings: ContextSettings) -> Answer:
    message = _field(body, "message", dict)
    text = _field(message, "text", str, "message.")
    stored = _optional(message, "attachments", dict, "message.") or {}
    for after in stored.values():
        if not isinstance(after, str):
            raise ContextError("message.attachments", "an object of ids")
        check_context_id("message.attachments", after)
    resolved = resolve_message(text, message.get("context"), settings, attachments=stored)
    return {
        "text": resolved.text,
        "records": list(resolved.records),
        "upgraded": resolved.upgraded,
    }


def _fold_id(body: Input, _: ContextSettings) -> Answer:
    return {"contextId": fold_context_id(_field(body, "id", str))}


def _fragment_encode(body: Input, settings: ContextSettings) -> Answer:
    selected = {id_ for id_ in _field(body, "selected", list) if isinstance(id_, str)}
    written = encode_fragment(body.get("source"), _field(body, "records", list), selected)
    return {"mime": settings.fragment_type if written else None, "json": written}


def _fragment_decode(body: Input, _: ContextSettings) -> Answer:
    fragment = decode_fragment(_field(body, "json", str))
    return {"fragment": fragment.as_json() if fragment else None}


def _import(body: Input, settings: ContextSettings) -> Answer:
    fresh = _field(body, "fresh_ids", dict)
    imported = import_fragment(
        _field(body, "text", str),
        read_fragment(body.get("fragment")),
        _field(body, "draft_records", list),
        _field(body, "environment_id", str),
        {old: _field(fresh, old, str, "fresh_ids.") for old in fresh},
        settings,
    )
    return {
        "text": imported.text,
        "records": imported.records,
        "fetch": [{"contextId": f.context_id, "from": f.attachment_id} for f in imported.fetch],
        "unresolved": imported.unresolved,
    }


def _rebind(body: Input, _: ContextSettings) -> Answer:
    stored = {}
    for pair in _field(body, "attachments", list):
        if not isinstance(pair, dict):
            raise ContextError("attachments", "objects with before and after")
        before = _field(pair, "before", str, "attachments.")
        stored[before] = _field(pair, "after", str, "attachments.")
    return {"records": rebind_attachments(_field(body, "records", list), stored)}


def _prune(body: Input, settings: ContextSettings) -> Answer:
    draft = prune_draft(_field(body, "text", str), _field(body, "records", list), settings)
    return {"text": draft.text, "records": draft.records}


def _remove(body: Input, settings: ContextSettings) -> Answer:
    text, records = _field(body, "text", str), _field(body, "records", list)
    ids, at = _optional(body, "ids", list), _optional(body, "at", int)
    if (ids is None) == (at is None):
        raise ContextError("ids", "either ids or at")
    if ids is not None:
        known = {id_ for id_ in ids if isinstance(id_, str)}
        draft = remove_records(text, records, known, settings)
    else:
        draft = remove_reference(text, records, at or 0, settings, unit=_unit(body))
    return {"text": draft.text, "records": draft.records}


def _hydrate(body: Input, settings: ContextSettings) -> Answer:
    lists = ("terminal_contexts", "records", "file_records")
    records = [record for name in lists for record in _optional(body, name, list) or ()]
    return {"text": hydrate_draft(_field(body, "text", str), records, settings)}


def _plain(body: Input, settings: ContextSettings) -> Answer:
    return {"text": plain_text(_field(body, "text", str), settings)}


def _quote_format(body: Input, settings: ContextSettings) -> Answer:
    return {"text": format_quote(_field(body, "citation", dict), settings)}


def _quote_parse(body: Input, settings: ContextSettings) -> Answer:
    quotes = parse_quotes(_field(body, "text", str), settings, unit=_unit(body))
    return {
        "quotes": [
            {"citation": link.citation, "start": link.start, "end": link.end} for link in quotes
        ]
    }


OPERATIONS: dict[str, Operation] = {
    "parse": _parse,
    "format": _format,
    "sanitize-label": _sanitize_label,
    "decode": _decode,
    "project": _project,
    "upgrade": _upgrade,
    "resolve": _resolve,
    "fold-id": _fold_id,
    "fragment-encode": _fragment_encode,
    "fragment-decode": _fragment_decode,
    "import": _import,
    "rebind": _rebind,
    "prune": _prune,
    "remove": _remove,
    "hydrate": _hydrate,
    "plain": _plain,
    "quote-format": _quote_format,
    "quote-parse": _quote_parse,
}
"""Every operation by the name it has on the wire."""


def _unit(body: Input) -> Unit:
    return check_unit(body.get("unit"))


def _field(body: Input, name: str, type_: type[_T], path: str = "") -> _T:
    value = body.get(name)
    # True is an integer to Python, not to JSON.
    if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
        raise ContextError(f"{path}{name}", _TYPE_NAMES[type_])
    return value


def _optional(body: Input, name: str, type_: type[_T], path: str = "") -> _T | None:
    return None if body.get(name) is None else _field(body, name, type_, path)
