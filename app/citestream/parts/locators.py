"""Locators: the place inside a part that a citation points at.

Lives here: JSON Pointer (RFC 6901) and line ranges, read strictly. Nothing here raises: a locator
that does not resolve is data (S1), and the reader falls back to the whole part.
Must not know markers or citations.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, Literal

MAX_LOCATOR_LENGTH: Final = 1024
"""Code points of a locator at most; a longer one never resolves."""
MAX_POINTER_TOKENS: Final = 64
"""Reference tokens of a JSON Pointer at most: as deep as data may be nested."""

# ASCII digits only, and at most nine of them: int() also reads '+1', '1_0', ' 1' and other scripts.
_LINES: Final = re.compile(r"L([0-9]+)(?:-L?([0-9]+))?")
_LINE_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_BLOCK: Final = 4096
"""Code points of a text between two places whose line is known."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a locator came to.

    ``kind`` is ``whole`` (empty locator), ``resolved`` or ``unresolved``. ``value`` is the JSON
    value found, or for a line range the lines joined by LF; for ``whole`` and ``unresolved`` it is
    the whole value.
    """

    kind: Literal["whole", "resolved", "unresolved"]
    value: Any


def is_line_range(text: str) -> bool:
    """Tell whether ``text`` has the form of a line range: ``L8``, ``L8-L13`` or ``L8-13``."""
    return _LINES.fullmatch(text) is not None


def resolve(value: Any, locator: str, *, enough: int | None = None) -> Resolution:
    """Find the place that ``locator`` names in ``value`` (a part's ``root``).

    A locator that starts with ``/`` is a JSON Pointer, one of the line form a range of lines of a
    string value; everything else does not resolve. Who needs only the head of a range says how many
    code points are ``enough``: of a longer one just one more comes.
    """
    if not locator:
        return Resolution("whole", value)
    found: list[Any] | None = None
    if len(locator) <= MAX_LOCATOR_LENGTH:
        if locator[0] == "/":
            found = _pointer(value, locator)
        elif match := _LINES.fullmatch(locator):
            found = _lines(value, match[1], match[2] or match[1], enough)
    return Resolution("resolved", found[0]) if found else Resolution("unresolved", value)


def _pointer(value: Any, pointer: str) -> list[Any] | None:
    """Return the value in a list of one, or None: a value found may itself be null."""
    tokens = pointer.split("/")[1:]
    if len(tokens) > MAX_POINTER_TOKENS:
        return None
    for token in tokens:
        if isinstance(value, dict):
            key = _unescaped(token)
            if key is None or key not in value:
                return None
            value = value[key]
        elif isinstance(value, list):
            if not _INDEX.fullmatch(token) or int(token) >= len(value):
                return None
            value = value[int(token)]
        else:
            return None
    return [value]


def _unescaped(token: str) -> str | None:
    if "~" not in token:
        return token
    if re.search("~(?![01])", token):
        return None
    return token.replace("~1", "/").replace("~0", "~")


def _lines(value: Any, first: str, last: str, enough: int | None) -> list[Any] | None:
    if not isinstance(value, str):
        return None
    if not (_LINE_NUMBER.fullmatch(first) and _LINE_NUMBER.fullmatch(last)):
        return None
    text, ends = _line_ends(value)
    start, end = int(first), int(last)
    if not start <= end <= ends[-1] + (text[-1:] not in ("", "\n")):
        return None
    begin = _line_end(text, ends, start - 1) + 1 if start > 1 else 0
    stop = _line_end(text, ends, end)
    return [text[begin:stop] if enough is None else text[begin : min(stop, begin + enough + 1)]]


@lru_cache(maxsize=16)
def _line_ends(text: str) -> tuple[str, tuple[int, ...]]:
    """Return ``text`` with LF for each line end, and how many there are before each block of it.

    Remembers the last few texts: many citations point into one part. Where each line ends is not
    remembered: that may be many times the text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    counts = (text.count("\n", at, at + _BLOCK) for at in range(0, len(text), _BLOCK))
    return text, tuple(accumulate(counts, initial=0))


def _line_end(text: str, ends: tuple[int, ...], number: int) -> int:
    """Return the index behind the last character of a line, counted from 1."""
    if number > ends[-1]:
        return len(text)
    block = bisect_left(ends, number) - 1
    at = block * _BLOCK - 1
    for _ in range(number - ends[block]):
        at = text.index("\n", at + 1)
    return at


def split_lines(text: str) -> tuple[str, ...]:
    """Split at LF, CRLF and CR alone; a final line end opens no further line."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return tuple(lines)
