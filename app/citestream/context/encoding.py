"""Text and JSON as they may leave this package: writable by every encoder that follows.

This file knows characters and JSON values. It must not know what a record is.
"""

import json
import json.scanner
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from math import inf
from typing import Any, Final

from citestream.context.long_text import joined
from citestream.parts.text import rewritten, replace_surrogates

JSON_DEPTH_LIMIT: Final = 64
"""Levels of arrays and objects in one value, the same as in the data of a part."""

_SMALL: Final = 1 << 18
"""Code points of JSON that the decoder in C reads in about 10 ms at worst. It holds the
interpreter's lock for the whole text, so a longer one is read by the decoder in Python."""

_LONG: Final = 1 << 20
"""Code points of a string that are escaped in one call."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_ENDS = re.compile(r"[\r\n]+")

# More digits than Python reads or prints of an integer (its own guard against quadratic time).
_DIGITS_LIMIT = 4300


class UnwritableError(ValueError):
    """JSON has no form for a value. Never leaves the package."""


def encodable(text: str) -> str:
    """Return `text` with the halves of a surrogate pair joined and lone ones as U+FFFD."""
    return replace_surrogates(text)


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
    """Read strict JSON. ValueError for anything else, nesting that cannot be read included.

    A number that Python cannot hold reads as infinity: it spoils the value it is in
    (`clean_json` refuses it), not the text around it.
    """
    try:
        return (_DECODER if len(text) <= _SMALL else _PATIENT_DECODER).decode(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS_LIMIT else inf


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)


class _PatientDecoder(json.JSONDecoder):
    """The standard decoder as it runs where its scanner in C is missing."""

    def __init__(self) -> None:
        super().__init__(parse_constant=_refuse, parse_int=_integer)
        # No name of the standard library's typed surface, but what its own fallback is made of.
        self.scan_once = vars(json.scanner)["py_make_scanner"](self)


_PATIENT_DECODER: Final = _PatientDecoder()


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
