"""The rules that hold for every text that enters: whole characters, and no forged signs.

Lives here: joining surrogate halves, replacing the marker signs in what tools and users bring.
Must not know what a marker is; it knows the three signs only so that data cannot carry them.
"""

import math
import re
from collections.abc import Callable, Iterator
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


def whole_characters(text: str) -> str:
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
    mended = [whole_characters(piece) for piece in pieces]
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


def without_signs(text: str) -> tuple[str, int]:
    """Return ``text`` with each of U+E200 to U+E202 as U+FFFD, and how many there were.

    Replaced rather than removed, so that no new sign can come together from what is left.
    """
    return _SIGN.subn(REPLACEMENT, text)


class JsonValueError(ValueError):
    """A Python value is no JSON value, or JSON that is not taken; says nothing of what it holds.

    ``place`` is the JSON Pointer (RFC 6901) of what is no JSON, which only a caller in the same
    process can bring, and empty for what JSON itself allows.
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem)
        self.place = place


def sealed(value: object, *, depth_limit: int) -> tuple[Any, int]:
    """Return a copy of a JSON value whose every string and key is whole and free of signs.

    Also returns the number of signs replaced. Raises what :func:`rewritten` raises.
    """
    count = 0

    def seal(text: str) -> str:
        nonlocal count
        clean, found = without_signs(whole_characters(text))
        count += found
        return clean

    return rewritten(value, seal, depth_limit=depth_limit), count


_Trail = tuple[Any, object] | None
"""The way from the top to a container: the trail of its own container, and its key there."""


def rewritten(value: object, change: Callable[[str], str], *, depth_limit: int) -> Any:
    """Return a copy of a JSON value with ``change`` done to every string and key.

    Raises :class:`JsonValueError` when objects and arrays are nested more than ``depth_limit``
    deep, a number is not finite or too long to be written, or something is no JSON value.
    Walks with a stack of its own, so depth costs no recursion.
    """
    top: list[Any] = [None]
    # Each entry: a value, the container its copy belongs to, the key or index there, how deep that
    # is, and the trail to the container.
    todo: list[tuple[object, Any, object, int, _Trail]] = [(value, top, 0, 0, None)]
    while todo:
        item, home, place, depth, trail = todo.pop()
        if isinstance(item, str):
            home[place] = change(item)
        elif item is None or isinstance(item, bool | int):
            if item is not None and not -TOO_LONG < item < TOO_LONG:
                raise JsonValueError("numbers must have at most 4,000 digits")
            home[place] = item
        elif isinstance(item, float):
            if not math.isfinite(item):
                raise JsonValueError("numbers must be finite", _pointer(trail, place, depth))
            home[place] = item
        elif not isinstance(item, dict | list | tuple):
            problem = f"a {type(item).__name__} is not a JSON value"
            raise JsonValueError(problem, _pointer(trail, place, depth))
        elif depth >= depth_limit:
            raise JsonValueError(f"nested more than {depth_limit} deep")
        else:
            inner: _Trail = (trail, place) if depth else None
            if isinstance(item, dict):
                fresh: dict[str, Any] = {}
                home[place] = fresh
                for key, kept in item.items():
                    if not isinstance(key, str):
                        problem = f"a {type(key).__name__} is not the key of a JSON object"
                        raise JsonValueError(problem, _pointer(trail, place, depth))
                    fresh[changed := change(key)] = None
                    todo.append((kept, fresh, changed, depth + 1, inner))
            else:
                room: list[Any] = [None] * len(item)
                home[place] = room
                todo.extend((kept, room, at, depth + 1, inner) for at, kept in enumerate(item))
    return top[0]


def _pointer(trail: _Trail, place: object, depth: int) -> str:
    """Return the JSON Pointer of what is at ``place`` in the container that ``trail`` leads to."""
    if not depth:
        return ""
    keys = [place]
    while trail:
        trail, place = trail
        keys.append(place)
    return "".join(f"/{escaped(str(key))}" for key in reversed(keys))


def escaped(key: str) -> str:
    """Return a key as a reference token of a JSON Pointer (RFC 6901, 3)."""
    return key.replace("~", "~0").replace("/", "~1")
