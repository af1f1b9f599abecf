"""JSON in which a value that cannot be held costs only itself.

JSON allows numbers that neither Python nor JavaScript holds (``1e999``, 5,000 digits), any nesting,
and a key given twice (RFC 8259, 4, 6 and 9). Data that others made may have them, so here each is
read as what it is, and the reader of a field decides what that means. Must not know what the values
mean.
"""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from citestream.wire.json_text import decode

MAX_DIGITS: Final = 4300
"""Of an integer, as Python reads them (``sys.int_info.default_max_str_digits``)."""

_TOKEN: Final = re.compile(
    rb'"(?:[^"\\]++|\\.)*+"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<no>NaN|-?Infinity)', re.DOTALL
)


class Unreadable:
    """What is read in place of a value that cannot be held; ``problem`` says why it cannot.

    No writer of JSON knows it, so that none writes it.
    """

    __slots__ = ("problem",)

    def __init__(self, problem: str) -> None:
        self.problem = problem


class RepeatedKeys(dict[str, Any]):
    """An object in which a key was given twice; it has the last value of each."""


TOO_LARGE: Final = Unreadable("a number is too large")
TOO_LONG: Final = Unreadable("a number has too many digits")


def loads_leniently(body: bytes, *, depth_limit: int, too_deep: str) -> Any:
    """Read one JSON value from UTF-8 bytes; what cannot be held is read as :class:`Unreadable`.

    That is a number out of range, and what is nested more than ``depth_limit`` deep, with
    ``too_deep`` as its problem. An object with a key given twice is read as :class:`RepeatedKeys`.
    Raises :class:`~citestream.wire.json_text.JsonInputError` for what is no JSON.
    """
    deep = Unreadable(too_deep)
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_constant=lambda _: deep,
        parse_float=_float,
        parse_int=_int,
    )
    return decode(b"".join(_shallow(body, depth_limit)), decoder, depth_limit)


def _shallow(body: bytes, depth_limit: int) -> Iterator[bytes]:
    """Yield a JSON text in pieces, each container below ``depth_limit`` as ``NaN``.

    JSON has no such name, so it marks what is left out; one that was there before becomes what no
    decoder reads.
    """
    depth = done = 0
    for token in _TOKEN.finditer(body):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
            if depth == depth_limit + 1:
                yield body[done : token.start()]
        elif kind == "close":
            if depth == depth_limit + 1:
                yield b"NaN"
                done = token.end()
            depth -= 1
        elif kind == "no" and depth <= depth_limit:
            yield body[done : token.start()]
            yield b"?"
            done = token.end()
    if depth <= depth_limit:
        yield body[done:]


def unreadable_in(value: Any) -> Unreadable | None:
    """Return the first value that could not be held, anywhere in ``value``."""
    return next((found for found in _inside(value) if isinstance(found, Unreadable)), None)


def holds_irregular(value: Any) -> bool:
    """Tell whether anything in ``value`` is what only the lenient reader takes."""
    return any(isinstance(found, Unreadable | RepeatedKeys) for found in _inside(value))


def _inside(value: Any) -> Iterator[Any]:
    """Yield a value and all in it, in the order of the text; depth costs no recursion."""
    todo = [value]
    while todo:
        item = todo.pop()
        yield item
        if isinstance(item, dict):
            todo.extend(reversed(item.values()))
        elif isinstance(item, list):
            todo.extend(reversed(item))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKeys(found)


def _float(digits: str) -> float | Unreadable:
    number = float(digits)
    return number if isfinite(number) else TOO_LARGE


def _int(digits: str) -> int | Unreadable:
    return int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else TOO_LONG
