"""Where a marker may stand beside the signs of emphasis, so that formatting stays as it was.

Lives here: the flanking rules of CommonMark 6.2 for a text into which something is put. Must not
know what a marker looks like, only that it may begin and end with punctuation or with a letter.
"""

from collections.abc import Iterator
from typing import Final
from unicodedata import category

from citestream.markdown import Structure
from citestream.rendering.ranges import Range, Runs

_SIGNS: Final = "*_~"
_PUNCTUATION: Final = ")"
_LETTER: Final = "a"
_END: Final = "\n"


class Flanking:
    """Finds the place next to an offset where a marker changes no emphasis of one text."""

    def __init__(self, text: str, structure: Structure, runs: Runs, *, letters: bool) -> None:
        """``letters``: a marker may begin or end with a letter or digit, not with a bracket."""
        self._text = text
        self._runs = runs
        # The signs next to the words are the first to be used, so a run that closes emphasis begins
        # with its last signs, and one that opens ends with its first.
        self._closers = {e.end - e.width: e.start for e in structure.emphasis}
        self._openers = {e.start + e.width: e.end - 1 for e in structure.emphasis}
        self._edges = (_PUNCTUATION, _LETTER) if letters else (_PUNCTUATION,)

    def settle(self, at: int) -> int:
        """Return where a marker of place ``at`` stands: there, or at the other end of a run of
        signs beside it.

        At the inner edge of emphasis that is outside of it. ``at`` itself where no place keeps
        everything.
        """
        for place in self._places(at):
            if self._keeps(place):
                return place
        return at

    def literal_run(self, at: int) -> Range | None:
        """Return the run beside ``at`` that a marker would make emphasis, where ``settle`` found
        no place."""
        if self._keeps(at):
            return None
        for run in (self._beginning(at), self._ending(at)):
            if run and run[0] not in self._closers and run[1] not in self._openers:
                return run
        return None

    def _run(self, at: int) -> Range | None:
        return self._runs.unescaped(at, _SIGNS)

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
        behind, before = self._beginning(at), self._ending(at)
        return all(
            (not behind or self._stays(behind, edge, None))
            and (not before or self._stays(before, None, edge))
            for edge in self._edges
        )

    def _stays(self, run: Range, before: str | None, after: str | None) -> bool:
        """Tell whether a run does what it did when its neighbours become ``before``, ``after``."""
        start, end = run
        sign = self._text[start]
        old_before = self._text[start - 1] if start else _END
        old_after = self._text[end] if end < len(self._text) else _END
        old = _abilities(sign, old_before, old_after)
        opens, closes = new = _abilities(sign, before or old_before, after or old_after)
        if start not in self._closers and end not in self._openers:
            # Text that could open and close is kept apart by rule 9 alone.
            return new in (old, (False, False)) or (
                not all(old) and (old[0] or not opens) and (old[1] or not closes)
            )
        return (
            (opens or end not in self._openers)
            and (closes or start not in self._closers)
            and (all(old) == all(new) or self._pairs(run))
        )

    def _pairs(self, run: Range) -> bool:
        """Tell whether a run may open and close and is still paired as it is (rules 9 and 10).

        The lengths of the two runs must not add up to a multiple of 3, unless both are one.
        """
        start, end = run
        for other in (self._closers.get(start), self._openers.get(end)):
            partner = self._run(other) if other is not None else None
            if partner:
                lengths = end - start, partner[1] - partner[0]
                if sum(lengths) % 3 == 0 and lengths[0] % 3:
                    return False
        return True


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
