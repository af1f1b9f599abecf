"""Context records: the versioned union of kinds, every field bounded.

A record is a JSON object and remains one, because the union is open and a record is carried as it
came: `decode` checks and bounds it, leaves out what the contract does not name (bytes and addresses
of bytes among it) and keeps the order of the rest. This file must not know how a record is
referenced, shown to a model or copied.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from citestream.context.encoding import UnwritableError, clean_json, compact_json, json_length
from citestream.context.schema import (
    MalformedError,
    Rule,
    constant,
    flag,
    identifier,
    many,
    name,
    nullable,
    one_of,
    ordered,
    shape,
    text,
    whole,
    word,
)

Record = dict[str, Any]

ID_LIMIT = 128
CONTEXT_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{ID_LIMIT}}}")
KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")

LABEL_LIMIT = 200
RECORDS_LIMIT = 200
CONTEXT_LIMIT = 16_000_000
"""Code points of the compact JSON of all records of a message."""
PAYLOAD_LIMIT = 64_000
"""Code points of the compact JSON of an unknown kind's payload, or of its own fields together."""
BYTES_FIELD = "dataUrl"
"""The field in which clients keep the bytes of an attachment. No record carries it."""

_ID = identifier(CONTEXT_ID)
_LINE = text(2_048)


def _payload(value: object) -> object:
    if json_length(value, PAYLOAD_LIMIT) > PAYLOAD_LIMIT:
        raise MalformedError
    return value


_COMMON: dict[str, Rule] = {
    "version": constant(1),
    "contextId": _ID,
    "kind": word(KIND),
    "label": text(LABEL_LIMIT),
}
_ATTACHMENT = shape(
    _COMMON | {"attachmentId": _ID, "name": name(255), "mimeType": name(100), "sizeBytes": whole()}
)
_SOURCE = shape(
    {
        "functionName": nullable(_LINE),
        "fileName": nullable(_LINE),
        "lineNumber": nullable(whole()),
        "columnNumber": nullable(whole()),
    }
)
_ELEMENT: dict[str, Rule] = {
    "pageUrl": _LINE,
    "pageTitle": nullable(_LINE),
    "tagName": name(255),
    "selector": nullable(_LINE),
    "htmlPreview": text(8_000),
    "componentName": nullable(_LINE),
    "source": nullable(_SOURCE),
    "styles": text(8_000),
}
_STYLE_CHANGE = shape(
    {
        "targetId": _LINE,
        "selector": nullable(_LINE),
        "property": _LINE,
        "previousValue": text(8_000),
        "value": text(8_000),
    }
)
_PULL_REQUEST = shape(
    {
        "number": whole(1),
        "title": _LINE,
        "url": _LINE,
        "headBranch": _LINE,
        "baseBranch": _LINE,
        "state": one_of("open", "closed", "merged"),
        "isDraft": flag,
    }
)
_KINDS: dict[str, Rule] = {
    "image": _ATTACHMENT,
    "file": _ATTACHMENT,
    "terminal": ordered(
        "lineStart",
        "lineEnd",
        shape(
            _COMMON
            | {
                "terminalId": name(255),
                "terminalLabel": name(255),
                "lineStart": whole(),
                "lineEnd": whole(),
                "text": text(64_000),
            }
        ),
    ),
    "element": shape(_COMMON | _ELEMENT),
    "preview-annotation": shape(
        _COMMON
        | {
            "annotationId": _LINE,
            "pageUrl": _LINE,
            "pageTitle": nullable(_LINE),
            "comment": text(8_000),
            "targetSummary": _LINE,
            "styleChanges": many(_LINE, 200),
        },
        {
            "elements": many(shape(_ELEMENT), 50),
            "elementIds": many(_LINE, 50),
            "regionCount": whole(),
            "strokeCount": whole(),
            "styleChangeDetails": many(_STYLE_CHANGE, 200),
            "screenshotContextId": _ID,
        },
    ),
    "review-comment": ordered(
        "startIndex",
        "endIndex",
        shape(
            _COMMON
            | {
                "sectionId": name(255),
                "sectionTitle": _LINE,
                "filePath": name(2_048),
                "startIndex": whole(),
                "endIndex": whole(),
                "rangeLabel": _LINE,
                "text": text(16_000),
                "diff": text(32_000),
            },
            {
                "fenceLanguage": text(64),
                "sourceRevision": text(64),
                "sourceStale": flag,
                "pullRequest": _PULL_REQUEST,
            },
        ),
    ),
    "mention": shape(_COMMON | {"path": name(2_048)}),
    "skill": shape(_COMMON | {"name": name(255)}),
}
_WITH_PAYLOAD = shape(_COMMON | {"payload": _payload})
_COMMON_ALONE = shape(_COMMON)


