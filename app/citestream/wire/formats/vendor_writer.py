"""What the writers of vendors' streams do alike: open once, count events, skip what a reader has.

Lives here: the order of opening and closing. Must not know any vendor's shapes.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from citestream.turns import (
    Answer,
    ArtifactEvent,
    Citation,
    CitationEvent,
    ErrorEvent,
    OutputEvent,
    TextDelta,
)
from citestream.wire.formats.blocks import written_json
from citestream.wire.formats.clean_text import View
from citestream.wire.formats.format import Writer
from citestream.wire.formats.positions import Unit
from citestream.wire.formats.ranges import Cited, Ranges


class VendorWriter(Writer):
    """Writes an answer of one text. A position is the number of a server-sent event, from 1.

    The turn should include "source", "claim" and, for units other than code points, "offsets": they
    fill the vendor's places.
    """

    __slots__ = ("_opened", "_ranges", "_text", "view")

    unit: ClassVar[Unit] = "rune"

    def __init__(self, after: int = 0, view: View | None = None) -> None:
        super().__init__(after)
        self.view = view or View()
        self._opened = False
        self._ranges = Ranges(self.view.offset_unit or self.unit)
        self._text: list[str] = []

    def encode(self, event: OutputEvent, number: int) -> bytes:
        """Return the server-sent events for an output event."""
        del number  # the vendor counts its own
        out = []
        for made in self._events(event):
            self.position += 1  # a sequence number made next is that of the next event
            if self.position > self.after:
                out.append(made)
        return b"".join(out)

    def _events(self, event: OutputEvent) -> Iterator[bytes]:
        if not self._opened and isinstance(event, TextDelta | CitationEvent | ArtifactEvent):
            self._opened = True
            yield from self._open()
        if isinstance(event, TextDelta):
            self._text.append(event.text)
            yield from self._delta(event.text)
        elif isinstance(event, CitationEvent):
            yield from self._cite(self._cited(event.citation))
        elif isinstance(event, ArtifactEvent):
            yield from self._close(event.answer)
        elif isinstance(event, ErrorEvent):
            yield from self._fail(event.error)

    def _cited(self, citation: Citation) -> Cited:
        source = citation.source
        start, end, at = self._ranges.of(citation)
        if source is None:
            return Cited(citation, None, None, start, end, at)
        part_id, locator = citation.data_part_id, citation.locator
        url = self.view.address(part_id, source.tool_name, source.url, locator)
        return Cited(citation, source.title, url, start, end, at)

    @abstractmethod
    def _open(self) -> Iterator[bytes]:
        """Yield what begins an answer."""

    @abstractmethod
    def _delta(self, text: str) -> Iterator[bytes]:
        """Yield the events of a piece of text."""

    @abstractmethod
    def _cite(self, one: Cited) -> Iterator[bytes]:
        """Yield what says a citation live, if anything does."""

    @abstractmethod
    def _close(self, answer: Answer) -> Iterator[bytes]:
        """Yield what ends an answer."""

    @abstractmethod
    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        """Yield what closes what is open, and what says the error, a problem object."""


def field_of(answer: Answer) -> dict[str, Any] | None:
    """Return the field ``citestream`` of an answer of one text, or None when it says nothing."""
    if not answer.citations and not answer.dropped:
        return None
    return {
        "citations": [one.as_json() for one in answer.citations],
        "dropped": [one.as_json() for one in answer.dropped],
        "parts": answer.artifact()["parts"][1:],
    }


def sse(value: dict[str, Any], event: str = "") -> bytes:
    """Return one server-sent event."""
    head = b"event: " + event.encode() + b"\n" if event else b""
    return head + b"data: " + written_json(value) + b"\n\n"
