"""Which words a citation covers, found while the clean text grows.

Lives here: the claim of a marker, from the text before it alone. Must not know marker syntax, parts
or streams.

The text is read once, from one marker to the next, and what is before a marker is kept only as
places: where its line and its sentence began, where the last letter is, where the marker before
it is. So a claim costs no more than the text since the last one, however long the line is.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from typing import Any, Final, NamedTuple

from citestream.claims.characters import WHITE, run_end
from citestream.claims.checking import MAX_CLAIM
from citestream.claims.reading import Reading
from citestream.claims.sentences import LOOKBACK
from citestream.claims.window import Window

_WHITE: Final = re.compile(f"[{WHITE}]*")


class Claim(NamedTuple):
    """The words that a citation covers: code points of the clean text."""

    start: int
    end: int


class ClaimTracker:
    """Finds the claim of each marker of one answer, in text order.

    ``feed`` takes the clean text, cut anywhere; ``claim`` is asked once for each marker, at places
    that never go down. With ``numbers`` brackets of numbers (``[1, 2]``) count as white space. With
    ``words`` the tracker keeps what it needs of the text to return the words of a claim, with
    ``units`` what it needs to return its places in other units.
    """

    def __init__(self, *, numbers: bool = False, words: bool = False, units: bool = False) -> None:
        self._keeps_words = words
        self._keeps_units = units
        self._window = Window(numbers=numbers)
        self._reading = Reading()
        # The latest marker and its claim; where a claim may begin because of the latest marker that
        # has words after it.
        self._offset = -1
        self._claim = Claim(0, 0)
        self._bound = 0
        # Where signs that say a claim have opened, each with the first visible character there, -1
        # if none has come yet; and the latest of these claims, as it was said and without blanks.
        self._opened: dict[int, int] = {}
        self._said = (-1, -1)
        self._trimmed = Claim(0, 0)

    def feed(self, text: str) -> None:
        """Take the next piece of the clean text."""
        self._window.feed(text)

    def open(self, places: Iterable[int]) -> None:
        """Take notice of the places from which on a claim may be said, after each piece of text.

        From each of them on the text is kept until it is no longer among them.
        """
        self._opened = {place: self._opened.get(place, -1) for place in places}

    def claim(
        self, offset: int, *, kept: str | None = None, said: tuple[int, int] | None = None
    ) -> Claim:
        """Return the claim of the marker at ``offset``, a place of the text that was fed.

        ``kept`` is the number of a marker that may itself be part of the text: then it is the
        bracket before the offset. ``said`` is the claim that the marker says, from one of the
        places of :meth:`open` on; white space at its ends does not count.
        """
        self._join()
        place = self._window.before_bracket(offset, kept) if kept else offset
        if said:
            trimmed = self._trim(said)
        reading = self._up_to(place)
        claim = _worded(reading, *trimmed) if said else self._find(reading)
        if reading.content >= self._offset >= 0:
            self._bound = reading.skip
        self._offset, self._claim = offset, claim
        self._reading.skip, self._reading.skipping = offset, True
        return claim

    def words(self, claim: Claim) -> str:
        """Return the words of the claim found last; of a long one its last 2,001 code points.

        Brackets of numbers are blanks in it. Needs a tracker that was made with ``words``.
        """
        return self._window.between(max(claim.start, claim.end - MAX_CLAIM - 1), claim.end)

    def units(self, place: int) -> tuple[int, int]:
        """Return how many UTF-16 units and bytes of UTF-8 are before an end of the last claim.

        Needs a tracker that was made with ``units``.
        """
        return self._window.units(place)

    # -- claims --------------------------------------------------------------------------------

    def _find(self, reading: Reading) -> Claim:
        line, end, content = reading.line, reading.visible, reading.content
        if not line:
            return self._claim
        block, sentence = line.block, line.sentence.current()
        if line.row and block == end:  # directly after a bar
            end, content = line.solid, line.solid_content
            block, sentence = line.row_block, line.solid_start
        parted = content >= self._offset
        if self._offset >= 0 and not parted and self._offset >= min(line.begin, end):
            return self._claim
        marker = reading.skip if parted and self._offset >= 0 else self._bound
        return _worded(reading, min(max(block, sentence, marker), end), end)

    def _trim(self, said: tuple[int, int]) -> Claim:
        """Return what was said without white space at its ends."""
        if said != self._said:
            start, end = said
            end = max(start, min(self._up_to(end).visible, end))
            self._see_opened()
            first = self._opened.get(start, start)
            if first < 0:  # all that is visible there may be a bracket that is still open
                first = max(start, self._window.read + self._window.passage.base)
            self._said = said
            self._trimmed = Claim(min(first, end), end)
        return self._trimmed

    def _see_opened(self) -> None:
        """Find the first visible character at the places that are open."""
        if not self._opened:
            return
        _, letters, base = self._window.passage
        stop = self._window.without_open_bracket(len(letters))
        for place, first in self._opened.items():
            if first < 0:
                at = run_end(_WHITE, letters, place - base, stop)
                self._opened[place] = base + at if at < stop else -1

    # -- reading -------------------------------------------------------------------------------

    def _up_to(self, place: int) -> Reading:
        """Read the text before ``place``; return what is known there."""
        window = self._window
        stop = max(place - window.passage.base, window.read)
        sure = window.without_open_bracket(stop)
        self._read(sure)
        newest = self._reading.next or self._reading.line
        if sure == stop and not (newest and newest.in_prefix):
            return self._reading
        reading = self._reading.copy()
        if sure < stop:
            passage = window.rest(sure, stop)
            end = len(passage.text)
            reading.read(passage, end - (stop - sure), end, last=True)
        elif reading.line and not reading.next:
            reading.line.feed(window.passage, stop, stop, reading.content, last=True)
        return reading

    def _read(self, stop: int) -> None:
        self._reading.read(self._window.passage, self._window.read, stop)
        self._window.read = max(stop, self._window.read)

    def _join(self) -> None:
        self._see_opened()
        self._window.join(self._first_kept(), self._places())

    def _first_kept(self) -> int:
        """Return the index of the first character that may be looked at again."""
        base = self._window.passage.base
        places = [self._window.read + base - LOOKBACK]
        places += [place for place, first in self._opened.items() if first < 0]
        if self._keeps_words and self._reading.line:
            begin, end, content = self._reading.words_kept()
            begin = min([begin, *self._opened])
            if content < self._offset:  # the next marker may share the claim of this one
                begin, end = min(begin, self._claim.start), min(end, self._claim.end)
            places.append(max(begin, end - MAX_CLAIM - 1))
        return max(0, min(places) - base)

    def _places(self) -> Iterator[int]:
        """Yield the places that may be an end of a claim to come."""
        if self._keeps_units:
            yield from self._reading.places()
            yield from (self._bound, *self._claim, *self._said, *self._trimmed)
            yield from self._opened
            yield from self._opened.values()

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> list[Any]:
        """Return the state as a small JSON value."""
        self._join()
        self._read(max(self._window.settled(), self._window.read))
        return [
            self._window.snapshot(self._first_kept(), self._places()),
            astuple(self._reading),
            [self._offset, *self._claim, self._bound, *self._said, *self._trimmed],
            list(self._opened.items()),
        ]

    @classmethod
    def restore(
        cls, state: list[Any], *, numbers: bool = False, words: bool = False, units: bool = False
    ) -> "ClaimTracker":
        """Return a tracker that goes on where :meth:`snapshot` was taken, made with the same."""
        tracker = cls(numbers=numbers, words=words, units=units)
        window, reading, places, opened = state
        tracker._window = Window.restore(window, numbers=numbers)
        tracker._reading = Reading.restore(reading)
        tracker._offset, start, end, tracker._bound, *said = places
        tracker._claim = Claim(start, end)
        tracker._said, tracker._trimmed = (said[0], said[1]), Claim(said[2], said[3])
        tracker._opened = dict(opened)
        return tracker


def _worded(reading: Reading, start: int, end: int) -> Claim:
    """Return the claim, an empty one where it holds no letter and no number."""
    return Claim(start if start <= reading.word else end, end)
