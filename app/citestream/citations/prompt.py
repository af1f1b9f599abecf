"""What a model is told, so that it cites: the paragraph, and each part in citable form.

Must not know who asks a model, or how.
"""

import json
import re
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any, Final

from citestream.parts import DataPart
from citestream.parts.locators import MAX_LOCATOR_LENGTH, split_lines
from citestream.parts.text import DELIM, START, STOP, escaped

_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_END: Final = ": "
"""Separates a place from what is there."""
_BREAK: Final = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")
"""Control characters, which no marker holds, and the other line ends of Unicode (UAX 14, BK)."""
_PLACE: Final = re.compile(r"\[|/|L[0-9]")
_SHORT: Final = 64 * 1024
_LENGTHENED: Final = 16
"""Paths may make a part this many times longer than its JSON, a short one (code points) more often:
a megabyte of zeros under one long key would otherwise be a gigabyte for the model."""

INSTRUCTIONS: Final = (
    "Back every statement that rests on the data parts below with a citation marker. A marker is "
    f"the character U+E200, the word cite, the character U+E202, the id of a part, and the "
    f"character U+E201, like this: {START}cite{DELIM}tool_data_01{STOP}. To point at a place in "
    "the part, put U+E202 and a locator before U+E201: for numbered lines the first and the last "
    f"line, {START}cite{DELIM}tool_data_01{DELIM}L8-L13{STOP}; for other data the path that stands "
    f"before the value, {START}cite{DELIM}tool_data_01{DELIM}/results/0/findings{STOP}. Write the "
    "marker directly behind the punctuation that ends the statement, with no blank before it, and "
    "one marker for each source. Cite only ids and places that stand below, exactly as they are "
    "written there; never cite what the user wrote. Never put a marker into a code block or on a "
    "line of its own, never show an id in the text itself, and write no list of sources. Where no "
    "part backs a statement, write no marker."
)
"""The paragraph for ``style: "markers"`` (S1 "emit citation markers only when it has backing source
data parts")."""


def format_part(part: DataPart, *, leave_out: Collection[str] = ()) -> str:
    """Return a part as the model reads it: its id, then places with what is there.

    A string is shown in numbered lines (``L1: ...``); of every other value each number, string,
    truth value, null and empty container has a line of its own, after its JSON Pointer. Every id,
    line number and pointer resolves when it is cited as printed: where a path cannot be in a marker
    (a control character, blanks at its end, more than 1,024 characters), the nearest path above it
    that can is shown with its whole value as compact JSON. Nothing in the part adds a line that
    looks like another part or place. Fields of the data named in ``leave_out`` are not shown: they
    are elsewhere in what the model reads.
    """
    head = f"[{part.id}] {_one_line(part.tool_name)}".rstrip()
    named = (_unlike_a_place(_one_line(text)) for text in (part.title, part.url) if text)
    return "\n".join([head, *filter(None, named), *_bounded(_places(part, leave_out), part.root)])


def _bounded(lines: Iterator[str], root: Any) -> list[str]:
    """Return the lines, or the whole as one line where their paths make it far too long."""
    kept: list[str] = []
    length, limit = 0, _SHORT
    for line in lines:
        kept.append(line)
        length += len(line)
        if length > limit:
            whole = _json(root)
            limit = _LENGTHENED * len(whole)
            if length > limit:
                return [whole]
    return kept


def _places(part: DataPart, leave_out: Collection[str]) -> Iterator[str]:
    root = part.root
    if isinstance(root, str):
        return _numbered(root)
    if root is not part.data or not isinstance(root, dict):
        return _leaves(root)
    rest = {key: value for key, value in root.items() if key not in leave_out}
    text = rest.get("value")
    if not isinstance(text, str) or len(split_lines(text)) < 2:
        return _leaves(rest)
    # A text with fields beside it, such as a page with its language: its lines can be cited.
    del rest["value"]
    return chain(_numbered(text), _leaves(rest) if rest else ())


def _numbered(text: str) -> Iterator[str]:
    return (
        f"L{number}: {_BREAK.sub(_blank, line)}" for number, line in enumerate(split_lines(text), 1)
    )


def _leaves(root: Any) -> Iterator[str]:
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        pointer, value = todo.pop()
        inner = _inner(pointer, value)
        if inner and all(map(_can_be_cited, (path for path, _ in inner))):
            todo += reversed(inner)
        else:
            yield f"{pointer}{_END}{_json(value)}" if pointer else _json(value)


def _inner(pointer: str, value: Any) -> list[tuple[str, Any]]:
    """Return the pointers one step below ``pointer``, each with its value."""
    if isinstance(value, dict):
        return [(f"{pointer}/{escaped(key)}", inner) for key, inner in value.items()]
    if isinstance(value, list):
        return [(f"{pointer}/{index}", inner) for index, inner in enumerate(value)]
    return []


def _can_be_cited(pointer: str) -> bool:
    """Tell whether a marker can hold the pointer, and a reader sees where it ends in its line."""
    return (
        len(pointer) <= MAX_LOCATOR_LENGTH
        and pointer == pointer.strip()
        and _END not in pointer
        and not _BREAK.search(pointer)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unlike_a_place(line: str) -> str:
    """Return a title or address four blanks in where it begins as a head or a place does."""
    return f"    {line}" if _PLACE.match(line) else line


def _json(value: Any) -> str:
    return _BREAK.sub(_escape, _JSON.encode(value))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _blank(found: re.Match[str]) -> str:
    return "\t" if found[0] == "\t" else " "
