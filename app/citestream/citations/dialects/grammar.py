"""Short markers written as regular expressions: the whole marker, and every beginning of one.

Lives here: pieces of a grammar that know both, so that no dialect writes its syntax twice. Must not
know what a marker means, nor streams.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from citestream.citations.dialects.dialect import FAILED, OPEN, Recogniser

CONTROLS: Final = "\\x00-\\x1f\\x7f-\\x9f"
"""Category Cc, for the inside of a character class."""


class Piece(NamedTuple):
    """A piece of a grammar as two regular expressions."""

    whole: str
    begun: str
    """What any beginning of it matches, the empty one included."""


def word(text: str) -> Piece:
    """Return the piece that is exactly ``text``."""
    begun = ""
    for character in reversed(text):
        begun = f"(?:{re.escape(character)}{begun})?"
    return Piece(re.escape(text), begun)


def run(characters: str, least: int, most: int | None = None) -> Piece:
    """Return ``least`` to ``most`` characters of a class, which is written without brackets."""
    upper = "" if most is None else most
    return Piece(f"[{characters}]{{{least},{upper}}}", f"[{characters}]{{0,{upper}}}")


def all_of(*pieces: Piece) -> Piece:
    """Return the pieces one after another."""
    begun = ""
    for piece in reversed(pieces):
        begun = f"(?:(?:{piece.whole}){begun}|(?:{piece.begun}))" if begun else f"(?:{piece.begun})"
    return Piece("".join(f"(?:{piece.whole})" for piece in pieces), begun)


def one_of(*pieces: Piece) -> Piece:
    """Return any of the pieces, the first that fits."""
    return Piece(
        "|".join(f"(?:{piece.whole})" for piece in pieces),
        "|".join(f"(?:{piece.begun})" for piece in pieces),
    )


def repeated(piece: Piece, least: int = 0, most: int | None = None) -> Piece:
    """Return ``least`` to ``most`` of a piece."""
    upper = "" if most is None else most
    before = "" if most is None else most - 1
    return Piece(
        f"(?:{piece.whole}){{{least},{upper}}}",
        f"(?:{piece.whole}){{0,{before}}}(?:{piece.begun})",
    )


BLANKS: Final = run(" ", 0)


class Grammar:
    """The markers of a dialect: their form, their greatest length, and how each can be ended."""

    __slots__ = ("_accepts", "_begun", "_closer", "_endings", "_longest_ending", "bound", "whole")

    def __init__(
        self,
        marker: Piece,
        bound: int,
        endings: Iterable[str],
        accepts: Callable[[str], bool] = bool,
    ) -> None:
        self.whole = re.compile(marker.whole)
        self._begun = re.compile(marker.begun)
        self.bound = bound
        # The shortest texts that end a marker from wherever it may have been left.
        self._endings = tuple(endings)
        self._closer = self._endings[0][-1]  # what every marker ends with
        self._longest_ending = max(map(len, self._endings))
        # What a whole marker has to meet beside its form.
        self._accepts = accepts

    def length(self, text: str, at: int) -> int:
        """Return OPEN, FAILED, or the length of the whole marker at ``at``."""
        limit = at + self.bound
        ends = text.find(self._closer, at, limit) >= 0
        whole = self.whole.match(text, at, limit) if ends else None
        if whole:
            return whole.end() - at if self._accepts(whole[0]) else FAILED
        if len(text) >= limit or not self._begun.fullmatch(text, at):
            return FAILED
        # Only near its bound it matters how a candidate may end.
        if limit - len(text) > self._longest_ending or self._fits(text[at:]):
            return OPEN
        return FAILED

    def _fits(self, candidate: str) -> bool:
        """Tell whether the candidate can still be ended within the bound."""
        left = self.bound - len(candidate)
        return any(
            self.whole.fullmatch(candidate + ending) and self._accepts(candidate + ending)
            for ending in self._endings
            if len(ending) <= left
        )


class GrammarRecogniser(Recogniser):
    """Follows candidates of a grammar; each reading begins anew, as its bound is small."""

    __slots__ = ()

    grammar: Grammar
    usual: re.Pattern[str]
    """What most markers look like, or their beginnings: up to the end of the text, or to that of
    the marker (group 1). It decides what :attr:`grammar` would, in a fraction of the time."""
    spare: int = 0
    """How many word characters are sure to follow on a beginning that is usual."""

    def advance(self, text: str, at: int) -> int:
        """Return what the grammar makes of the candidate."""
        usual = self.usual.match(text, at)
        if usual:
            if usual[1]:
                return usual.end() - at
            self.room = self.spare
            return OPEN
        self.room = 0
        return self.grammar.length(text, at)
