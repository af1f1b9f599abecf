"""Locators: the place inside a part that a citation points at.

Lives here: JSON Pointer (RFC 6901) and line ranges, read strictly. Nothing here raises: a locator
that does not resolve is data (S1), and the reader falls back to the whole part.
Must not know markers or citations.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, islice
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
_BLOCK: Final = 512
"""Code points between two places of a text whose line is known: so finding a line is short (30 µs)
and the index of a text is small beside it."""


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


class LineIndex:
    """Where the lines of one text are; ``count`` is how many it has.

    Lines end at LF, CRLF or CR; a final line end opens no further line.
    """

    __slots__ = ("_ends", "_text", "count")

    def __init__(self, text: str) -> None:
        self._text = text
        starts = range(0, len(text), _BLOCK)
        counts = [text.count("\n", at, at + _BLOCK) for at in starts]
        if "\r" in text:
            # A CR that no LF follows ends a line as well.
            for number, at in enumerate(starts):
                counts[number] += text.count("\r", at, at + _BLOCK)
                counts[number] -= text.count("\r\n", at, at + _BLOCK + 1)
        self._ends = array("L", accumulate(counts, initial=0))  # line ends before each block
        self.count = self._ends[-1] + (text[-1:] not in ("", "\n", "\r"))

    def lines(self, first: int, last: int, enough: int | None = None) -> str | None:
        """Return lines ``first`` to ``last``, counted from 1, joined by LF; None when not there.

        With ``enough`` a longer range gives its first ``enough + 1`` code points.
        """
        span = self.span(first, last)
        if span is None:
            return None
        begin, stop = span
        if enough is not None:
            stop = min(stop, begin + 2 * (enough + 1))  # a line end has two characters at most
        found = self._text[begin:stop].replace("\r\n", "\n").replace("\r", "\n")
        return found if enough is None else found[: enough + 1]

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return where lines ``first`` to ``last`` are, without the last line end, in code points.

        None when they are not there.
        """
        if not 1 <= first <= last <= self.count:
            return None
        begin = self._end(first - 1).end() if first > 1 else 0
        stop = self._end(last).start() if last <= self._ends[-1] else len(self._text)
        if self._text.startswith("\r\n", stop - 1) and stop:
            stop -= 1
        return begin, stop

    def _end(self, number: int) -> re.Match[str]:
        """Return the end of a line, counted from 1."""
        block = bisect_left(self._ends, number) - 1
        # Of a CR and LF that lie in two blocks the LF is counted, and is found.
        found = _LINE_END.finditer(self._text, block * _BLOCK)
        return next(islice(found, number - self._ends[block] - 1, None))


def line_range(locator: str) -> tuple[int, int] | None:
    """Return the first and the last line that a line range names, counted from 1.

    None when ``locator`` is no line range, or one that never resolves.
    """
    match = _LINES.fullmatch(locator)
    if not match:
        return None
    first, last = match[1], match[2] or match[1]
    if not (_LINE_NUMBER.fullmatch(first) and _LINE_NUMBER.fullmatch(last)):
        return None
    return int(first), int(last)


def resolve(
    value: Any,
    locator: str,
    *,
    enough: int | None = None,
    index: Callable[[str], LineIndex] = LineIndex,
) -> Resolution:
    """Find the place that ``locator`` names in ``value`` (a part's ``root``).

    A locator that starts with ``/`` is a JSON Pointer (RFC 6901), one of the line form a range of
    lines of a string value; everything else does not resolve. A caller that needs only the head of
    a range says how many code points are ``enough``: a longer one gives just one more. ``index``
    returns the lines of a text; a caller that resolves many locators passes one that remembers.
    """
    if not locator:
        return Resolution("whole", value)
    found: list[Any] | None = None
    if len(locator) <= MAX_LOCATOR_LENGTH:
        if locator[0] == "/":
            found = _pointer(value, locator)
        elif isinstance(value, str) and (lines := line_range(locator)):
            text = index(value).lines(*lines, enough)
            found = None if text is None else [text]
    return Resolution("resolved", found[0]) if found else Resolution("unresolved", value)


def has_envelope(data: Any) -> bool:
    """Tell whether a part's data is the guide's envelope: an object with the sole key ``value``."""
    return isinstance(data, dict) and len(data) == 1 and "value" in data


def resolve_in_data(
    data: Any,
    locator: str,
    *,
    enough: int | None = None,
    index: Callable[[str], LineIndex] = LineIndex,
) -> Resolution:
    """Find the place that ``locator`` names in a part's data, as :func:`resolve` does.

    One envelope is taken off. Data without one stands for itself; a locator that does not resolve
    there and does under its key ``value`` is taken there.
    """
    if has_envelope(data):
        return resolve(data["value"], locator, enough=enough, index=index)
    found = resolve(data, locator, enough=enough, index=index)
    if found.kind == "unresolved" and isinstance(data, dict) and "value" in data:
        inner = resolve(data["value"], locator, enough=enough, index=index)
        if inner.kind == "resolved":
            return inner
    return found


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


def split_lines(text: str) -> tuple[str, ...]:
    """Split at LF, CRLF and CR alone; a final line end opens no further line."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return tuple(lines)
