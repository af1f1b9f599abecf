"""Records from the bodies of old blocks (S2, "Legacy messages").

The grammar of each body, and nothing of where the block stood. A reader here returns None for a
body that breaks its grammar; bounds are checked later, like those of any record, and ids are given
when all records of a message are known.
"""

import re
from typing import Any

from citestream.context.blocks import ELEMENT, Block, find_blocks
from citestream.context.records import Record

_DIGITS = r"[0-9]{1,16}"
_TERMINAL_HEADER = re.compile(
    rf"(?P<name>.*?) (?:line (?P<only>{_DIGITS})|lines (?P<first>{_DIGITS})-(?P<last>{_DIGITS}))"
)
_LINE_NUMBER = re.compile(r"^[0-9]+ \| ?", re.MULTILINE)
_ELEMENT_HEADER = re.compile(r"<([^>]+)>")
_ELEMENT_FIELD = re.compile(r"([a-z]+): (.*)")
_ELEMENT_SECTIONS = frozenset({"html:", "styles:"})
_LOCATION = re.compile(rf"(.+?)(?::({_DIGITS}))?(?::({_DIGITS}))?")
_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
# A name begins where none goes on: without that, a long run of letters is read from each of them.
_ATTRIBUTE = re.compile(r'(?<![a-zA-Z0-9_-])([a-zA-Z][a-zA-Z0-9_-]*)="([^"]*)"')
_FENCE_LANGUAGE = re.compile(r"[^\s`]+")
# The ampersand last, so that what it opens is not read again.
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&"))
_PATH_SIGN = re.compile(r"[/\\]")
_STYLE_HEADING = "Requested visual changes:"

Entry = tuple[str, list[str]]
"""A header and the lines under it, without their indent."""


def read_terminals(body: str) -> list[Record] | None:
    """Read the excerpts of a terminal block, at least one."""
    records = [_terminal(*entry) for entry in _entries(body) or []]
    read = [record for record in records if record is not None]
    return read if read and len(read) == len(records) else None


def read_elements(body: str) -> list[Record] | None:
    """Read the elements of an element block, at least one."""
    elements = _elements(body)
    if not elements:
        return None
    return [{"kind": "element", "label": label, **details} for label, details in elements]


def read_preview(body: str) -> list[Record] | None:
    """Read the one annotation of a preview block, with the elements of blocks inside it."""
    elements: list[dict[str, Any]] = []
    for block in find_blocks(body, (ELEMENT,)):
        nested = _elements(body[block.body_start : block.body_end])
        if nested is None:
            return None
        elements += [details for _, details in nested]
    if not body.strip():
        return None
    rows = body.split("\n")
    page = _after(rows, "Page: ")
    address = page if _WEB_ADDRESS.match(page) else ""
    record = {
        "kind": "preview-annotation",
        "label": page or "Preview annotation",
        "annotationId": _after(rows, "Id: "),
        "pageUrl": address or (elements[0]["pageUrl"] if elements else ""),
        "pageTitle": None if address else page or None,
        "comment": _after(rows, "Comment: "),
        "targetSummary": _after(rows, "Targets: "),
        "styleChanges": _style_changes(rows),
    }
    return [record | {"elements": elements} if elements else record]


def read_review(text: str, block: Block) -> Record | None:
    """Read a review block of `text`; its last code fence is the diff, what is before the words."""
    attributes = {key: _unescaped(value) for key, value in _ATTRIBUTE.findall(block.attributes)}
    numbers = [attributes.get(key, "") for key in ("startIndex", "endIndex")]
    path = attributes.get("filePath", "")
    if not path or not all(re.fullmatch(_DIGITS, number) for number in numbers):
        return None
    start, end = sorted(map(int, numbers))
    range_label = attributes.get("rangeLabel") or "line"
    fence = block.fence
    language = _FENCE_LANGUAGE.match(fence.info) if fence else None
    return {
        "kind": "review-comment",
        "label": f"{_PATH_SIGN.split(path)[-1]} {range_label}",
        "sectionId": attributes.get("sectionId", ""),
        "sectionTitle": attributes.get("sectionTitle") or "Review",
        "filePath": path,
        "startIndex": start,
        "endIndex": end,
        "rangeLabel": range_label,
        "text": text[block.body_start : fence.start if fence else block.body_end].strip(),
        "diff": text[fence.code_start : fence.code_end] if fence else "",
        "fenceLanguage": language[0] if language else "diff",
    }


def _entries(body: str) -> list[Entry] | None:
    """Split `- header:` lines and the indented lines under them; None for any other line."""
    entries: list[Entry] = []
    for line in body.split("\n"):
        if line.startswith("- ") and line.endswith(":") and len(line) > len("- :"):
            entries.append((line[2:-1], []))
        elif entries and line.startswith("  "):
            entries[-1][1].append(line[2:])
        elif line.strip():
            return None
        elif entries:
            entries[-1][1].append("")
    return entries


def _terminal(header: str, rows: list[str]) -> Record | None:
    match = _TERMINAL_HEADER.fullmatch(header)
    name = match["name"].strip() if match else ""
    if match is None or not name:
        return None
    return {
        "kind": "terminal",
        "label": header,
        "terminalId": re.sub(r"\s+", "-", name.lower()),
        "terminalLabel": name,
        "lineStart": int(match["only"] or match["first"]),
        "lineEnd": int(match["only"] or match["last"]),
        "text": _LINE_NUMBER.sub("", "\n".join(rows).rstrip()),
    }


def _elements(body: str) -> list[tuple[str, dict[str, Any]]] | None:
    """Read label and details of each entry; no entry is no mistake here."""
    elements = []
    entries = _entries(body)
    for header, rows in entries or []:
        match = _ELEMENT_HEADER.match(header)
        if match is None:
            return None
        elements.append((match[0], _element(match[1], rows)))
    return None if entries is None else elements


def _element(tag: str, rows: list[str]) -> dict[str, Any]:
    fields: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    section: list[str] | None = None
    for row in rows:
        if section is not None and (row.startswith("  ") or not row):
            section.append(row[2:])
        elif row in _ELEMENT_SECTIONS:
            section = sections[row] = []
        else:
            section = None
            if field := _ELEMENT_FIELD.fullmatch(row):
                fields[field[1]] = field[2]
    location = _LOCATION.fullmatch(fields.get("source", ""))
    return {
        "pageUrl": fields.get("url", ""),
        "pageTitle": None,
        "tagName": tag.lower(),
        "selector": fields.get("selector"),
        "htmlPreview": "\n".join(sections.get("html:", [])).rstrip(),
        # A tag with capitals was written by a component.
        "componentName": tag if re.search("[A-Z]", tag) else None,
        "source": _source(location) if location else None,
        "styles": "\n".join(sections.get("styles:", [])).rstrip(),
    }


def _source(location: re.Match[str]) -> dict[str, Any]:
    return {
        "functionName": None,
        "fileName": location[1],
        "lineNumber": int(location[2]) if location[2] else None,
        "columnNumber": int(location[3]) if location[3] else None,
    }


def _after(rows: list[str], prefix: str) -> str:
    return next((row[len(prefix) :].strip() for row in rows if row.startswith(prefix)), "")


def _style_changes(rows: list[str]) -> list[str]:
    if _STYLE_HEADING not in rows:
        return []
    changes = []
    for row in rows[rows.index(_STYLE_HEADING) + 1 :]:
        if not row.startswith("- "):
            break
        changes.append(row[2:])
    return changes


def _unescaped(value: str) -> str:
    for entity, character in _ENTITIES:
        value = value.replace(entity, character)
    return value.strip()
