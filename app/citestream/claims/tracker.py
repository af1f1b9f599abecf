"""Which words a citation covers, found while the clean text grows.

Lives here: the claim of a marker, from the text before it alone. Must not know marker syntax, parts
or streams.

The text is read once, from one marker to the next, and what is behind a marker is kept only as
places: where its line and its sentence began, where the last letter stood, where the marker before
it stood. So a claim costs no more than the text since the last one, however long the line is.
"""

import re
from dataclasses import astuple, dataclass, replace
from typing import Any, Final, NamedTuple

from citestream.claims.characters import (
    DIGIT,
    NO_WORD,
    PUNCTUATION,
    SIGNS,
    WHITE,
    Passage,
    classify,
)
from citestream.claims.checking import MAX_CLAIM
from citestream.claims.lines import Line
from citestream.claims.sentences import LOOKBACK

MAX_BRACKET: Final = 64
"""Code points of a bracket of numbers at most."""
_NUMBER: Final = r" *\^?[1-9][0-9]{0,3} *"
_BRACKET: Final = re.compile(rf"\[{_NUMBER}(?:,{_NUMBER})*\]")
_OPEN_BRACKET: Final = re.compile(rf"\[[ ,^0-9]{{0,{MAX_BRACKET - 2}}}\Z")
_WHITE: Final = re.compile(f"[{WHITE}]*")
_PASSED: Final = re.compile(f"[{WHITE})]*")


class Claim(NamedTuple):
    """The words that a citation covers: code points of the clean text."""

    start: int
    end: int


@dataclass(slots=True)
class _Reading:
    """What is known of the text read so far; all places are code points of the text."""

    line: Line | None = None
    """The line of the last visible character."""
    next: Line | None = None
    """A line behind that one, in which nothing visible stands yet."""
    visible: int = 0
    """The place behind the last visible character."""
    content: int = -1
    """The last character that is neither white space nor punctuation."""
    word: int = -1
    """The last letter or number."""
    skip: int = 0
    """Behind the latest marker: where a claim may begin at the earliest."""
    skipping: bool = False

    def copy(self) -> "_Reading":
        return replace(
            self, line=self.line and self.line.copy(), next=self.next and self.next.copy()
        )

    def read(self, passage: Passage, at: int, stop: int, *, last: bool = False) -> None:
        """Read from index ``at`` to ``stop``; with ``last`` as if the text ended there."""
        while at < stop:
            at = self._read_line(passage, at, stop, last=last)

    def _read_line(self, passage: Passage, at: int, stop: int, *, last: bool) -> int:
        letters, base = passage.letters, passage.base
        visible = at + len(letters[at:stop].rstrip(WHITE))
        if visible == at:
            self._read_white(passage, at, stop, last=last)
            return stop
        if self.skipping:  # the lines one by one, until something ends it
            first = _end(_WHITE, letters, at, stop)
            end = letters.find("r", first, visible)
            visible = end if end >= 0 else visible
            begin = letters.rfind("r", at, first) + 1
        else:
            begin = letters.rfind("r", at, visible) + 1
        if begin:
            self._pass(passage, at, begin, row=False)
            self._note(letters, at, begin, base)
            line, at = Line.at(base + begin, self.content), begin
        else:
            line = self.next or self.line or Line.at(base + at, -1)
        self.line, self.next = line, None
        line.feed(passage, at, visible, self.content, last=last and visible == stop)
        self._pass(passage, at, visible, row=line.row)
        self._note(letters, at, visible, base)
        return visible

    def _read_white(self, passage: Passage, at: int, stop: int, *, last: bool) -> None:
        begin = passage.letters.rfind("r", at, stop) + 1
        self._pass(passage, at, stop, row=False)
        if begin:
            if self.line and not self.next:
                end = passage.letters.find("r", at, stop)
                self.line.feed(passage, at, end, self.content, last=True)
            self.next, at = Line.at(passage.base + begin, self.content), begin
        line = self.next or self.line
        if not line:
            line = self.next = Line.at(passage.base + at, -1)
        line.feed(passage, at, stop, self.content, last=last)

    def _note(self, letters: str, at: int, stop: int, base: int) -> None:
        piece = letters[at:stop].rstrip(WHITE)
        if not piece:
            return
        self.visible = base + at + len(piece)
        if content := len(piece.rstrip(WHITE + PUNCTUATION)):
            self.content = base + at + content - 1
        if word := len(piece.rstrip(NO_WORD)):
            self.word = base + at + word - 1

    def _pass(self, passage: Passage, at: int, stop: int, *, row: bool) -> None:
        """Go on from the latest marker over what parts its claim from the next one."""
        if not self.skipping:
            return
        text, letters, base = passage
        at = max(at, self.skip - base)
        while at < stop:
            at = _end(_PASSED, letters, at, stop)
            sign = text[at] if at < stop else ""
            if sign and sign in "-–":
                if at + 1 == stop:
                    break  # a digit may follow, and then it is a sign of the number
                self.skipping = letters[at + 1] != DIGIT
            elif sign:
                self.skipping = sign in ",;:—" or (row and sign == "|")
            if not self.skipping:
                break
            at += bool(sign)
        self.skip = max(self.skip, base + min(at, stop))


