"""citestream's own stream format: input events as lines of JSON, output events as SSE.

In: one input event a line. Out: each output event is one server-sent event; ``id:`` is a gapless
integer from 1, ``event:`` the event's type, ``data:`` one line of JSON. Must not know who reads.
"""

from collections.abc import Iterator
from typing import Final

from citestream.turns import InputEvent, OutputEvent, TextDelta
from citestream.wire.formats.format import Format, Reader, Writer
from citestream.wire.json_text import dumps
from citestream.wire.ndjson import LineReader

RETRY_MILLISECONDS: Final = 1000
"""How long a reader waits before it comes back to a stream that has not ended."""


class NativeReader(Reader):
    """Reads lines of JSON. The end of the bytes is not the end of an answer: lines may be pushed
    in several requests.
    """

    __slots__ = ("_lines", "_read")

    def __init__(self) -> None:
        # The models behind it are slow to import; a pipe of the command without lines needs none.
        from citestream.wire.input.events import read_event

        self._read = read_event
        self._lines = LineReader()

    @property
    def line(self) -> int:
        """The number, from 1, of the line last read or refused."""
        return self._lines.number

    def feed(self, chunk: bytes) -> Iterator[InputEvent]:
        """Yield the events of the lines that ``chunk`` completes."""
        return map(self._read, self._lines.feed(chunk))

    def finish(self) -> Iterator[InputEvent]:
        """Yield the event of a last line without a line end."""
        return map(self._read, self._lines.finish())


class NativeWriter(Writer):
    """Writes server-sent events; a position is the number of an event, which is its id."""

    __slots__ = ()

    keepalive = b": ping\n\n"
    farewell = b"retry: %d\n\n" % RETRY_MILLISECONDS
    replays = False

    def encode(self, event: OutputEvent, number: int) -> bytes:
        """Return the server-sent event for an output event."""
        self.position = number
        if number <= self.after:
            return b""
        if isinstance(event, TextDelta):
            # Nine of ten events are this one.
            return b'id: %d\nevent: delta\ndata: {"type":"delta","text":%s}\n\n' % (
                number,
                dumps(event.text),
            )
        return _frame(event.type, dumps(event.as_json()), number)

    def encode_stored(self, type_: str, data: bytes, number: int) -> bytes:
        """Return the server-sent event around JSON that was stored in this very form."""
        self.position = number
        return _frame(type_, data, number) if number > self.after else b""


def _frame(type_: str, data: bytes, number: int) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, type_.encode(), data)


NATIVE: Final = Format("native", "application/x-ndjson", NativeReader, NativeWriter)
