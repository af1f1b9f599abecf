"""The operations of this room on plain JSON: one table, name to function.

Each takes the input object of an operation and returns its whole answer. Nothing is decided here
but the names of JSON fields; a field that is missing or of another type is the caller's mistake and
raises ContextError with its name.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from citestream.context.clipboard import (
    decode_fragment,
    encode_fragment,
    import_fragment,
    read_fragment,
)
from citestream.context.drafts import hydrate_draft, prune_draft, rebind_attachments
from citestream.context.errors import ContextError
from citestream.context.ids import fold_context_id
from citestream.context.legacy import ResolvedMessage, resolve_message, upgrade_message
from citestream.context.projection import project
from citestream.context.records import decode_context
from citestream.context.references import (
    format_reference,
    parse_references,
    plain_text,
    sanitize_label,
)
from citestream.context.settings import ContextSettings

Input = Mapping[str, Any]
Answer = dict[str, Any]
Operation = Callable[[Input, ContextSettings], Answer]

_T = TypeVar("_T")
_TYPE_NAMES = {str: "a string", bool: "true or false", list: "an array", dict: "an object"}


def _parse(body: Input, settings: ContextSettings) -> Answer:
    references = parse_references(_field(body, "text", str), settings)
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
    answer = _resolved(upgrade_message(_field(body, "text", str), settings))
    del answer["upgraded"]
    return answer


def _resolve(body: Input, settings: ContextSettings) -> Answer:
    message = _field(body, "message", dict)
    text = _field(message, "text", str, "message.")
    return _resolved(resolve_message(text, message.get("context"), settings))


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
        _ids(_field(body, "draft_records", list)),
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


def _hydrate(body: Input, settings: ContextSettings) -> Answer:
    text = hydrate_draft(
        _field(body, "text", str),
        _field(body, "terminal_contexts", list),
        _field(body, "file_records", list),
        settings,
    )
    return {"text": text}


def _plain(body: Input, settings: ContextSettings) -> Answer:
    return {"text": plain_text(_field(body, "text", str), settings)}


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
    "hydrate": _hydrate,
    "plain": _plain,
}
"""Every operation by the name it has on the wire."""


def _resolved(message: ResolvedMessage) -> Answer:
    return {
        "text": message.text,
        "records": list(message.records),
        "upgraded": message.upgraded,
    }


def _ids(values: list[Any]) -> set[str]:
    ids = (value.get("contextId") for value in values if isinstance(value, dict))
    return {id_ for id_ in ids if isinstance(id_, str)}


def _field(body: Input, name: str, type_: type[_T], path: str = "") -> _T:
    value = body.get(name)
    if not isinstance(value, type_):
        raise ContextError(f"{path}{name}", _TYPE_NAMES[type_])
    return value


def _optional(body: Input, name: str, type_: type[_T]) -> _T | None:
    return None if body.get(name) is None else _field(body, name, type_)
