"""JSON as it goes over a wire: written on one line, read strictly.

Lives here: the two functions through which all JSON enters and leaves. Must not know what the
values mean.
"""

import json
from math import isfinite
from typing import Any, Final, NoReturn

import orjson

from citestream.parts import bounded_json

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

# Line ends to some readers of event streams; in UTF-8 JSON these bytes stand nowhere else.
_LINE_ENDS: Final = (
    ("\u0085".encode(), b"\\u0085"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class JsonInputError(ValueError):
    """A text that is not acceptable JSON; the message never repeats any of it."""


class JsonSizeError(JsonInputError):
    """A text holds more values than one may; the message names the limit."""


def dumps(value: object) -> bytes:
    """Write a JSON value on one line of UTF-8, without a character that any reader breaks at.

    C0 controls, U+0085, U+2028 and U+2029 are escaped. Numbers of any size are written exactly.
    """
    try:
        text = orjson.dumps(value)
    except TypeError:  # an integer of more than 64 bits
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
    if text.isascii():
        return text
    for character, escape in _LINE_ENDS:
        if character in text:
            text = text.replace(character, escape)
    return text


def loads(body: bytes, *, depth_limit: int) -> Any:
    """Read one JSON value from UTF-8 bytes; a byte order mark before it is skipped (RFC 8259, 8.1).

    Refuses, with a :class:`JsonInputError`: bytes that are not UTF-8, NaN and infinities, a key
    given twice in one object, more than a million values, nesting beyond ``depth_limit``, and
    numbers that cannot be held. A half of a surrogate pair (``"\\ud83d"``) is accepted and is in
    the result, since tokens cut characters.
    """
    value = decode(body, _DECODER, depth_limit)
    if _deeper_than(value, depth_limit):
        raise JsonInputError(f"nested more than {depth_limit} deep")
    return value


def decode(body: bytes, decoder: json.JSONDecoder, depth_limit: int) -> Any:
    """Read one JSON value by ``decoder``, skipping a byte order mark.

    Raises :class:`JsonInputError` for what the decoder does not read and for more than a million
    values; ``depth_limit`` is only said.
    """
    try:
        text = body.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonInputError(f"not UTF-8 at byte {error.start}") from None
    try:
        return bounded_json.decode(text, decoder)
    except json.JSONDecodeError as error:
        raise JsonInputError(f"not JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise JsonInputError(f"nested more than {depth_limit} deep") from None
    except JsonInputError:
        raise
    except bounded_json.TooManyValuesError as error:
        raise JsonSizeError(str(error)) from None
    except ValueError:
        raise JsonInputError("a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise JsonInputError("a key is given twice in one object")
    return found


def _constant(_: str) -> NoReturn:
    raise JsonInputError("NaN and Infinity are not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise JsonInputError("a number is too large")
    return number


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite
)


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
