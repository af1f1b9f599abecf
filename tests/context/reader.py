"""A strict reader of projected text: the grammar of S2, and nothing that is not in it.

It shares no code with what it reads back. Anything that looks like one of the three elements and
does not stand exactly where the grammar has it is an error.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

_ELEMENT = re.compile(
    r"</?(?:t3_context|context|assistant_citations)(?![A-Za-z0-9_])", re.IGNORECASE | re.ASCII
)
_ENTRY = re.compile(
    r'<context kind="([a-z][a-z0-9-]*)" id="([A-Za-z0-9_-]+)"(>| unavailable="true"/>)'
)
_MARKER = re.compile(r"\[([A-Z][a-z0-9 ]*): ((?:&lt;|[^\[\];\r\n])+); ref=([A-Za-z0-9_-]{1,128})\]")


@dataclass
class Read:
    body: str
    markers: list[tuple[str, str]]
    entries: list[tuple[str, str, list[str] | None]]
    quotes: list[dict[str, Any]]


def read(text: str) -> Read:
    rest, quotes = _quotes(text)
    body, entries = _envelope(rest)
    assert not _ELEMENT.search(body), "an element in the body"
    return Read(body, [(m[1], m[3]) for m in _MARKER.finditer(body)], entries, quotes)


def _quotes(text: str) -> tuple[str, list[dict[str, Any]]]:
    head, opened, block = text.partition("\n\n<assistant_citations>\n")
    if not opened:
        return text, []
    assert block.endswith("\n</assistant_citations>")
    note, _, listing = block.removesuffix("\n</assistant_citations>").partition("\n")
    assert note.startswith("Quotes from earlier assistant answers")
    assert not set(listing) & set("<>&")
    return head, json.loads(listing)


def _envelope(text: str) -> tuple[str, list[tuple[str, str, list[str] | None]]]:
    body, opened, block = text.partition('\n\n<t3_context version="1">\n')
    if not opened:
        return text, []
    assert block.endswith("\n</t3_context>")
    entries: list[tuple[str, str, list[str] | None]] = []
    rows: list[str] | None = None
    for row in block.removesuffix("\n</t3_context>").split("\n"):
        if rows is not None and row == "</context>":
            rows = None
        elif rows is not None:
            assert not _ELEMENT.search(row), "an element in an entry"
            assert "\r" not in row, "a line end in a row"
            rows.append(row)
        else:
            head = _ENTRY.fullmatch(row)
            assert head, "a row outside an entry"
            rows = [] if head[3] == ">" else None
            entries.append((head[1], head[2], rows))
    assert rows is None, "an entry that is not closed"
    return body, entries
