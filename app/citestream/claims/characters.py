"""The class of each character: one letter of the table a code point.

Lives here: how a text becomes a string of class letters, as long as the text, so that all rules
are short patterns over letters. Must not know sentences, lines or claims.
"""

import re
from bisect import bisect_right
from typing import Final, NamedTuple

from citestream.claims.unicode_classes import CLASSES, DEFAULT

WHITE: Final = "snr"
"""White_Space."""
EXTEND: Final = "xy"
"""Extend and Format: they belong to the character before them (SB5)."""
LOWER: Final = "lm"
UPPER: Final = "uv"
OTHER_LETTER: Final = "op"
NUMERIC: Final = "defg"
CLOSE: Final = '")}'
DIGIT: Final = "d"
WORD: Final = "luyodg2"
"""Letters and numbers (categories L and N)."""
PUNCTUATION: Final = 'pf.!,");'
"""Category P."""
NO_WORD: Final = "".join({*CLASSES, DEFAULT} - {*WORD})
SIGNS: Final = "".join({*NO_WORD} - {*WHITE})
"""What is neither a letter, a number nor white space."""


def _ranges() -> list[tuple[int, int, str]]:
    ends = [
        (piece.partition("-"), letter)
        for letter, points in CLASSES.items()
        for piece in points.split()
    ]
    return sorted(
        (int(first, 16), int(last or first, 16), letter) for (first, _, last), letter in ends
    )


_RANGES: Final = _ranges()
_REMEMBERED: Final = 0x10000
"""As many code points as one plane has; a text of all planes may not fill the memory for good."""
_FIRST: Final = [first for first, _, _ in _RANGES]


class _Letters(dict[int, str]):
    """A table for ``str.translate`` that remembers each code point it was asked for."""

    def __missing__(self, point: int) -> str:
        _, last, letter = _RANGES[max(bisect_right(_FIRST, point) - 1, 0)]
        letter = letter if _FIRST[0] <= point <= last else DEFAULT
        if len(self) < _REMEMBERED:
            self[point] = letter
        return letter


_LETTERS: Final = _Letters()


def classify(text: str) -> str:
    """Return the class letters of ``text``, one for each code point."""
    return text.translate(_LETTERS)


def digit_value(character: str) -> int:
    """Return the value of a decimal digit of any script.

    Digits of one script are ten code points in a row, from zero on (Unicode 4.6).
    """
    first, _, _ = _RANGES[bisect_right(_FIRST, ord(character)) - 1]
    return (ord(character) - first) % 10


class Passage(NamedTuple):
    """A piece of a longer text."""

    text: str
    letters: str
    """Its class letters."""
    base: int
    """Code points of the whole text before index 0."""


def run_end(pattern: re.Pattern[str], text: str, at: int, stop: int) -> int:
    """Return where the run of ``pattern``, which may be empty, ends."""
    run = pattern.match(text, at, stop)
    return run.end() if run else at
