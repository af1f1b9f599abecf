"""One line of an answer: its prefix, whether it is a row of a table, and its last sentence.

Lives here: what a block is (a line, a list item, a cell or the row so far). Must not know markers
or claims. All places are code points of the whole text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from citestream.claims.characters import PUNCTUATION, WHITE, Passage
from citestream.claims.sentences import Sentence

_PREFIX: Final = re.compile(
    r"(?P<blanks>[ \t]+)|(?P<quote>>+)|(?P<list>(?:[-*+•]|[0-9]{1,9}[.)])(?=[ \t]))"
    r"|(?P<heading>#{1,6}(?=[ \t]))"
)
_BOX: Final = re.compile(r"\[[ xX]\](?=[ \t])")
_BOX_AT_END: Final = re.compile(r"\[[ xX]\]")
_MAY_BECOME_PREFIX: Final = re.compile(r"[-*+•]|[0-9]{1,9}[.)]?|#{1,6}|\[(?:[ xX]\]?)?")
_ESCAPE_OR_BAR: Final = re.compile(r"\\.|\|", re.DOTALL)


@dataclass(slots=True)
class Line:
    """A line that is fed piece by piece."""

    begin: int
    block: int
    """Where its text begins, behind the prefix; of a row where the last cell begins."""
    in_prefix: bool = True
    listed: bool = False
    """In the prefix: nothing but blanks since a list marker, so that a box may follow."""
    row: bool = False
    escaped: bool = False
    """In a row: whether the next character is escaped."""
    row_block: int = 0
    """Where the text of a row begins, behind its first bar."""
    solid: int = 0
    """Of a row: the place behind its last character that is neither white space nor a bar."""
    solid_start: int = 0
    """Of a row: where the sentence of that character begins."""
    solid_content: int = -1
    """The place of the last character before ``solid`` that is no white space or punctuation."""
    sentence: Sentence = field(default_factory=Sentence)
    """The last sentence of the block."""
    row_sentence: Sentence = field(default_factory=Sentence)
    """The last sentence of the row so far."""

    @classmethod
    def at(cls, begin: int, content: int) -> "Line":
        """Return an empty line that begins at ``begin``, with ``content`` as its last content."""
        return cls(begin, begin, solid=begin, solid_content=content)

    @classmethod
    def restore(cls, state: Sequence[Any]) -> "Line":
        """Return the line that ``dataclasses.astuple`` made ``state`` of."""
        line = cls(*state)
        line.sentence, line.row_sentence = Sentence(*state[-2]), Sentence(*state[-1])
        return line

    def copy(self) -> "Line":
        """Return a line that can be fed without changing this one."""
        return replace(
            self, sentence=replace(self.sentence), row_sentence=replace(self.row_sentence)
        )

    def places(self) -> Iterator[int]:
        """Yield the places that may be an end of a later claim."""
        yield from (self.begin, self.block, self.row_block, self.solid, self.solid_start)
        for sentence in (self.sentence, self.row_sentence):
            yield from (sentence.start, sentence.candidate)

    def feed(self, passage: Passage, at: int, stop: int, content: int, *, last: bool) -> None:
        """Read from index ``at`` to ``stop``; no line end is there.

        ``content`` is the place of the last content before ``at``. With ``last`` the text ends at
        ``stop``, so that nothing can become part of the prefix any more.
        """
        if self.in_prefix:
            at = self._read_prefix(passage, stop, last=last)
            if self.in_prefix:
                return
        if self.row:
            self._read_row(passage, at, stop, content)
        else:
            self.sentence.feed(passage, at, stop)

    def _read_prefix(self, passage: Passage, stop: int, *, last: bool) -> int:
        text, letters, base = passage
        at = self.block - base
        while at < stop:
            found = _PREFIX.match(text, at, stop)
            if not found and self.listed:
                found = (_BOX_AT_END if last else _BOX).match(text, at, stop)
            if not found:
                break
            at = found.end()
            if found.lastgroup != "blanks":
                self.listed = found.lastgroup == "list"
                self.solid = base + at
                if sign := letters[found.start() : at].rstrip(PUNCTUATION):
                    self.solid_content = base + found.start() + len(sign) - 1
        self.block = base + at
        if at == stop or (not last and _MAY_BECOME_PREFIX.fullmatch(text, at, stop)):
            return at
        self.in_prefix = False
        self.row = text[at] == "|"
        return at

    def _read_row(self, passage: Passage, at: int, stop: int, content: int) -> None:
        text, _, base = passage
        bars = self._bars(text, at, stop)
        if not self.row_block:
            content = base + bars[0]
            self.row_block = content + 1
            at = bars[0] + 1
        solid, edge = 0, stop
        for bar in [*reversed(bars), at - 1]:
            if visible := len(passage.letters[bar + 1 : edge].rstrip(WHITE)):
                solid = bar + 1 + visible
                break
            edge = bar
        if solid:
            self.row_sentence.feed(passage, at, solid)
            self.solid = base + solid
            self.solid_start = self.row_sentence.current()
            self.solid_content = content
            if length := len(passage.letters[at:solid].rstrip(WHITE + PUNCTUATION)):
                self.solid_content = base + at + length - 1
        self.row_sentence.feed(passage, solid or at, stop)
        if bars:
            self.block = base + bars[-1] + 1
            self.sentence = Sentence()
            at = max(at, bars[-1] + 1)
        self.sentence.feed(passage, at, stop)

    def _bars(self, text: str, at: int, stop: int) -> list[int]:
        """Return the indices of the bars that are not escaped."""
        begin = at + self.escaped
        self.escaped = False
        bars: list[int] = []
        end = begin
        for found in _ESCAPE_OR_BAR.finditer(text, begin, stop):
            end = found.end()
            if found[0] == "|":
                bars.append(found.start())
        self.escaped = end < stop and text[stop - 1] == "\\"
        return bars