class ClaimTracker:
    """Finds the claim of each marker of one answer, in text order.

    ``feed`` takes the clean text, cut anywhere; ``claim`` is asked once for each marker, at places
    that never go down. With ``numbers`` brackets of numbers (``[1, 2]``) count as white space. With
    ``words`` the tracker keeps what it needs of the text to return the words of a claim.
    """

    def __init__(self, *, numbers: bool = False, words: bool = False) -> None:
        self._numbers = numbers
        self._keeps_words = words
        self._held = -1  # from where on text is kept because a claim has been opened there
        self._reading = _Reading()
        # The text kept: with brackets as blanks, and as it is; up to which index it has been read;
        # and what was fed since.
        self._passage = Passage("", "", 0)
        self._raw = ""
        self._read = 0
        self._fresh: list[str] = []
        # The latest marker and its claim; where a claim may begin because of the latest marker that
        # has words behind it; the latest claim that a pair of signs said.
        self._offset = -1
        self._claim = Claim(0, 0)
        self._bound = 0
        self._said = Claim(0, -1)

    def feed(self, text: str) -> None:
        """Take the next piece of the clean text."""
        self._fresh.append(text)

    def open(self, place: int) -> None:
        """Keep the words from ``place`` on: something that says its own claim begins there."""
        if self._held < 0:
            self._held = place

    def say(self, start: int, end: int) -> None:
        """Take the claim that a pair of signs in the text says; no white space is at its ends.

        It is the claim of the markers that only white space and punctuation part from it.
        """
        self._said = Claim(start, end)
        self._held = -1

    def claim(
        self, offset: int, *, before: int | None = None, said: tuple[int, int] | None = None
    ) -> Claim:
        """Return the claim of the marker at ``offset``, a place of the text that was fed.

        ``before`` is the place before a marker that is itself part of the text (a kept number),
        ``said`` the claim that the marker itself says, without white space at its ends.
        """
        reading = self._up_to(offset if before is None else before)
        if said:
            claim = _worded(reading, *said)
            self._held = -1
        else:
            claim = self._find(reading)
        if reading.content >= self._offset >= 0:
            self._bound = reading.skip
        self._offset, self._claim = offset, claim
        self._reading.skip, self._reading.skipping = offset, True
        return claim

    def words(self, claim: Claim) -> str:
        """Return the words of the claim found last; of a long one its last 2,001 code points.

        Brackets of numbers are blanks in it. Needs a tracker that was made with ``words``.
        """
        base, read = self._passage.base, self._read
        start = max(claim.start, claim.end - MAX_CLAIM - 1) - base
        text = self._passage.text[start:read] + self._raw[max(start, read) :]
        return text[: max(claim.end - base - start, 0)]

    def _first_kept(self) -> int:
        """Return the index of the first character that may be looked at again."""
        first = max(0, self._read - LOOKBACK)
        reading = self._reading
        line = reading.line
        if not (self._keeps_words and line):
            return first
        end = min(reading.visible, line.solid) if line.row else reading.visible
        content = line.solid_content if line.row else reading.content
        begin = line.row_block if line.row else max(line.block, line.sentence.start)
        if content < self._offset:
            begin = min(begin, self._claim.start)
        if content < self._said.end:
            begin = min(begin, self._said.start)
        if self._held >= 0:
            begin = min(begin, self._held)
        return max(0, min(first, max(begin, end - MAX_CLAIM - 1) - self._passage.base))

    def _find(self, reading: _Reading) -> Claim:
        line, end, content = reading.line, reading.visible, reading.content
        if not line:
            return Claim(0, 0)
        block, sentence = line.block, line.sentence.current()
        if line.row and block == end:  # directly behind a bar
            end, content = line.solid, line.solid_content
            block, sentence = line.row_block, line.solid_start
        parted = content >= self._offset
        if self._offset >= 0 and not parted and self._offset >= min(line.begin, end):
            return self._claim
        if content < self._said.end:
            return _worded(reading, *self._said)
        marker = reading.skip if parted and self._offset >= 0 else self._bound
        return _worded(reading, min(max(block, sentence, marker), end), end)

    def _up_to(self, place: int) -> _Reading:
        """Read the text before ``place``; return what is known there."""
        self._join()
        stop = max(place - self._passage.base, self._read)
        sure = self._without_open_bracket(stop)
        self._reading.read(self._passage, self._read, sure)
        self._read = sure
        newest = self._reading.next or self._reading.line
        if sure == stop and not (newest and newest.in_prefix):
            return self._reading
        reading = self._reading.copy()
        if sure == stop:
            if reading.line and not reading.next:
                reading.line.feed(self._passage, stop, stop, reading.content, last=True)
            return reading
        text, letters, base = self._passage
        first = max(0, sure - LOOKBACK)
        rest = self._raw[sure:stop]
        passage = Passage(
            text[first:sure] + rest, letters[first:sure] + classify(rest), base + first
        )
        reading.read(passage, sure - first, stop - first, last=True)
        return reading

    def _without_open_bracket(self, stop: int) -> int:
        """Return where a bracket of numbers begins that is open before ``stop``, else ``stop``."""
        if not self._numbers:
            return stop
        found = _OPEN_BRACKET.search(self._raw, max(self._read, stop - MAX_BRACKET), stop)
        return found.start() if found else stop

    def _join(self) -> None:
        """Join what was fed to the text kept, and let go of what will not be read again."""
        if not self._fresh:
            return
        text, letters, base = self._passage
        first = self._first_kept()
        raw = self._raw[self._read :] + "".join(self._fresh)
        self._fresh.clear()
        new = _BRACKET.sub(_blanks, raw) if self._numbers else raw
        self._passage = Passage(
            text[first : self._read] + new,
            letters[first : self._read] + classify(new),
            base + first,
        )
        self._raw = self._raw[first : self._read] + raw
        self._read -= first

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> list[Any]:
        """Return the state as a small JSON value.

        The text is read up to a place that no later marker can stand before: a marker waits at most
        for the end of the punctuation behind it, and a kept number begins a bracket before that.
        """
        self._join()
        letters = self._passage.letters
        settled = len(letters.rstrip(SIGNS)) - (MAX_BRACKET if self._numbers else 0)
        if settled > self._read:
            settled = self._without_open_bracket(settled)
            self._reading.read(self._passage, self._read, settled)
            self._read = settled
        first = self._first_kept()
        return [
            astuple(self._reading),
            self._passage.text[first : self._read] + self._raw[self._read :],
            self._passage.base + first,
            self._read - first,
            self._offset,
            self._claim,
            self._bound,
            self._said,
            self._held,
        ]

    @classmethod
    def restore(
        cls, state: list[Any], *, numbers: bool = False, words: bool = False
    ) -> "ClaimTracker":
        """Return a tracker that goes on where :meth:`snapshot` was taken."""
        tracker = cls(numbers=numbers, words=words)
        reading, raw, base, tracker._read, tracker._offset, claim, tracker._bound, *rest = state
        said, tracker._held = rest
        line, following, *places = reading
        tracker._reading = _Reading(
            line and Line.restore(line), following and Line.restore(following), *places
        )
        tracker._raw = raw
        read = tracker._read
        text = raw[:read] + (_BRACKET.sub(_blanks, raw[read:]) if numbers else raw[read:])
        tracker._passage = Passage(text, classify(text), base)
        tracker._claim, tracker._said = Claim(*claim), Claim(*said)
        return tracker


def _worded(reading: _Reading, start: int, end: int) -> Claim:
    """Return the claim, an empty one where it holds no letter and no number."""
    return Claim(start if start <= reading.word else end, end)


def _blanks(bracket: re.Match[str]) -> str:
    length = len(bracket[0])
    return " " * length if length <= MAX_BRACKET else bracket[0]


def _end(pattern: re.Pattern[str], text: str, at: int, stop: int) -> int:
    run = pattern.match(text, at, stop)
    return run.end() if run else at
