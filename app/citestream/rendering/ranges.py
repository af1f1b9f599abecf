"""Ranges of a text that do not overlap, asked for by place.

Must not know what they are ranges of.
"""

from bisect import bisect_right
from collections.abc import Iterable
from heapq import merge

Range = tuple[int, int]


class Ranges:
    """Answers in logarithmic time which range holds a place."""

    def __init__(self, *ordered: Iterable[Range]) -> None:
        """Take ranges in any number of collections, each in text order."""
        # No call to `sorted`: one on a million ranges would keep the interpreter's lock.
        self.ranges = list(merge(*ordered))
        self.starts = [start for start, _ in self.ranges]

    def holding(self, position: int) -> Range | None:
        """Return the range that the character at ``position`` belongs to."""
        at = bisect_right(self.starts, position) - 1
        return self.ranges[at] if at >= 0 and position < self.ranges[at][1] else None


class Runs:
    """Finds runs of one sign, or of white space, in a text.

    Each run is read once and remembered, so that many questions about one long run stay cheap and a
    text without questions costs nothing.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        self._ends: list[int] = []

    def holding(self, position: int) -> Range | None:
        """Return the run that the character at ``position`` belongs to; None outside the text."""
        text = self._text
        if not 0 <= position < len(text):
            return None
        at = bisect_right(self._starts, position) - 1
        if at >= 0 and position < self._ends[at]:
            return self._starts[at], self._ends[at]
        start, end = position, position + 1
        if text[position].isspace():
            while start and text[start - 1].isspace():
                start -= 1
            while end < len(text) and text[end].isspace():
                end += 1
        else:
            sign = text[position]
            while start and text[start - 1] == sign:
                start -= 1
            while end < len(text) and text[end] == sign:
                end += 1
        if end - start > 1:
            self._starts.insert(at + 1, start)
            self._ends.insert(at + 1, end)
        return start, end

    def unescaped(self, position: int, signs: str) -> Range | None:
        """Return the run of one of ``signs`` at ``position``, without a first one that a backslash
        escapes.
        """
        if not 0 <= position < len(self._text) or self._text[position] not in signs:
            return None
        found = self.holding(position)
        if found is None:
            return None
        start, end = found
        start += self.is_escaped(start)
        return (start, end) if start <= position else None

    def is_escaped(self, position: int) -> bool:
        """Tell whether an odd number of backslashes is right before ``position``."""
        if self._text[position - 1 : position] != "\\":
            return False
        before = self.holding(position - 1)
        return before is not None and (position - before[0]) % 2 == 1
