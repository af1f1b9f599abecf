"""Text and JSON as they may leave this room: writable by every encoder behind it.

This file knows characters and JSON values. It must not know what a record is.
"""

import json
import re
from typing import Any

JSON_DEPTH_LIMIT = 128
"""Levels of arrays and objects in one value. Writers behind this room give up earlier than readers
do (orjson at 254 levels, pydantic at about 200, the standard library with the stack that is left);
this leaves them room for what is put around the value."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_ENDS = re.compile(r"[\r\n]+")

# More digits than Python reads or prints of an integer (its own guard against quadratic time).
_DIGITS_LIMIT = 4300


def encodable(text: str) -> str:
    """Return `text` with the halves of a surrogate pair joined and lone ones as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR. A final line end opens one more, empty line."""
    return _LINE_END.split(text)


def one_row(text: str) -> str:
    """Return `text` on one row: line ends become a blank."""
    return _LINE_ENDS.sub(" ", text)


def write_json(value: object, indent: int | None = None) -> str | None:
    """Write a JSON value, compact unless `indent` is given, lone surrogates as U+FFFD.

    None when JSON has no form for it: NaN and infinities, more than `JSON_DEPTH_LIMIT` levels,
    integers too long to print, things that are not JSON values.
    """
    if _too_deep(value):
        return None
    separators = (",", ":") if indent is None else None
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
    except (ValueError, TypeError):
        return None
    return encodable(text)


def read_json(text: str) -> Any:
    """Read strict JSON. ValueError for anything else, nesting that cannot be read included.

    An integer too long for Python reads as infinity: it spoils the value it stands in
    (`write_json` has no form for it), not the text around it.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_integer)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS_LIMIT else float("inf")


def _too_deep(value: object) -> bool:
    # Level by level, so that depth costs no stack.
    level = [value]
    for _ in range(JSON_DEPTH_LIMIT):
        level = [
            child for node in level for child in _children(node) if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _children(node: object) -> list[object]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []
