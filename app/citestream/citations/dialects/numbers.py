"""The dialect ``numbers``: ``[1]``, ``[^1]``, ``[1, 2]``, where Markdown does not own the bracket.

Lives here: the grammar, and what may be on either side of it. Must not know text, offsets or
streams.
"""

import re
from typing import Any, Final

from citestream.citations.dialects.dialect import FAILED, Before, Known, Marker, Recogniser, only
from citestream.citations.dialects.grammar import (
    BLANKS,
    Grammar,
    GrammarRecogniser,
    all_of,
    repeated,
    run,
    word,
)
from citestream.citations.snapping import WHITE_SPACE

MAX_MARKER: Final = 64
"""Code points of a marker at most."""

_NUMBER: Final = all_of(
    BLANKS, repeated(word("^"), 0, 1), run("1-9", 1, 1), run("0-9", 0, 3), BLANKS
)
_GRAMMAR: Final = Grammar(
    all_of(word("["), _NUMBER, repeated(all_of(word(","), _NUMBER)), word("]")),
    MAX_MARKER,
    endings=("]", "1]"),
)
# A small letter alone is a name that has an index.
_OWNED: Final = re.compile(f"[!\\\\\\[]\\Z|(?:^|[({WHITE_SPACE}])[a-z]\\Z")
_DIGITS: Final = re.compile("[0-9]+")


class _NumbersRecogniser(GrammarRecogniser):
    __slots__ = ("_bracket_end", "_in_prefix", "_known", "_place", "kept")

    grammar = _GRAMMAR
    heads = ("[",)
    asks_before = True
    asks_after = True

    def __init__(self, known: Known, *, kept: bool) -> None:
        super().__init__()
        self.kept = kept
        self._known = known
        # Where the candidate begins in the raw text, and whether in the prefix of its line; where
        # the last bracket of numbers ended that Markdown does not own.
        self._place = 0
        self._in_prefix = False
        self._bracket_end = -1

    def may_begin(self, before: Before) -> bool:
        self._place, self._in_prefix = before.place, before.in_prefix
        if before.last.endswith("]"):
            return self._bracket_end == before.place
        return not _OWNED.search(before.last)

    def advance(self, text: str, at: int) -> int:
        length = super().advance(text, at)
        if length > 0:
            self._bracket_end = self._place + length
            if not all(map(self._known, _DIGITS.findall(text, at, at + length))):
                return FAILED
        return length

    def may_end(self, after: str) -> bool:
        return after != "(" and not (after == ":" and self._in_prefix)

    def marker(self, text: str, at: int, end: int) -> Marker:
        return Marker(only(_DIGITS.findall(text, at, end)), kept=self.kept, numbered=True)

    def state(self) -> Any:
        return [self._place, self._in_prefix, self._bracket_end]

    def recall(self, state: Any) -> None:
        self._place, self._in_prefix, self._bracket_end = state


class _Numbers:
    name: Final = "numbers"
    stray_signs: Final = ""

    def __init__(self, *, kept: bool) -> None:
        self._kept = kept

    def recogniser(self, known: Known) -> Recogniser:
        return _NumbersRecogniser(known, kept=self._kept)


NUMBERS: Final = _Numbers(kept=True)
"""Markers stay in the text."""
STRIPPED_NUMBERS: Final = _Numbers(kept=False)
"""Markers are removed from it."""
