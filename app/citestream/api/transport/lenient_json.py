"""Bodies that hold context records: a value that cannot be read costs its own record alone (S2).

NaN, infinities, numbers of thousands of digits and nesting without end make a whole body
unreadable. Here each stands as a value that breaks the rules of its record, and the rest is read.
"""

import re
from collections.abc import Iterator
from math import isinf
from typing import Any, Final

from citestream.context.encoding import JSON_DEPTH_LIMIT
from citestream.wire.json_text import JsonInputError, loads

_KEPT_LEVELS: Final = JSON_DEPTH_LIMIT + 16
"""Deeper levels are left out. A record begins at most six levels in, so it is still too deep."""
_SPOILED: Final = b"[" * (JSON_DEPTH_LIMIT + 1) + b"]" * (JSON_DEPTH_LIMIT + 1)
"""What no record may hold, and every reader of JSON takes."""
_LIMIT: Final = _KEPT_LEVELS + JSON_DEPTH_LIMIT + 1
_MAX_DIGITS: Final = 4300
"""Of an integer, as Python reads them."""

_TOKEN: Final = re.compile(
    rb'"(?:[^"\\]++|\\.)*+"'
    rb"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<no>NaN|-?Infinity)"
    rb"|(?P<float>-?[0-9]++(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++))|(?P<int>-?[0-9]++)",
    re.DOTALL,
)


def read_records(body: bytes) -> Any:
    """Read a body as JSON, what is unreadable in a value spoiled.

    Raises :class:`~citestream.wire.json_text.JsonInputError` for what is no JSON even so.
    """
    try:
        return loads(body, depth_limit=_KEPT_LEVELS)
    except JsonInputError as error:
        try:
            return loads(b"".join(_readable(body)), depth_limit=_LIMIT)
        except JsonInputError:
            raise error from None  # its place is that of the body as it came


def _readable(body: bytes) -> Iterator[bytes]:
    depth = done = 0
    for token in _TOKEN.finditer(body):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
            if depth == _KEPT_LEVELS + 1:
                yield body[done : token.start()]
        elif kind == "close":
            if depth == _KEPT_LEVELS + 1:
                yield b"0"
                done = token.end()
            depth -= 1
        elif kind and depth <= _KEPT_LEVELS and _is_unreadable(kind, token[0]):
            yield body[done : token.start()]
            yield _SPOILED
            done = token.end()
    if depth <= _KEPT_LEVELS:
        yield body[done:]


def _is_unreadable(kind: str, token: bytes) -> bool:
    if kind == "int":
        return len(token.lstrip(b"-")) > _MAX_DIGITS
    return kind == "no" or isinf(float(token))
