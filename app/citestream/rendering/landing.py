"""Where a marker is put in a Markdown text: at its offset, or right after what hides it.

A marker is never inside a code span, a fence, a link, a tag, a table's delimiter row or an escape,
and changes neither a block nor emphasis. Must not know what the marker looks like.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import merge
from itertools import chain
from typing import Final

from citestream.markdown import Span, Structure, line_head
from citestream.rendering.flanking import SIGNS, Flanking
from citestream.rendering.ranges import Range, Ranges, Runs


class OffsetError(ValueError):
    """An offset lies outside its text; ``field`` names it and ``limit`` is the text's length."""

    def __init__(self, field: str, limit: int) -> None:
        super().__init__(f"{field}: 0 to {limit} code points, the length of the text")
        self.field = field
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Landing:
    """A place for a marker: code point ``at``, and what is put ``before`` and ``behind`` it there.

    Both are empty inside prose. After a block the marker is a paragraph of its own.
    """

    at: int
    before: str = ""
    behind: str = ""
    is_head: bool = False
    """Whether blanks that Markdown does not show follow, before the first word of a block."""


_MAX_ENTITY: Final = 40
_ENTITY: Final = re.compile(rf"&#?[0-9A-Za-z]{{1,{_MAX_ENTITY}}};")
_FARTHEST: Final = 200
"""Code points that a marker is moved at most to get away from signs of emphasis."""
_WHITE: Final = re.compile(r"\s*+")
# A run of one of these signs opens or closes code or emphasis as a whole.
_DELIMITERS: Final = "`*_~"