def own_fields(record: Record) -> dict[str, Any]:
    """Return the fields of a record but for the four that every record has, in their order."""
    return {key: value for key, value in record.items() if key not in _COMMON}


def without_bytes(value: Any) -> Any:
    """Return a clean JSON value without the field `dataUrl`, wherever it is."""
    if isinstance(value, list):
        return [without_bytes(item) for item in value]
    if isinstance(value, dict):
        return {key: without_bytes(item) for key, item in value.items() if key != BYTES_FIELD}
    return value


def _unknown(value: object) -> Record:
    """Read a record of a kind that is not known: its `payload`, or all fields of its own."""
    if not isinstance(value, dict) or "payload" in value:
        with_payload: Record = _WITH_PAYLOAD(value)
        return with_payload
    common: Record = _COMMON_ALONE(value)
    record: Record = {**without_bytes(value), **common}
    _payload(own_fields(record))
    return record


KNOWN_KINDS = frozenset(_KINDS)


@dataclass(frozen=True, slots=True)
class DecodedContext:
    """The context of a message as far as it could be read.

    `records` is None when there is no context to use: absent, another version, or over a limit.
    `dropped` counts entries that are no record, `unknown` has the ids of records of unknown kinds,
    `ambiguous` the ids that records of different content claim, each once; all in the order of the
    records. `unavailable` has the ids that entries name and no record can be read under: those of
    dropped entries and the ambiguous ones.
    """

    records: tuple[Record, ...] | None
    dropped: int = 0
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()

    def by_id(self) -> dict[str, Record]:
        """Return the records that an id names without doubt."""
        return {
            record["contextId"]: record
            for record in self.records or ()
            if record["contextId"] not in self.ambiguous
        }


def decode_context(context: object) -> DecodedContext:
    """Read `message.context`: `{"version": 1, "records": [...]}`.

    An entry that is no record is dropped and the rest survives. Equal copies of one record are one.
    More than `RECORDS_LIMIT` entries, whatever they are, or more than `CONTEXT_LIMIT` characters
    are no context.
    """
    records = context_entries(context)
    return DecodedContext(None) if records is None else decode_records(records)


def context_entries(context: object) -> list[object] | None:
    """Return the entries of a context as they came, None when it has no form known here."""
    if not isinstance(context, dict) or type(context.get("version")) is not int:
        return None
    records = context.get("records")
    return records if context["version"] == 1 and isinstance(records, list) else None


def decode_records(values: Sequence[object]) -> DecodedContext:
    """Read a list of records under the rules of `decode_context`."""
    if len(values) > RECORDS_LIMIT:
        return DecodedContext(None)
    clean = [_cleaned(value) for value in values]
    # The brackets, and a comma between two.
    left = CONTEXT_LIMIT - len(values) - 1
    for value in clean:
        left -= 0 if value is _UNWRITABLE else json_length(value, left)
        if left < 0:
            return DecodedContext(None)
    decoded = [record for record in map(_decoded, clean) if record is not None]
    records = _without_copies(decoded)
    counts = Counter(record["contextId"] for record in records)
    named = dict.fromkeys(filter(None, map(_claimed_id, values)))
    return DecodedContext(
        records,
        dropped=len(values) - len(decoded),
        unknown=tuple(r["contextId"] for r in records if r["kind"] not in KNOWN_KINDS),
        ambiguous=tuple(id_ for id_, count in counts.items() if count > 1),
        unavailable=tuple(id_ for id_ in named if counts[id_] != 1),
    )


def decode_record(value: object) -> Record | None:
    """Read one record, None when it breaks the rules of its kind.

    A kind that is not known keeps its `payload`, which may be any JSON value, or without one all
    fields of its own. A known kind is never read that way.
    """
    return _decoded(_cleaned(value))


_UNWRITABLE: Final = object()


def _cleaned(value: object) -> object:
    try:
        return clean_json(value)
    except UnwritableError:
        return _UNWRITABLE


def _decoded(value: object) -> Record | None:
    if not isinstance(value, dict):
        return None
    kind = value.get("kind")
    rule = _KINDS.get(kind, _unknown) if isinstance(kind, str) else _unknown
    try:
        record: Record = rule(value)
    except MalformedError:
        return None
    return record


def _without_copies(records: Sequence[Record]) -> tuple[Record, ...]:
    counts = Counter(record["contextId"] for record in records)
    seen: set[str] = set()
    kept = []
    for record in records:
        if counts[record["contextId"]] > 1:
            written = compact_json(record)
            if written in seen:
                continue
            seen.add(written)
        kept.append(record)
    return tuple(kept)


def _claimed_id(value: object) -> str | None:
    id_ = value.get("contextId") if isinstance(value, dict) else None
    trimmed = id_.strip() if isinstance(id_, str) else ""
    return trimmed if CONTEXT_ID.fullmatch(trimmed) else None
