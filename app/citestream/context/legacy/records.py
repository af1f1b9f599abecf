"""Records from the bodies of old blocks.

The grammar of each body, and nothing of where the block was. A reader here returns None for a body
that breaks its grammar; most bounds are checked later, like those of any record, and ids are given
when all records of a message are known. What no record could hold is not parsed: its size is
checked first.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from citestream.context.legacy.blocks import ELEMENT, Block, find_blocks
from citestream.context.long_text import joined, rows, stripped_end
from citestream.context.records import CONTEXT_LIMIT, LABEL_LIMIT, RECORDS_LIMIT, Record

_HEADER_LIMIT: Final = 4_096
"""Code points of a header, an element's location and a fence's info that are parsed: twice what a
line of a record can hold."""
_ATTRIBUTES_LIMIT: Final = 1 << 16
"""Code points of the attributes of a review: its four bounded fields, each character an entity."""

_DIGITS = r"[0-9]{1,16}"
_TERMINAL_HEADER = re.compile(
    rf"(?P<name>.*?) (?:line (?P<only>{_DIGITS})|lines (?P<first>{_DIGITS})-(?P<last>{_DIGITS}))"
)
_LINE_NUMBER = re.compile(rf"{_DIGITS} \| ?")
_ELEMENT_HEADER = re.compile(rf"<([^>]{{1,{LABEL_LIMIT}}})>")
_ELEMENT_FIELDS = frozenset({"url", "selector", "source"})
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
_PREVIEW_FIELDS = frozenset({"Id", "Page", "Comment", "Targets"})
_NAME_LIMIT = 16

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
    if stripped_end(body, len(body)) == 0:
        return None
    fields, style_changes = _preview_fields(body)
    page = fields.get("Page", "")
    address = page if _WEB_ADDRESS.match(page) else ""
    record = {
        "kind": "preview-annotation",
        "label": page or "Preview annotation",
        "annotationId": fields.get("Id", ""),
        "pageUrl": address or (elements[0]["pageUrl"] if elements else ""),
        "pageTitle": None if address else page or None,
        "comment": fields.get("Comment", ""),
        "targetSummary": fields.get("Targets", ""),
        "styleChanges": style_changes,
    }
    return [record | {"elements": elements} if elements else record]


def _preview_fields(body: str) -> tuple[dict[str, str], list[str]]:
    """Return the first row of each name, and the style changes under their heading."""
    fields: dict[str, str] = {}
    changes: list[str] | None = None
    in_changes = False
    for row in rows(body):
        name, colon, _ = row[:_NAME_LIMIT].partition(": ")
        if colon and name in _PREVIEW_FIELDS:
            fields.setdefault(name, row[len(name) + len(colon) :].strip())
        if in_changes and row.startswith("- ") and changes is not None:
            changes.append(row[2:])
            continue
        in_changes = changes is None and row == _STYLE_HEADING
        if in_changes:
            changes = []
    return fields, changes or []


def read_review(text: str, block: Block) -> Record | None:
    """Read a review block of `text`; its last code fence is the diff and follows the words."""
    if len(block.attributes) > _ATTRIBUTES_LIMIT:
        return None
    attributes = {key: _unescaped(value) for key, value in _ATTRIBUTE.findall(block.attributes)}
    numbers = [attributes.get(key, "") for key in ("startIndex", "endIndex")]
    path = attributes.get("filePath", "")
    if not path or not all(re.fullmatch(_DIGITS, number) for number in numbers):
        return None
    start, end = sorted(map(int, numbers))
    range_label = attributes.get("rangeLabel") or "line"
    fence = block.fence
    language = _FENCE_LANGUAGE.match(fence.info[:_HEADER_LIMIT]) if fence else None
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
    """Split `- header:` lines and the indented lines under them; None for any other line.

    A body over the limit of a whole context, or with more entries than it may have, is none.
    """
    if len(body) > CONTEXT_LIMIT:
        return None
    entries: list[Entry] = []
    for line in rows(body):
        if line.startswith("- ") and line.endswith(":") and len(line) > len("- :"):
            entries.append((line[2:-1], []))
        elif entries and line.startswith("  "):
            entries[-1][1].append(line[2:])
        elif line and not line.isspace():
            return None
        elif entries:
            entries[-1][1].append("")
        if len(entries) > RECORDS_LIMIT:
            return None
    return entries


def _terminal(header: str, lines: list[str]) -> Record | None:
    match = _TERMINAL_HEADER.fullmatch(header) if len(header) <= LABEL_LIMIT else None
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
        "text": _text(lines, _without_number),
    }


def _elements(body: str) -> list[tuple[str, dict[str, Any]]] | None:
    """Read label and details of each entry; no entry is no mistake here."""
    elements = []
    entries = _entries(body)
    for header, lines in entries or []:
        match = _ELEMENT_HEADER.match(header)
        if match is None:
            return None
        elements.append((match[0], _element(match[1], lines)))
    return None if entries is None else elements


def _element(tag: str, lines: list[str]) -> dict[str, Any]:
    fields: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    section: list[str] | None = None
    for line in lines:
        if section is not None and (line.startswith("  ") or not line):
            section.append(line[2:])
        elif line in _ELEMENT_SECTIONS:
            section = sections[line] = []
        else:
            section = None
            name, colon, _ = line[:_NAME_LIMIT].partition(": ")
            if colon and name in _ELEMENT_FIELDS:
                fields[name] = line[len(name) + len(colon) :]
    return {
        "pageUrl": fields.get("url", ""),
        "pageTitle": None,
        "tagName": tag.lower(),
        "selector": fields.get("selector"),
        "htmlPreview": _text(sections.get("html:", [])),
        # A tag with capitals was written by a component.
        "componentName": tag if re.search("[A-Z]", tag) else None,
        "source": _source(fields.get("source", "")),
        "styles": _text(sections.get("styles:", [])),
    }


def _source(written: str) -> dict[str, Any] | None:
    if not written:
        return None
    location = _LOCATION.fullmatch(written) if len(written) <= _HEADER_LIMIT else None
    return {
        "functionName": None,
        "fileName": location[1] if location else written,
        "lineNumber": int(location[2]) if location and location[2] else None,
        "columnNumber": int(location[3]) if location and location[3] else None,
    }


def _text(lines: list[str], each: Callable[[str], str] = str) -> str:
    """Join lines without the white space that ends the last, each changed by `each`."""
    count = len(lines)
    while count and (not lines[count - 1] or lines[count - 1].isspace()):
        count -= 1
    if not count:
        return ""
    last = each(lines[count - 1].rstrip())
    return joined([*(f"{each(line)}\n" for line in islice(lines, count - 1)), last])


def _without_number(line: str) -> str:
    number = _LINE_NUMBER.match(line)
    return line[number.end() :] if number else line


def _unescaped(value: str) -> str:
    for entity, character in _ENTITIES:
        value = value.replace(entity, character)
    return value.strip()