class Landings:
    """Finds the landing of any offset in one text, each in logarithmic time."""

    def __init__(
        self,
        text: str,
        structure: Structure,
        taken: Iterable[Range] = (),
        *,
        letters: bool = True,
    ) -> None:
        """``taken``: further ranges, in text order, that a marker is put after. ``letters``: a
        marker may begin or end with a letter or digit, not with brackets alone.
        """
        self._text = text
        self.runs = Runs(text)
        self.flanking = Flanking(text, structure, self.runs, letters=letters)
        self.shortcuts = {atom.end for atom in structure.atoms if atom.closer}
        self._raw = Ranges((span.start, span.end) for span in structure.raw)
        leaves = merge(structure.prose, structure.blocks, key=lambda leaf: leaf.start)
        self._leaves = list(leaves)
        self._starts = [leaf.start for leaf in self._leaves]
        self._containers = structure.containers
        self._container_starts = [span.start for span in structure.containers]
        self._atoms = Ranges(((a.start, a.end) for a in structure.atoms), taken)
        self._behind_blocks: dict[int, Landing] = {}
        self._solid: dict[int, int] = {}
        self._line_starts: dict[int, int] = {}
        self._end = len(text.rstrip())

    def of(self, offset: int) -> Landing:
        """Return where a marker of this offset (code points, 0 to the text's length) is put."""
        if raw := self._raw.holding(offset - 1):
            offset = raw[1]
        at = bisect_right(self._starts, offset) - 1
        here = self._leaves[at] if at >= 0 else None
        if here and _is_prose(here) and offset <= here.end:
            return Landing(self._settled(self._in_prose(offset, here), here))
        if here and offset == here.start:
            at -= 1
        return self._outside_prose(at, offset)

    def _in_prose(self, offset: int, line: Span) -> int:
        if atom := self._atoms.holding(offset - 1):
            return atom[1]
        run = self.runs.unescaped(offset - 1, _DELIMITERS)
        if run and run[1] - run[0] > 1:
            return run[1]
        sign = self._text.rfind("&", max(line.start, offset - _MAX_ENTITY - 2), offset)
        if sign >= 0 and (entity := _ENTITY.match(self._text, sign)) and entity.end() > offset:
            return entity.end()
        # A backslash right before a marker would escape it; before the backslash nothing breaks.
        return offset - self.runs.is_escaped(offset)

    def _settled(self, at: int, line: Span) -> int:
        """Return the place at or near ``at`` where a marker changes no emphasis.

        Where the signs beside it leave none, that is the nearest place of the line without signs,
        after ``at`` rather than before.
        """
        place = self.flanking.settle(at)
        if place is not None or self.flanking.literal_run(at):
            return at if place is None else place
        after = range(at, min(line.end, at + _FARTHEST) + 1)
        before = range(at - 1, max(line.start, at - _FARTHEST) - 1, -1)
        for near in chain(after, before):
            beside = self._text[max(near - 1, 0) : near + 1]
            if not any(sign in SIGNS for sign in beside) and self._in_prose(near, line) == near:
                return near
        return at

    def _outside_prose(self, at: int, offset: int) -> Landing:
        """Land an offset that no prose holds; leaf ``at`` is the last one that begins before."""
        if at >= 0 and (
            offset <= self._leaves[at].end or offset <= self._next_solid(at)
        ):  # in a block, or only white space behind it: what it follows is what it cites
            return self._behind(at)
        after = at + 1
        if after < len(self._leaves) and (at < 0 or self._same_line(offset, after)):
            prose = _is_prose(self._leaves[after])
            return self._head(offset, after) if prose else self._behind(after)
        if at >= 0:
            return self._behind(at)
        return Landing(self._end, "\n\n") if self._end else Landing(0)

    def _head(self, offset: int, at: int) -> Landing:
        """Land before the blanks at the head of a text or an item, where the offset is.

        The first blank after the sign of an item or heading belongs to the sign. Where an item goes
        on after this line, its indent is measured by these blanks, so the marker is put after them.
        """
        line = self._leaves[at]
        line_start = self._line_start(at)
        blanks = self._text[line_start : line.start]
        first = line_start + len(blanks.rstrip(" "))
        container = self._container_of(line)
        place = max(offset, first if first == line_start else first + 1)
        if (
            place >= line.start
            or line.kind == "cell"
            or (container and (first == line_start or self._next_solid(at) < container.end))
        ):
            return Landing(self._settled(line.start, line))
        return Landing(place, is_head=True)

    def _container_of(self, leaf: Span) -> Span | None:
        inner = bisect_right(self._container_starts, leaf.start) - 1
        found = self._containers[inner] if inner >= 0 else None
        return found if found and leaf.start < found.end else None

    def _line_start(self, at: int) -> int:
        """Return where the line begins that leaf ``at`` is the first of."""
        if at not in self._line_starts:
            last = self._leaves[at - 1].end if at else 0
            start = self._leaves[at].start
            found = max(self._text.rfind(end, last, start) for end in "\r\n")
            self._line_starts[at] = last if found < 0 else found + 1
        return self._line_starts[at]

    def _next_solid(self, at: int) -> int:
        """Where the white space behind a leaf ends."""
        if at not in self._solid:
            white = _WHITE.match(self._text, self._leaves[at].end)
            self._solid[at] = white.end() if white else len(self._text)
        return self._solid[at]

    def _same_line(self, offset: int, at: int) -> bool:
        return offset >= self._line_start(at)

    def _behind(self, at: int) -> Landing:
        leaf = self._leaves[at]
        if _is_prose(leaf):
            return Landing(self._settled(self._in_prose(leaf.end, leaf), leaf))
        if leaf.kind == "delimiter" and at + 1 < len(self._leaves):
            cell = self._leaves[at + 1]
            # The next row begins where the delimiter row ends.
            if cell.kind == "cell" and cell.start <= leaf.end + 1:
                return Landing(cell.start)
        if at not in self._behind_blocks:
            self._behind_blocks[at] = self._behind_block(at, leaf)
        return self._behind_blocks[at]

    def _behind_block(self, at: int, block: Span) -> Landing:
        end = block.start + len(self._text[block.start : block.end].rstrip("\r\n"))
        # A block that its item or quote ends is closed inside of it: the item may go on in a list.
        head = line_head(self._text, self._line_start(at), block)
        closed = f"\n{head}{block.closer}" if block.closer else ""
        return Landing(end, f"{closed}\n{head.rstrip()}\n{head}", f"\n{head.rstrip()}")


def _is_prose(leaf: Span) -> bool:
    return leaf.kind in {"text", "heading", "cell"}
