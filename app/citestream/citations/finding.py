"""Where the markers of a raw answer are.

Lives here: the scanner that remembers what it has found, for those who change a raw answer. Must
not know what is done with it.
"""

from typing import NamedTuple

from citestream.citations.dialects import Known, Marker, Recogniser, Template
from citestream.citations.options import EngineOptions
from citestream.citations.scanner import Scanner


class Found(NamedTuple):
    """A marker, and where it is in the raw text."""

    start: int
    end: int
    marker: Marker


class _Finder(Scanner):
    """Reads an answer as every engine does, and remembers where its markers are."""

    __slots__ = ("_taken", "found")

    def __init__(self, options: EngineOptions, known: Known) -> None:
        super().__init__(options, options.dialects(), known)
        self._taken = (0, 0)
        self.found: list[Found] = []

    def _advance(self, text: str, place: int, *, ended: bool) -> tuple[Recogniser, int] | None:
        taken = super()._advance(text, place, ended=ended)
        if taken:
            self._taken = (self._place + place, self._place + place + taken[1])
        return taken

    def _apply(self, marker: Marker, rest: str) -> str:
        self.found.append(Found(*self._taken, marker))
        return super()._apply(marker, rest)


def find_markers(raw: str, dialect: str | Template, known: Known) -> list[Found]:
    """Return the markers of a raw text, in order.

    All of it is fed at once, so that no marker takes the way for one that was held.
    """
    finder = _Finder(EngineOptions(dialect=dialect, numbers="strip"), known)
    finder.feed(raw)
    finder.finish()
    return finder.found
