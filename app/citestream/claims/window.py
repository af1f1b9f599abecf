"""The piece of a growing text that may still be looked at.

Lives here: how text is joined, let go of and kept in a snapshot, and how brackets of numbers become
blanks. Must not know what is looked for in it.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from citestream.claims.characters import SIGNS, Passage, classify
from citestream.claims.sentences import LOOKBACK

MAX_BRACKET: Final = 64
"""Code points of a bracket of numbers at most."""
_NUMBER: Final = r" *\^?[1-9][0-9]{0,3} *"
_BRACKET: Final = re.compile(rf"\[{_NUMBER}(?:,{_NUMBER})*\]")
_DIGITS: Final = re.compile("[0-9]+")
_OPEN_BRACKET: Final = re.compile(rf"\[[ ,^0-9]{{0,{MAX_BRACKET - 2}}}\Z")


class Window:
    """The text from some place on, and how far it has been read.

    With ``numbers`` a bracket of numbers (``[1, 2]``) is blanks once it is whole.
    """

    def __init__(self, *, numbers: bool) -> None:
        self._numbers = numbers
        self._raw = ""
        self._fresh: list[str] = []
        self.passage = Passage("", "", 0)
        """The text, its brackets as blanks."""
        self.read = 0
        """The index up to which it has been read."""
        # How many more UTF-16 units and bytes of UTF-8 than code points there are before index 0,
        # and before the places that were kept.
        self._wider = (0, 0)
        self._kept: dict[int, tuple[int, int]] = {}

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        self._fresh.append(text)

    def join(self, first: int, places: Iterable[int] = ()) -> None:
        """Join what was fed to the text; let go of what is before index ``first``.

        Of ``places`` the :meth:`units` stay known.
        """
        if self._fresh:
            self._let_go(first, places)
            raw = self._raw[self.read :] + "".join(self._fresh)
            self._fresh.clear()
            self._extend(raw)

    def _let_go(self, first: int, places: Iterable[int]) -> None:
        text, letters, base = self.passage
        self._kept = {
            place: self._before(place)
            for place in places
            if base <= place < base + first or place in self._kept
        }
        self._wider = self._before(base + first)
        self.passage = Passage(text[first:], letters[first:], base + first)
        self._raw = self._raw[first:]
        self.read -= first

    def _extend(self, raw: str) -> None:
        """Set the text from where it has not been read yet."""
        text, letters, base = self.passage
        new = _BRACKET.sub(_blanks, raw) if self._numbers else raw
        self.passage = Passage(text[: self.read] + new, letters[: self.read] + classify(new), base)
        self._raw = self._raw[: self.read] + raw

    # -- looking -------------------------------------------------------------------------------

    def without_open_bracket(self, stop: int) -> int:
        """Return where a bracket of numbers begins that is open before ``stop``, else ``stop``."""
        if not self._numbers:
            return stop
        found = _OPEN_BRACKET.search(self._raw, max(self.read, stop - MAX_BRACKET), stop)
        return found.start() if found else stop

    def before_bracket(self, place: int, number: str) -> int:
        """Return where the bracket with ``number`` begins that only signs part from ``place``.

        That is ``place`` where there is none.
        """
        base = self.passage.base
        start = self._raw.rfind("[", self.read, place - base)
        found = _BRACKET.match(self._raw, start, place - base) if start >= 0 else None
        if not found or number not in _DIGITS.findall(found[0]):
            return place
        after = classify(self._raw[found.end() : place - base])
        return place if after.strip(SIGNS) else base + start

    def settled(self) -> int:
        """Return the index before which no marker can be that is still to settle.

        It waits at most for the end of the punctuation after it; a kept number is a bracket before
        that.
        """
        settled = len(self.passage.letters.rstrip(SIGNS))
        return self.without_open_bracket(settled - (MAX_BRACKET if self._numbers else 0))

    def rest(self, first: int, stop: int) -> Passage:
        """Return the text up to ``stop``, that from ``first`` on as it is, and some before it."""
        text, letters, base = self.passage
        begin = max(0, first - LOOKBACK)
        rest = self._raw[first:stop]
        return Passage(
            text[begin:first] + rest, letters[begin:first] + classify(rest), base + begin
        )

    def between(self, start: int, end: int) -> str:
        """Return the text between two places of it, unread brackets as they are."""
        text, _, base = self.passage
        read = max(start - base, self.read)
        return (text[start - base : read] + self._raw[read:])[: max(end - start, 0)]

    def units(self, place: int) -> tuple[int, int]:
        """Return how many UTF-16 units and bytes of UTF-8 are before a place."""
        wide, bytes_ = self._before(place)
        return place + wide, place + bytes_

    def _before(self, place: int) -> tuple[int, int]:
        if place in self._kept:
            return self._kept[place]
        text = self._raw[: place - self.passage.base]
        if text.isascii():
            return self._wider
        wide = len(text.encode("utf-16-le")) // 2 - len(text)
        return self._wider[0] + wide, self._wider[1] + len(text.encode()) - len(text)

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self, first: int, places: Iterable[int]) -> list[Any]:
        """Return the state from index ``first`` on as a JSON value."""
        self._let_go(first, places)
        text, _, base = self.passage
        kept = [[place, *wider] for place, wider in self._kept.items()]
        return [text[: self.read], self._raw[self.read :], base, *self._wider, kept]

    @classmethod
    def restore(cls, state: list[Any], *, numbers: bool) -> "Window":
        """Return the window that :meth:`snapshot` was taken of."""
        window = cls(numbers=numbers)
        text, rest, base, wide, bytes_, kept = state
        window.passage = Passage(text, classify(text), base)
        window._raw = text  # as wide as it was, and nothing else of it is asked for
        window.read = len(text)
        window._extend(rest)
        window._wider = wide, bytes_
        window._kept = {place: (one, other) for place, one, other in kept}
        return window


def _blanks(bracket: re.Match[str]) -> str:
    length = len(bracket[0])
    return " " * length if length <= MAX_BRACKET else bracket[0]
