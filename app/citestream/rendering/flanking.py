"""Where a marker may be put beside the signs of emphasis, so that formatting stays as it was.

Lives here: the flanking rules of CommonMark 6.2 for a text into which something is put. What a run
of signs does follows from its length, from whether it can open and close, and from the runs of its
sign before it; so a run that can do what it could does what it did. One that can do other things
does the same only where the reasons below say so. Must not know what a marker looks like, only that
it may begin and end with punctuation or with a letter.
"""

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import category

from citestream.markdown import Structure
from citestream.rendering.ranges import Range, Runs

SIGNS: Final = "*_~"
_PUNCTUATION: Final = ")"
_LETTER: Final = "a"
_END: Final = "\n"
_LONGEST: Final = 2_000
"""Code points of emphasis that is looked through for other runs; in longer emphasis a marker is put
only where no run can do anything new."""


class Flanking:
    """Finds the place next to an offset where a marker changes no emphasis of one text.

    It remembers where markers were put: two beside one run act together.
    """

    def __init__(self, text: str, structure: Structure, runs: Runs, *, letters: bool) -> None:
        """``letters``: a marker may begin or end with a letter or digit, not with a bracket."""
        self._text = text
        self._runs = runs
        # The signs next to the words are the first to be used, so a run that closes emphasis begins
        # with its last signs, and one that opens ends with its first.
        self._closers = {e.end - e.width: e.start for e in structure.emphasis}
        self._openers = {e.start + e.width: e.end - 1 for e in structure.emphasis}
        self._used = {
            at
            for e in structure.emphasis
            for at in (*range(e.start, e.start + e.width), *range(e.end - e.width, e.end))
        }
        self._edges = (_PUNCTUATION, _LETTER) if letters else (_PUNCTUATION,)
        self._put: set[int] = set()
        self._settled: dict[int, int | None] = {}

    def settle(self, at: int) -> int | None:
        """Return where a marker of place ``at`` is put: there, or at the other end of a run of
        signs beside it. None where no such place keeps everything.

        At the inner edge of emphasis the other end is outside of it.
        """
        if at not in self._settled:
            self._settled[at] = next(filter(self._keeps, self._places(at)), None)
        place = self._settled[at]
        if place is not None:
            self._put.add(place)
        return place

    def literal_run(self, at: int) -> Range | None:
        """Return the run beside ``at`` that is text and that a marker there could make emphasis."""
        for run in (self._beginning(at), self._ending(at)):
            if run and self._used.isdisjoint(range(*run)) and not self._keeps(at):
                return run
        return None

    def _run(self, at: int) -> Range | None:
        return self._runs.unescaped(at, SIGNS)

    def _beginning(self, at: int) -> Range | None:
        run = self._run(at)
        return run if run and run[0] == at else None

    def _ending(self, at: int) -> Range | None:
        run = self._run(at - 1)
        return run if run and run[1] == at else None

    def _places(self, at: int) -> Iterator[int]:
        yield at
        behind, before = self._beginning(at), self._ending(at)
        if behind:
            yield behind[1]
        if before:
            yield before[0]

    def _keeps(self, at: int) -> bool:
        runs = [run for run in (self._beginning(at), self._ending(at)) if run]
        return all(
            self._stays(run, before, after)
            for run in runs
            for before in self._neighbours(run[0], at, self._text[run[0] - 1 : run[0]])
            for after in self._neighbours(run[1], at, self._text[run[1] : run[1] + 1])
        )

    def _neighbours(self, edge: int, at: int, now: str) -> tuple[str, ...]:
        """Return what may be beside a run at its ``edge`` when a marker is put at ``at``."""
        return self._edges if edge == at or edge in self._put else (now or _END,)

    def _stays(self, run: Range, before: str, after: str) -> bool:
        """Tell whether a run does what it did when its neighbours become ``before``, ``after``."""
        start, end = run
        sign = self._text[start]
        was_before, was_after = self._text[start - 1 : start] or _END, self._text[end : end + 1]
        could = _abilities(sign, was_before, was_after or _END)
        can = _abilities(sign, before, after)
        if can == could:
            return True
        if self._used.isdisjoint(range(start, end)):
            # Text that could open and close may be kept apart by the rule of 3 alone.
            return can == (False, False) or (
                not all(could) and (could[0] or not can[0]) and (could[1] or not can[1])
            )
        closes, opens = start in self._closers, end in self._openers
        other = self._closers.get(start) if closes else self._openers.get(end)
        if closes == opens or other is None or not (can[1] if closes else can[0]):
            return False
        if opens and can[1] and not could[1]:
            return False  # it might close what an earlier run opens
        return self._is_simple(run, other)

    def _is_simple(self, run: Range, other: int) -> bool:
        """Tell whether a run and its partner at ``other`` have no other to turn to.

        So it is when each run of the sign from one to the other is used up, and when the lengths of
        the two do not add up to a multiple of 3, or are both one (rules 9 and 10).
        """
        partner = self._run(other)
        if partner is None:
            return False
        first, last = min(run, partner), max(run, partner)
        lengths = run[1] - run[0], partner[1] - partner[0]
        if last[1] - first[0] > _LONGEST or (sum(lengths) % 3 == 0 and lengths[0] % 3):
            return False
        signs = re.compile(re.escape(self._text[run[0]])).finditer(self._text, first[0], last[1])
        return all(
            sign.start() in self._used or self._runs.is_escaped(sign.start()) for sign in signs
        )


def _abilities(sign: str, before: str, after: str) -> tuple[bool, bool]:
    """Tell whether a run of ``sign`` can open and can close emphasis between two characters."""
    white_before, white_after = _is_white(before), _is_white(after)
    punctuation_before, punctuation_after = _is_punctuation(before), _is_punctuation(after)
    left = not white_after and (not punctuation_after or white_before or punctuation_before)
    right = not white_before and (not punctuation_before or white_after or punctuation_after)
    if sign == "_":
        return left and (not right or punctuation_before), right and (not left or punctuation_after)
    return left, right


def _is_white(sign: str) -> bool:
    return sign in "\t\n\f\r" or category(sign) == "Zs"


def _is_punctuation(sign: str) -> bool:
    return category(sign)[0] in "PS"
