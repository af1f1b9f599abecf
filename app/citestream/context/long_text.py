"""Long texts read in pieces, so that no single call holds the interpreter's lock for long.

One call of a regular expression or of `str.encode` keeps every other thread waiting until it
returns, the event loop's thread too. The functions here make such calls over bounded slices. This
file must not know what it searches for.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from citestream.context.errors import ContextError

PIECE: Final = 1 << 16
"""Code points that one call reads. The slowest expression of this package, measured on runs of
brackets, takes 70 ns for each, so a call returns within 5 ms."""

_SCAN: Final = 1 << 20
"""Code points for `str.find` and for copies, which take about 1 ns for each."""

_BATCH: Final = 4_096

Unit = Literal["rune", "utf16"]
"""What a place counts: code points, or the UTF-16 units that JavaScript counts."""


def check_unit(unit: object) -> Unit:
    """Return `unit`, null read as `rune`. Raises ContextError for any other value."""
    if unit is None or unit == "rune":
        return "rune"
    if unit == "utf16":
        return "utf16"
    raise ContextError("unit", "rune or utf16")


def find(text: str, needle: str, start: int = 0) -> int:
    """Return where `needle` first begins at or after `start`, or -1: `str.find` in pieces."""
    while start < len(text):
        at = text.find(needle, start, start + _SCAN + len(needle) - 1)
        if at >= 0:
            return at
        start += _SCAN
    return -1


def search(
    pattern: re.Pattern[str], text: str, start: int, *, longest: int
) -> re.Match[str] | None:
    """Return the first match at or after `start`: `pattern.search` in pieces.

    `longest` is the most code points that a match can have, what it looks ahead at included.
    """
    while start < len(text):
        edge = start + PIECE
        match = pattern.search(text, start, edge + longest)
        # A match that begins after the edge may have been cut off; the next piece shows it whole.
        if match is not None and match.start() < edge:
            return match
        start = edge
    return None


def matches(pattern: re.Pattern[str], text: str, *, longest: int) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer` yields, read in pieces; `longest` is that of `search`."""
    start = 0
    while start < len(text):
        edge = done = start + PIECE
        for match in pattern.finditer(text, start, edge + longest):
            if match.start() >= edge:
                break
            yield match
            done = max(edge, match.end())
        start = done


def is_blank(text: str, start: int, end: int) -> bool:
    """Return whether there is nothing but white space from `start` to before `end`."""
    slices = (text[at : min(at + PIECE, end)] for at in range(start, end, PIECE))
    return all(piece.isspace() for piece in slices)


def stripped_end(text: str, end: int) -> int:
    """Return where the white space begins that ends `text[:end]`."""
    while end > 0:
        start = max(0, end - PIECE)
        if kept := len(text[start:end].rstrip()):
            return start + kept
        end = start
    return 0


def rows(text: str) -> Iterator[str]:
    """Yield what `text.split("\\n")` returns, one row at a time."""
    begun: list[str] = []
    for start in range(0, len(text), PIECE):
        *ended, rest = text[start : start + PIECE].split("\n")
        if ended:
            yield "".join([*begun, ended[0]])
            yield from ended[1:]
            begun = []
        begun.append(rest)
    yield "".join(begun)


def replaced(text: str, old: str, new: str) -> str:
    """Return `text.replace(old, new)` for an `old` of one or two characters."""
    if find(text, old) < 0:
        return text
    return joined(piece.replace(old, new) for piece in _pieces_around(text, old))


def _pieces_around(text: str, pair: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + PIECE
        # A cut inside the pair would hide it.
        end += text[end - 1 : end + 1] == pair
        yield text[start:end]
        start = end


def joined(pieces: Iterable[str]) -> str:
    """Return `"".join(pieces)`, joined a batch at a time."""
    chunks = []
    batch: list[str] = []
    for piece in pieces:
        batch.append(piece)
        if len(batch) == _BATCH:
            chunks.append("".join(batch))
            batch.clear()
    return "".join([*chunks, *batch])


def spliced(text: str, changes: Iterable[tuple[int, int, str]]) -> Iterator[str]:
    """Yield the pieces of `text` with each `(start, end, replacement)` put in its place.

    The changes are in the order of the text and do not overlap.
    """
    done = 0
    for start, end, replacement in changes:
        yield text[done:start]
        yield replacement
        done = end
    yield text[done:]


def utf16_places(text: str, places: Iterable[int]) -> Iterator[int]:
    """Yield ascending `places` of `text`, given in code points, in UTF-16 units."""
    done = units = 0
    for place in places:
        units += place - done if text.isascii() else _units(text, done, place)
        done = place
        yield units


def rune_place(text: str, units: int) -> int | None:
    """Return the place `units` UTF-16 units into `text` in code points.

    None when there is no such place: inside a character of two units, before the start or past the
    end.
    """
    if units < 0:
        return None
    for start in range(0, max(len(text), 1), PIECE):
        data = text[start : start + PIECE].encode("utf-16-le", "surrogatepass")
        if units <= len(data) // 2:
            try:
                return start + len(data[: 2 * units].decode("utf-16-le"))
            except UnicodeDecodeError:
                return None
        units -= len(data) // 2
    return None


def _units(text: str, start: int, end: int) -> int:
    slices = (text[at : min(at + PIECE, end)] for at in range(start, end, PIECE))
    return sum(len(piece.encode("utf-16-le", "surrogatepass")) // 2 for piece in slices)
