"""What the readers of all vendors' streams do alike: find events, read their JSON, end once.

Lives here: how a stream ends, breaks off and fails. Must not know any vendor's shapes, nor where
the bytes come from. Whatever the stream holds is the producer's affair: nothing here raises.
"""

import json
import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput, EndReason, InputEvent
from citestream.wire.formats.blocks import Block, BlockReader
from citestream.wire.formats.format import Reader
from citestream.wire.ndjson import LineTooLongError
from citestream.wire.sse import EventReader

DONE: Final = "[DONE]"
OWN_EVENT: Final = "citestream"
"""The name of a block that holds one of our input events."""

_OWN_TEXT: Final = "text and its end are given by the vendor's stream"
_CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class VendorReader(Reader):
    """Gives the deltas of one text, and the end.

    The ``end`` event is given when the stream says so, or else by ``finish``. A stream that stops
    without its end and without a reason for it has failed. Nothing raises.
    """

    __slots__ = ("_events", "_over", "_reason", "_seen", "problem")

    kind = "vendor"
    """What the stream is called in a problem."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._over = False
        self._seen = False
        self._reason: EndReason | None = None
        self.problem = ""

    def feed(self, chunk: bytes) -> Iterator[DeltaInput | EndInput]:
        """Yield what ``chunk`` completes; nothing once the stream is over."""
        try:
            for data in self._events.feed(chunk):
                if self._over:
                    return
                yield from self._read(data)
        except LineTooLongError as error:
            if not self._over:
                yield self._fail(f"a line of the stream is {error}")

    def finish(self) -> Iterator[DeltaInput | EndInput]:
        """Yield the end, if the stream has not given it."""
        if self._over:
            return
        if self._reason:
            yield self._end(self._reason)
        elif self._seen:
            yield self._fail("the stream broke off before its end")
        else:
            yield self._fail(f"the input holds no event of a {self.kind} stream")

    def _read(self, data: str) -> Iterator[DeltaInput | EndInput]:
        if data.strip() == DONE:
            yield self._end(self._reason or "complete")
            return
        try:
            # Not the strict reader: a NaN in a log probability must not cost the answer. Halves of
            # surrogate pairs stay as they are, the next delta may bring the other one.
            event = json.loads(data)
        except (ValueError, RecursionError):
            yield self._fail("an event of the stream is not JSON")
            return
        if not isinstance(event, dict):
            return
        self._seen = True
        if event.get("error") or "error" in (event.get("object"), event.get("type")):
            yield self._fail("the stream ended with an error" + _code_of(event.get("error")))
            return
        yield from self._take(event)

    @abstractmethod
    def _take(self, event: dict[str, Any]) -> Iterator[DeltaInput | EndInput]:
        """Yield what an event of the vendor's says of the text, and note why it ends."""

    def _end(self, reason: EndReason) -> EndInput:
        self._over = True
        if reason == "failed" and not self.problem:
            self.problem = "the stream ended with an error"
        return EndInput(reason)

    def _fail(self, problem: str) -> EndInput:
        self.problem = problem
        return self._end("failed")


class MixedReader(Reader):
    """A vendor's stream with our own input events in blocks named ``citestream``.

    Raises, as every reader does, what is wrong with one of these; nothing else does.
    """

    __slots__ = ("_blocks", "_reader", "problem")

    def __init__(self, reader: Reader) -> None:
        self.problem = ""
        self._blocks = BlockReader()
        self._reader = reader

    def feed(self, chunk: bytes) -> Iterator[InputEvent]:
        """Yield what ``chunk`` completes."""
        for block in self._blocks.feed(chunk):
            yield from self._events(block)

    def finish(self) -> Iterator[InputEvent]:
        """Yield what the end of the bytes completes, and the end."""
        for block in self._blocks.finish():
            yield from self._events(block)
        yield from self._reader.finish()
        self.problem = self._reader.problem

    def _events(self, block: Block) -> Iterator[InputEvent]:
        if block.event != OWN_EVENT or block.data is None:
            yield from self._reader.feed(block.raw)
            self.problem = self._reader.problem
            return
        # The models are slow to import; most streams of a library's caller need none.
        from citestream.wire.input.errors import FieldProblem, InputError
        from citestream.wire.input.events import read_event

        event = read_event(block.data)
        if isinstance(event, DeltaInput | EndInput):
            raise InputError([FieldProblem("type", _OWN_TEXT)])
        yield event


def _code_of(error: object) -> str:
    """Return the error's code in parentheses, when it is a plain word."""
    for key in ("code", "type"):
        code = str(error.get(key)) if isinstance(error, dict) and error.get(key) else ""
        if _CODE.fullmatch(code):
            return f" ({code})"
    return ""
