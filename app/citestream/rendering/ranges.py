"""Ranges of a text that do not overlap, asked for by place.

Must not know what they are ranges of.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence


class Ranges:
    """Answers in logarithmic time which range holds, begins or ends at a place."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.ranges: Sequence[tuple[int, int]] = sorted(ranges)
        self.starts = [start for start, _ in self.ranges]

    def holding(self, position: int) -> tuple[int, int] | None:
        """Return the range that the character at ``position`` belongs to."""
        at = bisect_right(self.starts, position) - 1
        return self.ranges[at] if at >= 0 and position < self.ranges[at][1] else None

    def beginning(self, position: int) -> tuple[int, int] | None:
        """Return the range that begins at ``position``."""
        found = self.holding(position)
        return found if found and found[0] == position else None

    def ending(self, position: int) -> tuple[int, int] | None:
        """Return the range that ends at ``position``."""
        found = self.holding(position - 1)
        return found if found and found[1] == position else None
