"""Context records: the versioned union of kinds, every field bounded (S2).

A record is a JSON object. It stays one here, because the union is open and a record is carried as
it came: `decode` checks and bounds it, leaves out what the contract does not name (bytes and
addresses of bytes among it) and keeps the order of the rest. This file must not know how a record
is referenced, shown to a model or copied.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citestream.context.encoding import read_json, write_json
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

CONTEXT_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")

LABEL_LIMIT = 200
RECORDS_LIMIT = 200
CONTEXT_LIMIT = 16_000_000
"""Code points of the compact JSON of all records of a message."""
PAYLOAD_LIMIT = 64_000
"""Code points of the compact JSON of an unknown kind's payload."""

_ID = identifier(CONTEXT_ID)
_LINE = text(2_048)


def _payload(value: object) -> object:
    written = write_json(value)
    if written is None or len(written) > PAYLOAD_LIMIT:
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
_UNKNOWN = shape(_COMMON | {"payload": _payload})

KNOWN_KINDS = frozenset(_KINDS)


@dataclass(frozen=True, slots=True)
class DecodedContext:
    """The context of a message as far as it could be read.

    `records` is None when there is no context to use: absent, another version, or over a limit.
    `dropped` counts entries that are no record, `unknown` has the ids of records of unknown kinds,
    `ambiguous` the ids that several records claim, each once; all in the order of the records.
    """

    records: tuple[Record, ...] | None
    dropped: int = 0
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()

    def by_id(self) -> dict[str, Record]:
        """Return the records that an id names without doubt."""
        return {
            record["contextId"]: record
            for record in self.records or ()
            if record["contextId"] not in self.ambiguous
        }


def decode_context(context: object) -> DecodedContext:
    """Read `message.context`: `{"version": 1, "records": [...]}` (S2).

    An entry that is no record is dropped and the rest survives. More than `RECORDS_LIMIT` entries,
    whatever they are, or more than `CONTEXT_LIMIT` characters are no context.
    """
    if not isinstance(context, dict) or type(context.get("version")) is not int:
        return DecodedContext(None)
    if context["version"] != 1 or not isinstance(context.get("records"), list):
        return DecodedContext(None)
    return decode_records(context["records"])


def decode_records(values: Sequence[object]) -> DecodedContext:
    """Read a list of records under the rules of `decode_context`."""
    if len(values) > RECORDS_LIMIT:
        return DecodedContext(None)
    written = [write_json(value) for value in values]
    if sum(len(item or "") for item in written) + len(values) + 1 > CONTEXT_LIMIT:
        return DecodedContext(None)
    records = tuple(_decoded(values, written))
    counts = Counter(record["contextId"] for record in records)
    return DecodedContext(
        records,
        dropped=len(values) - len(records),
        unknown=tuple(r["contextId"] for r in records if r["kind"] not in KNOWN_KINDS),
        ambiguous=tuple(id_ for id_, count in counts.items() if count > 1),
    )


def decode_record(value: object) -> Record | None:
    """Read one record, None when it breaks the rules of its kind.

    A kind that is not known keeps its `payload`, which may be any JSON value but must be there; a
    known kind is never read that way.
    """
    return next(_decoded([value], [write_json(value)]), None)


def _decoded(values: Sequence[object], written: Sequence[str | None]) -> Iterator[Record]:
    for value, form in zip(values, written, strict=True):
        if form is None or not isinstance(value, dict):
            continue
        kind = value.get("kind")
        rule = _KINDS.get(kind, _UNKNOWN) if isinstance(kind, str) else _UNKNOWN
        try:
            # Read back what was written when lone surrogates were replaced on the way.
            record: Record = rule(read_json(form) if "\ufffd" in form else value)
        except MalformedError:
            continue
        yield record
