"""What is known of the clean text read so far, as places: its last line, and what stands last.

Lives here: the reading of the text line by line, each character once. Must not know where markers
are, but for the latest one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from citestream.claims.characters import (
    DIGIT,
    NO_WORD,
    PUNCTUATION,
    WHITE,
    Passage,
    run_end,
)
from citestream.claims.lines import Line

_WHITE: Final = re.compile(f"[{WHITE}]*")
_PASSED: Final = re.compile(f"[{WHITE})]*")


@dataclass(slots=True)
class Reading:
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

    def copy(self) -> "Reading":
        """Return a reading that can go on without changing this one."""
        return replace(
            self, line=self.line and self.line.copy(), next=self.next and self.next.copy()
        )

    @classmethod
    def restore(cls, state: Sequence[Any]) -> "Reading":
        """Return the reading that ``dataclasses.astuple`` made ``state`` of."""
        line, following, *places = state
        return cls(line and Line.restore(line), following and Line.restore(following), *places)

    def words_kept(self) -> tuple[int, int, int]:
        """Return what a later claim on this line can be.

        That is where it begins at the earliest, where it ends at the earliest, and the last content
        before that.
        """
        line = self.line
        if line is None:
            return self.visible, self.visible, self.content
        if line.row:
            return line.row_block, min(self.visible, line.solid), line.solid_content
        return max(line.block, line.sentence.start), self.visible, self.content

    def places(self) -> Iterator[int]:
        """Yield the places that may be an end of a later claim."""
        yield from (self.visible, self.skip)
        for line in (self.line, self.next):
            if line:
                yield from line.places()

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
        self._pass(passage, visible, row=None)
        begin = letters.rfind("r", at, visible) + 1
        if begin and self.skipping:  # whether a bar is passed depends on its line
            first = max(self.skip - base, run_end(_WHITE, letters, at, visible))
            end = letters.find("r", first, visible)
            visible = end if end >= 0 else visible
            begin = letters.rfind("r", at, first) + 1
        if begin:
            self._note(letters, at, begin, base)
            line, at = Line.at(base + begin, self.content), begin
        else:
            line = self.next or self.line or Line.at(base + at, -1)
        self.line, self.next = line, None
        line.feed(passage, at, visible, self.content, last=last and visible == stop)
        self._pass(passage, visible, row=line.row)
        self._note(letters, at, visible, base)
        return visible

    def _read_white(self, passage: Passage, at: int, stop: int, *, last: bool) -> None:
        begin = passage.letters.rfind("r", at, stop) + 1
        self._pass(passage, stop, row=None)
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

    def _pass(self, passage: Passage, stop: int, *, row: bool | None) -> None:
        """Go on from the latest marker over what parts its claim from the next one.

        ``row`` says whether that includes bars; with None it stops before one.
        """
        if not self.skipping:
            return
        text, letters, base = passage
        at = max(0, self.skip - base)
        while at < stop:
            at = run_end(_PASSED, letters, at, stop)
            sign = text[at] if at < stop else ""
            if sign and sign in "-–":
                if at + 1 == stop:
                    break  # a digit may follow, and then it is a sign of the number
                self.skipping = letters[at + 1] != DIGIT
            elif sign == "|" and row is None:
                break
            elif sign:
                self.skipping = sign in ",;:—" or (sign == "|" and row is True)
            if not self.skipping:
                break
            at += bool(sign)
        self.skip = max(self.skip, base + min(at, stop))
