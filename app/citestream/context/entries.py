"""What a model reads of a record: the rows inside its entry, kind by kind.

One table, kind to rows. A field that has one row gets one row whatever it holds, a field of blanks
is left out, longer text is indented under its name. Escaping and the elements around the rows are
the projection's business.
"""

from collections.abc import Callable
from typing import Any

from citestream.context.encoding import compact_json, lines, one_row
from citestream.context.records import Record, own_fields

_STALE = "true (compare the excerpt with the current file before editing)"


def entry_rows(record: Record) -> list[str]:
    """Return the rows of a decoded record's entry; an unknown kind has JSON."""
    return _ROWS.get(record["kind"], _unknown)(record)


def _attachment(record: Record) -> list[str]:
    return [
        *_row("name", record["name"]),
        *_row("mimeType", record["mimeType"]),
        f"sizeBytes: {record['sizeBytes']}",
        *_row("attachmentId", record["attachmentId"]),
    ]


def _terminal(record: Record) -> list[str]:
    count = record["lineEnd"] - record["lineStart"] + 1
    numbered = enumerate(lines(record["text"])[:count], record["lineStart"])
    return [
        *_row("terminal", record["terminalLabel"]),
        *(f"{number} | {line}" for number, line in numbered),
    ]


def _element(details: dict[str, Any]) -> list[str]:
    return [
        *_row("url", details["pageUrl"]),
        *_row("tag", details["tagName"]),
        *_row("title", details["pageTitle"]),
        *_row("selector", details["selector"]),
        *_row("component", details["componentName"]),
        *_row("source", _location(details["source"])),
        *_block("html", details["htmlPreview"].strip()),
        *_block("styles", details["styles"].strip()),
    ]


def _preview(record: Record) -> list[str]:
    title = record["pageTitle"] or ""
    changes = [f"- {one_row(change)}" for change in record["styleChanges"] if change.strip()]
    rows = [
        *_row("page", title if title.strip() else record["pageUrl"]),
        *_row("url", record["pageUrl"]),
        *_comment(record["comment"].strip()),
        *_row("targets", record["targetSummary"]),
        *(["requested visual changes:", *changes] if changes else []),
    ]
    if "screenshotContextId" in record:
        rows.append(f"screenshot: ref={record['screenshotContextId']}")
    for number, details in enumerate(record.get("elements", []), 1):
        rows += [f"element {number}:", *_indented(_element(details))]
    return rows


def _review(record: Record) -> list[str]:
    span = f"({record['startIndex']}-{record['endIndex']})"
    language = one_row(record.get("fenceLanguage", "")).strip() or "diff"
    return [
        *_row("file", record["filePath"]),
        *_row("range", f"{record['rangeLabel']} {span}" if record["rangeLabel"].strip() else span),
        *_row("section", record["sectionTitle"]),
        *_row("source revision", record.get("sourceRevision")),
        *_row("source stale", _STALE if record.get("sourceStale") else None),
        *_block("comment", record["text"].strip()),
        *_block(language, record["diff"].rstrip()),
    ]


def _mention(record: Record) -> list[str]:
    return _row("path", record["path"])


def _skill(record: Record) -> list[str]:
    return _row("name", record["name"])


def _unknown(record: Record) -> list[str]:
    value = record["payload"] if "payload" in record else own_fields(record)
    return [compact_json(value)]


_ROWS: dict[str, Callable[[Record], list[str]]] = {
    "image": _attachment,
    "file": _attachment,
    "terminal": _terminal,
    "element": _element,
    "preview-annotation": _preview,
    "review-comment": _review,
    "mention": _mention,
    "skill": _skill,
}


def _row(name: str, value: str | None) -> list[str]:
    return [f"{name}: {one_row(value)}"] if value and not value.isspace() else []


def _block(name: str, text: str) -> list[str]:
    return [f"{name}:", *_indented(lines(text))] if text else []


def _comment(text: str) -> list[str]:
    if not text:
        return []
    first, *further = lines(text)
    return [f"comment: {first}", *_indented(further)]


def _indented(rows: list[str]) -> list[str]:
    return [f"  {row}" for row in rows]


def _location(source: dict[str, Any] | None) -> str | None:
    if source is None or not (source["fileName"] or "").strip():
        return None
    numbers = [source["lineNumber"], source["columnNumber"]]
    known = numbers[: numbers.index(None)] if None in numbers else numbers
    return ":".join([source["fileName"], *map(str, known)])
