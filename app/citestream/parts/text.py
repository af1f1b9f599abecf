"""The rules that hold for every text that enters: whole characters, and no forged signs.

Lives here: joining surrogate halves, replacing the marker signs in what tools and users bring.
Must not know what a marker is; it knows the three signs only so that data cannot carry them.
"""

import math
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

START: Final = "\ue200"
STOP: Final = "\ue201"
DELIM: Final = "\ue202"
SIGNS: Final = START + STOP + DELIM
REPLACEMENT: Final = "\ufffd"

TOO_LONG: Final = 10**4000
"""The first integer with more than 4,000 decimal digits; Python writes no more than 4,300."""

_PIECE: Final = 1 << 16
"""Code points that one call of an expression reads; it holds the interpreter's lock meanwhile."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SIGN: Final = re.compile(f"[{SIGNS}]")


def _join(pair: re.Match[str]) -> str:
    high, low = ord(pair[0][0]), ord(pair[0][1])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def replace_surrogates(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and each lone half as U+FFFD.

    The result can always be encoded as UTF-8. A text without halves is returned as it is.
    """
    if text.isascii():
        return text
    if len(text) <= _PIECE:
        if not _SURROGATE.search(text):
            return text
        return _SURROGATE.sub(REPLACEMENT, _PAIR.sub(_join, text))
    pieces = list(_pieces(text))
    mended = [replace_surrogates(piece) for piece in pieces]
    changed = any(new is not old for new, old in zip(mended, pieces, strict=True))
    return "".join(mended) if changed else text


def _pieces(text: str) -> Iterator[str]:
    """Cut a long text so that no cut is between the halves of a pair."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        end -= "\ud800" <= text[end - 1 : end] <= "\udbff"
        yield text[start:end]
        start = end


def weight(value: object, enough: int) -> int:
    """Return about how much a JSON value is: characters of its strings and keys, and its values.

    Stops when it is ``enough``, so that asking costs no more than that.
    """
    total = 0
    todo = [value]
    while todo and total < enough:
        item = todo.pop()
        total += 1
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, dict):
            for key, inner in islice(item.items(), enough):
                total += len(key)
                todo.append(inner)
        elif isinstance(item, list | tuple):
            todo += islice(item, enough)
    return total


def without_signs(text: str) -> tuple[str, int]:
    """Return ``text`` with each of U+E200 to U+E202 as U+FFFD, and how many there were.

    Replaced rather than removed, so that no new sign can come together from what is left.
    """
    return _SIGN.subn(REPLACEMENT, text)


def sealed(value: object, *, depth_limit: int) -> tuple[Any, int]:
    """Return a copy of a JSON value whose every string and key is whole and free of signs.

    Also returns the number of signs replaced. Raises what :func:`rewritten` raises.
    """
    count = 0

    def seal(text: str) -> str:
        nonlocal count
        clean, found = without_signs(replace_surrogates(text))
        count += found
        return clean

    return rewritten(value, seal, depth_limit=depth_limit), count


def rewritten(value: object, change: Callable[[str], str], *, depth_limit: int) -> Any:
    """Return a copy of a JSON value with ``change`` done to every string and key.

    Raises ``ValueError`` when objects and arrays are nested more than ``depth_limit`` deep or a
    number is not finite or too long to be written, ``TypeError`` when something is no JSON value.
    Walks with a stack of its own, so depth costs no recursion.
    """
    top: list[Any] = [None]
    # Each entry: a value, the container its copy goes into, the key or index there, its depth.
    todo: list[tuple[object, Any, object, int]] = [(value, top, 0, 0)]
    while todo:
        item, home, place, depth = todo.pop()
        if isinstance(item, str):
            home[place] = change(item)
        elif item is None or isinstance(item, bool | int):
            if item is not None and not -TOO_LONG < item < TOO_LONG:
                raise ValueError("numbers must have at most 4,000 digits")
            home[place] = item
        elif isinstance(item, float):
            if not math.isfinite(item):
                raise ValueError("numbers must be finite")
            home[place] = item
        elif not isinstance(item, dict | list | tuple):
            raise TypeError(f"a {type(item).__name__} is not a JSON value")
        elif depth >= depth_limit:
            raise ValueError(f"nested more than {depth_limit} deep")
        elif isinstance(item, dict):
            fresh: dict[str, Any] = {}
            home[place] = fresh
            for key, inner in item.items():
                if not isinstance(key, str):
                    raise TypeError(f"a {type(key).__name__} is not the key of a JSON object")
                fresh[changed := change(key)] = None
                todo.append((inner, fresh, changed, depth + 1))
        else:
            room: list[Any] = [None] * len(item)
            home[place] = room
            todo.extend((inner, room, index, depth + 1) for index, inner in enumerate(item))
    return top[0]
