"""Where a marker may stand in a Markdown text: at its offset, or right behind what hides it.

A marker never stands inside a code span, a fence, a link, a tag, a table's delimiter row or an
escape, and its insertion changes no block. Must not know what the marker looks like.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from citestream.markdown import Span, Structure, line_head


class OffsetError(ValueError):
    """An offset lies outside its text; ``field`` names it and ``limit`` is the text's length."""

    def __init__(self, field: str, limit: int) -> None:
        super().__init__(f"{field}: 0 to {limit} code points, the length of the text")
        self.field = field
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Landing:
    """A place for a marker: code point ``at``, and what goes ``before`` and ``behind`` it there.

    Both are empty inside prose. Behind a block the marker is a paragraph of its own.
    """

    at: int
    before: str = ""
    behind: str = ""


_MAX_ENTITY: Final = 40
_ENTITY: Final = re.compile(rf"&#?[0-9A-Za-z]{{1,{_MAX_ENTITY}}};")
_BACKSLASHES: Final = re.compile(r"\\+")
_WHITE: Final = re.compile(r"\s*+")
# A run of one of these signs opens or closes code or emphasis as a whole.
_DELIMITERS: Final = re.compile(r"`{2,}|\*{2,}|_{2,}|~{2,}")


class Landings:
    """Finds the landing of any offset in one text, each in logarithmic time."""

    def __init__(
        self, text: str, structure: Structure, taken: Iterable[tuple[int, int]] = ()
    ) -> None:
        """``taken``: further ranges that a marker has to stand behind."""
        self._text = text
        self._leaves = sorted((*structure.prose, *structure.blocks), key=lambda leaf: leaf.start)
        self._starts = [leaf.start for leaf in self._leaves]
        self._containers = structure.containers
        self._container_starts = [span.start for span in structure.containers]
        self._atoms = Ranges((*((a.start, a.end) for a in structure.atoms), *taken))
        self._delimiters = Ranges(run.span() for run in _DELIMITERS.finditer(text))
        self._backslashes = Ranges(run.span() for run in _BACKSLASHES.finditer(text))
        self._behind_blocks: dict[int, Landing] = {}
        self._solid: dict[int, int] = {}

    def of(self, offset: int) -> Landing:
        """Return where a marker of this offset (code points, 0 to the text's length) stands."""
        at = bisect_right(self._starts, offset) - 1
        here = self._leaves[at] if at >= 0 else None
        if here and _is_prose(here) and offset <= here.end:
            return Landing(self._in_prose(offset, here))
        if here and offset == here.start:
            at -= 1
        return self._outside_prose(at, offset)

    def _in_prose(self, offset: int, line: Span) -> int:
        if atom := self._atoms.holding(offset - 1):
            return atom[1]
        if delimiters := self._delimiters.holding(offset - 1):
            return delimiters[1]
        sign = self._text.rfind("&", max(line.start, offset - _MAX_ENTITY - 2), offset)
        if sign >= 0 and (entity := _ENTITY.match(self._text, sign)) and entity.end() > offset:
            return entity.end()
        # A backslash right before a marker would escape it; before the backslash nothing breaks.
        run = self._backslashes.holding(offset - 1)
        return offset - 1 if run and (offset - run[0]) % 2 else offset

    def _outside_prose(self, at: int, offset: int) -> Landing:
        """Land an offset that no prose holds; leaf ``at`` is the last one that begins before."""
        if at >= 0 and (
            offset <= self._leaves[at].end or offset <= self._next_solid(at)
        ):  # in a block, or only white space behind it: what it follows is what it cites
            return self._behind(at)
        after = at + 1
        if after < len(self._leaves) and (at < 0 or self._same_line(offset, after)):
            leaf = self._leaves[after]
            return Landing(leaf.start) if _is_prose(leaf) else self._behind(after)
        if at >= 0:
            return self._behind(at)
        end = len(self._text.rstrip())
        return Landing(end, "\n\n") if end else Landing(0)

    def _next_solid(self, at: int) -> int:
        """Where the white space behind a leaf ends."""
        if at not in self._solid:
            white = _WHITE.match(self._text, self._leaves[at].end)
            self._solid[at] = white.end() if white else len(self._text)
        return self._solid[at]

    def _same_line(self, offset: int, at: int) -> bool:
        start = self._leaves[at].start
        return all(self._text.find(end, offset, start) < 0 for end in "\r\n")

    def _behind(self, at: int) -> Landing:
        leaf = self._leaves[at]
        if _is_prose(leaf):
            return Landing(self._in_prose(leaf.end, leaf))
        if leaf.kind == "delimiter" and at + 1 < len(self._leaves):
            cell = self._leaves[at + 1]
            if cell.start <= leaf.end + 1:  # the next row begins where the delimiter row ends
                return Landing(cell.start)
        if at not in self._behind_blocks:
            self._behind_blocks[at] = self._behind_block(leaf)
        return self._behind_blocks[at]

    def _behind_block(self, block: Span) -> Landing:
        end = block.start + len(self._text[block.start : block.end].rstrip("\r\n"))
        inner = bisect_right(self._container_starts, block.start) - 1
        contained = inner >= 0 and block.start < self._containers[inner].end
        if block.closer:
            # What is open in an item or a quote ends with it, and the marker stands behind that.
            return Landing(end, "\n\n" if contained else f"\n{block.closer}\n\n", "\n")
        head = line_head(self._text, block)
        return Landing(end, f"\n{head.rstrip()}\n{head}", f"\n{head.rstrip()}")


class Ranges:
    """Ranges that do not overlap, asked for the one that holds a character."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.ranges: Sequence[tuple[int, int]] = sorted(ranges)
        self.starts = [start for start, _ in self.ranges]

    def holding(self, position: int) -> tuple[int, int] | None:
        """Return the range that the character at ``position`` belongs to."""
        at = bisect_right(self.starts, position) - 1
        return self.ranges[at] if at >= 0 and position < self.ranges[at][1] else None


def _is_prose(leaf: Span) -> bool:
    return leaf.kind in {"text", "heading", "cell"}
