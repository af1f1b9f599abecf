"""What all filters do alike: blocks in, the caller's own events taken out, everything else passed.

Lives here: the way of a block through a filter, and what becomes of bytes that are no event. Must
not know any vendor's shapes.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

from citestream.turns import Include
from citestream.wire.formats.blocks import Block, BlockReader, NotJsonError
from citestream.wire.formats.clean_text import CleanTexts, MakeTurn, View
from citestream.wire.formats.positions import Unit
from citestream.wire.formats.vendor_reader import OWN_EVENT

_SIGNS: Final = tuple(
    spelled
    for sign in ("\ue200", "\ue201", "\ue202")
    for spelled in (sign.encode(), b"\\u%04x" % ord(sign), b"\\u%04X" % ord(sign))
)


class StreamFilter(ABC):
    """A filter of a stream of server-sent events. Nothing raises.

    Of an event that cannot be read ``problem`` says why, and it passes as it is. So does one that
    :meth:`_clean` gives back no other bytes for.
    """

    unit: ClassVar[Unit] = "rune"
    needs: ClassVar[tuple[Include, ...]] = ()

    def __init__(self, make: MakeTurn, view: View | None = None) -> None:
        self.problem = ""
        self.known = False
        """Whether an event of this vendor's has been seen."""
        self._view = view or View()
        self._texts = CleanTexts(make, self._view, self.unit, self.needs)
        self._blocks = BlockReader()
        self._owed = False

    def feed(self, chunk: bytes) -> bytes:
        """Return what ``chunk`` completes."""
        return b"".join(map(self._pass, self._blocks.feed(chunk)))

    def finish(self) -> bytes:
        """Return what is left of a stream that may have broken off."""
        out = [self._last(block) for block in self._blocks.finish()]
        out.append(self._rest())
        if self._blocks.overlong:
            self.problem = "an event of the stream is too long"
        elif not self.problem and not self.known:
            self.problem = "the input holds no event of this format"
        return b"".join(out)

    def _rest(self) -> bytes:
        """Return what the filter itself has held."""
        return b""

    def _last(self, block: Block) -> bytes:
        """Pass an event without its blank line: as it is when nothing in it may be a marker's."""
        if block.data is not None:
            try:
                block.json()
            except NotJsonError:
                marked = any(sign in block.raw for sign in _SIGNS)
                return b"" if marked or self._texts.held() else block.raw
        elif self.known and (self._texts.held() or any(sign in block.raw for sign in _SIGNS)):
            return b""
        return self._pass(block)

    def _pass(self, block: Block) -> bytes:
        if block.continues:
            return block.raw if self._owed else b""
        made = self._made(block)
        self._owed = made.endswith(b"\r")
        return made

    def _made(self, block: Block) -> bytes:
        if block.data is None:
            return self._between(block)
        if block.event == OWN_EVENT:
            self._accept(block)
            return b""
        if block.data.strip() == b"[DONE]":
            return self._between(block)
        try:
            value = block.json()
        except NotJsonError as error:
            self.problem = self.problem or str(error)
            return self._between(block)
        try:
            return self._clean(block, value)
        except (TypeError, AttributeError, KeyError, IndexError, ValueError):
            # Fields of other types than the vendor's own: the event is the client's affair.
            self.problem = self.problem or "an event of the stream is not as its format says"
            return block.raw

    def _between(self, block: Block) -> bytes:
        """Pass what is no event of the vendor's."""
        return block.raw

    def _accept(self, block: Block) -> None:
        # The models are slow to import; most streams of a library's caller need none.
        from citestream.wire.input.events import read_event

        try:
            self._texts.accept(read_event(block.data or b""))
        except ValueError as error:
            self.problem = self.problem or str(error)

    @abstractmethod
    def _clean(self, block: Block, value: dict[str, Any]) -> bytes:
        """Return what an event becomes; ``value`` is its data and may be changed."""
