"""A source, the list of a turn that numbers sources, and the flattening of a turn's records.

Must not know how sources are printed, linked or listed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from citestream.parts.text import whole_characters, without_signs

MarkerStyle = Literal["brackets", "bare"]
"""Whether a number is shown in brackets, in the text and in the list."""

_PIECE: Final = 65_536
"""Code points split in one call: below 1 ms."""

MAX_SOURCES: Final = 2_000
"""Sources of one turn at most, as many as a turn may have parts."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered web page of a turn: the shape that is stored and shown (S0)."""

    index: int
    title: str
    url: str


def clean(text: str) -> str:
    """Return text from a result without half characters and without the engine's marker signs.

    Each becomes U+FFFD, so that no result can forge a marker of the engine.
    """
    return without_signs(whole_characters(text))[0]


def one_line(text: str) -> str:
    """Return a text with white space of any kind as one blank, and none at its ends.

    In pieces, because one call on a text of megabytes would keep the interpreter's lock.
    """
    if len(text) <= _PIECE:
        return " ".join(text.split())
    flat: list[str] = []
    parted = False
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE]
        words = piece.split()
        if words and flat and (parted or piece[0].isspace()):
            flat.append(" ")
        if words:
            flat.append(" ".join(words))
        parted = piece[-1].isspace()
    return "".join(flat)


class SourceList:
    """Gives each address of one turn its number (S0). A new turn takes a new list, from 1."""

    def __init__(self, known: Iterable[Source] = ()) -> None:
        """Go on from ``known``, the sources that the turn has gathered so far."""
        self._numbers: dict[str, int] = {}
        self._highest = 0
        for source in known:
            self._numbers.setdefault(clean(source.url).strip(), source.index)
            self._highest = max(self._highest, source.index)

    def add(self, title: str, url: str) -> tuple[int | None, Source | None]:
        """Return the number to print for an address, and its source when the address is new.

        Addresses are the same when they are equal without outer white space; nothing else is
        normalised. A new one takes the number above the highest, so gaps are never filled. The
        title is kept as given, but for marker signs. A blank address has no number.
        """
        address = clean(url).strip()
        if not address:
            return None, None
        if (known := self._numbers.get(address)) is not None:
            return known, None
        self._highest += 1
        self._numbers[address] = self._highest
        return self._highest, Source(self._highest, clean(title), address)


def collect(records: Iterable[Iterable[Source]]) -> list[Source]:
    """Return the sources that the calls of a turn added, as one list ordered by number."""
    return sorted((source for record in records for source in record), key=lambda s: s.index)
