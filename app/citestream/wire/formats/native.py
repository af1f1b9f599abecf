"""citestream's own stream format: input events as lines of JSON, output events as SSE.

In: one input event a line. Out: each output event is one server-sent event; ``id:`` is a gapless
integer from 1, ``event:`` the event's type, ``data:`` one line of JSON. Must not know who reads.
"""

from collections.abc import Iterable
from typing import Final

import orjson

from citestream.turns import DeltaInput, InputEvent, OutputEvent, TextDelta
from citestream.wire.formats.format import Format, Reader, Writer
from citestream.wire.json_text import BYTE_ORDER_MARK, JsonInputError, dumps
from citestream.wire.ndjson import LineReader

RETRY_MILLISECONDS: Final = 1000
"""How long a reader waits before it comes back to a stream that has not ended."""


_HEADS: Final = (b'{"type":"delta","text":"', b'{"type": "delta", "text": "')
_TAIL: Final = b'"}'
_SHORT: Final = 16 * 1024
"""Bytes of a line that is tried the short way; no limit of a delta is below it."""


class NativeReader(Reader):
    """Reads lines of JSON. The end of the bytes is not the end of an answer: lines may be pushed
    in several requests.
    """

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = LineReader()

    @property
    def line(self) -> int:
        """The number, from 1, of the line last read or refused."""
        return self._lines.number

    def feed(self, chunk: bytes) -> Iterable[InputEvent]:
        """Give the events of the lines that ``chunk`` completes."""
        lines = self._lines
        if chunk.find(b"\n") == len(chunk) - 1 and lines.number and not lines.held:
            # One whole line, as nearly every chunk is that is sent while a model writes.
            delta = _plain_delta(chunk[:-1])
            if delta:
                lines.number += 1
                return (delta,)
        return map(_read, lines.feed(chunk))

    def finish(self) -> Iterable[InputEvent]:
        """Give the event of a last line without a line end."""
        return map(_read, self._lines.finish())


def _read(line: bytes) -> InputEvent:
    delta = _plain_delta(line)
    if delta:
        return delta
    if line.startswith(BYTE_ORDER_MARK):
        # The one that may be at the head of a body is not in its line any more.
        raise JsonInputError("not JSON at line 1, column 1")
    # The models are slow to import; a pipe of the command without lines needs none.
    from citestream.wire.input.events import read_event

    return read_event(line)


def _plain_delta(line: bytes) -> DeltaInput | None:
    """Read a line that is one delta in its usual form and nothing else; None for any other.

    Nine of ten lines are such, and the general way costs several times as much. What is between
    head and tail is the delta when it is one JSON string.
    """
    for head in _HEADS:
        if line.startswith(head) and line.endswith(_TAIL) and len(line) <= _SHORT:
            try:
                return DeltaInput(orjson.loads(line[len(head) - 1 : -1]))
            except orjson.JSONDecodeError:
                return None  # half of a surrogate pair, further fields, or no JSON
    return None


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
