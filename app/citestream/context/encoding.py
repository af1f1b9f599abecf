"""Text and JSON as they may leave this package: writable by every encoder that follows.

This file knows characters and JSON values. It must not know what a record is.
"""

import json
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from math import inf
from typing import Any, Final

from citestream.context.long_text import find, joined, search, spliced
from citestream.parts.bounded_json import decode
from citestream.parts.text import rewritten, whole_characters

JSON_DEPTH_LIMIT: Final = 64
"""Levels of arrays and objects in one value, the same as in the data of a part."""

_READ_LEVELS: Final = 128
"""Deeper levels are not read when there are too many for the decoder's stack. A record begins at
most six levels deep, so it is too deep all the same."""

_LONG: Final = 1 << 20
"""Code points of a string that are escaped in one call."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_ENDS = re.compile(r"[\r\n]+")

_SIGN = re.compile(r'["\[\]{}]')

# More digits than Python reads or prints of an integer (its own guard against quadratic time).
_DIGITS_LIMIT = 4300


class UnwritableError(ValueError):
    """JSON has no form for a value. Never leaves the package."""


def encodable(text: str) -> str:
    """Return `text` with the halves of a surrogate pair joined and lone ones as U+FFFD."""
    return whole_characters(text)


def lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR. A final line end opens one more, empty line."""
    return _LINE_END.split(text)


def one_row(text: str) -> str:
    """Return `text` on one row: line ends become a blank."""
    return _LINE_ENDS.sub(" ", text)


def clean_json(value: object) -> Any:
    """Return a copy of a JSON value whose every string and key can be encoded.

    Raises UnwritableError when JSON has no form for the value: NaN and infinities, more than
    `JSON_DEPTH_LIMIT` levels, integers too long to print, things that are not JSON values.
    """
    try:
        return rewritten(value, encodable, depth_limit=JSON_DEPTH_LIMIT)
    except (ValueError, TypeError):
        raise UnwritableError from None


def json_length(value: object, limit: float = inf) -> int:
    """Return the code points of `value`, a clean JSON value, written as compact JSON.

    Counting stops at the first piece that takes the sum over `limit`.
    """
    total = 0
    for piece in _written(value):
        total += len(piece)
        if total > limit:
            break
    return total


def compact_json(value: object) -> str:
    """Return a clean JSON value, of any depth, written as compact JSON."""
    return joined(_written(value))


def write_json(value: object) -> str | None:
    """Write a JSON value, compact, lone surrogates as U+FFFD; None when JSON has no form for it."""
    try:
        return compact_json(clean_json(value))
    except UnwritableError:
        return None


def read_json(text: str) -> Any:
    """Read one JSON value from a text that a third party wrote.

    A value that cannot be held (NaN, an infinity, thousands of digits, thousands of levels) reads
    as infinity: it spoils the record it is in, which `clean_json` refuses, not the text around it.
    Of equal keys the last one wins (RFC 8259, section 4), but the outermost object must have each
    once. Raises ValueError, json.JSONDecodeError where a place is to blame, for anything else and
    for more than a million values.
    """
    reader = _Reader()
    try:
        value = decode(text, reader)
    except RecursionError:
        value = decode(joined(spliced(text, _depths(text))), reader)
    if isinstance(value, dict) and reader.outermost_keys > len(value):
        raise ValueError("a key is there twice in one object")
    return value


class _Reader(json.JSONDecoder):
    """The standard decoder, which reads what cannot be held as infinity."""

    def __init__(self) -> None:
        super().__init__(
            object_pairs_hook=self._object, parse_int=_integer, parse_constant=lambda _: inf
        )
        self.outermost_keys = 0

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # The outermost object is the last to be made.
        self.outermost_keys = len(pairs)
        return dict(pairs)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS_LIMIT else inf


def _signs(text: str) -> Iterator[re.Match[str]]:
    """Yield the signs of JSON that are in no string."""
    at = 0
    while match := search(_SIGN, text, at, longest=1):
        if match[0] == '"':
            at = _string_end(text, match.end())
        else:
            yield match
            at = match.end()


def _string_end(text: str, start: int) -> int:
    """Return the place after the string whose first character is at `start`."""
    at = start
    while (at := find(text, '"', at)) >= 0:
        escapes = at
        while escapes > start and text[escapes - 1] == "\\":
            escapes -= 1
        at += 1
        if (at - 1 - escapes) % 2 == 0:
            return at
    return len(text)


def _depths(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the places of what is nested deeper than can be read, with what reads as infinity."""
    depth = start = 0
    for match in _signs(text):
        if match[0] in "[{":
            depth += 1
            if depth == _READ_LEVELS + 1:
                start = match.start()
        elif match[0] in "]}":
            if depth == _READ_LEVELS + 1:
                yield start, match.end(), "Infinity"
            depth -= 1
    if depth > _READ_LEVELS:
        yield start, len(text), ""  # it never ends: the decoder says so


def _written(value: object) -> Iterator[str]:
    """Yield the pieces of compact JSON, a value at a time: no call holds the lock for long."""
    # Each entry: what is left of a container, its closing sign, whether it is an object.
    open_containers: list[tuple[Iterator[Any], str, bool]] = []
    pending: object = value
    while True:
        if isinstance(pending, dict | list):
            is_object = isinstance(pending, dict)
            yield "{" if is_object else "["
            items: Any = pending.items() if isinstance(pending, dict) else pending
            open_containers.append((iter(items), "}" if is_object else "]", is_object))
            separator = ""
        else:
            yield from _scalar(pending)
            separator = ","
        while open_containers:
            left, closing, is_object = open_containers[-1]
            try:
                item = next(left)
            except StopIteration:
                open_containers.pop()
                yield closing
                separator = ","
                continue
            if is_object:
                yield f"{separator}{encode_basestring(item[0])}:"
                pending = item[1]
            else:
                if separator:
                    yield separator
                pending = item
            break
        else:
            return


_CONSTANTS: Final = {None: "null", True: "true", False: "false"}


def _scalar(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= _LONG:
            yield encode_basestring(value)
            return
        yield '"'
        for start in range(0, len(value), _LONG):
            yield encode_basestring(value[start : start + _LONG])[1:-1]
        yield '"'
    elif value is None or isinstance(value, bool):
        yield _CONSTANTS[value]
    else:
        # As the standard writer does: a subclass may print itself in another way.
        yield int.__repr__(value) if isinstance(value, int) else float.__repr__(value)
