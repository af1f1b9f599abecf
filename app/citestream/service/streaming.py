"""A turn on a wire: input events in, numbered frames out, while they arrive.

Must not know where the bytes come from or go to.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator
from typing import Final

from citestream.service.offload import ASIDE_BYTES, aside
from citestream.service.problems import CURSOR_AHEAD, INPUT_ERRORS, INTERNAL, Problem, problem_of
from citestream.service.totals import Totals
from citestream.turns import Answer, EndInput, ErrorEvent, InputEvent, OutputEvent, Turn
from citestream.wire.formats import native
from citestream.wire.input.events import read_event
from citestream.wire.ndjson import LineReader

LINE_BYTES: Final = 64
"""What a line costs whatever is in it, in bytes of input that cost the same."""
BATCH_BYTES: Final = 16 * 1024
"""Frames that wait together are sent together, up to about so many bytes."""


class TurnStream:
    """One turn and the numbers of its frames; frames up to ``after`` are made and not sent.

    ``at_end`` gets the answer when the turn has ended.
    """

    def __init__(
        self, turn: Turn, after: int = 0, at_end: Callable[[Answer], None] | None = None
    ) -> None:
        self._at_end = at_end
        self._turn = turn
        self._after = after
        self.number = 0
        """The id of the last event made."""
        self.ended = False
        """Whether the terminal event has been made."""
        self._totals = Totals()

    def push(self, event: InputEvent) -> bytes:
        """Take one input event; return the frames that follow from it.

        Raises what the turn raises, and
        :class:`~citestream.wire.input.errors.InputError` past a limit.
        """
        self._totals.admit(event)
        made = self._turn.accept(event)
        if isinstance(event, EndInput):
            self.ended = self._turn.status != "open"
            if self.ended and self._at_end:
                self._at_end(self._turn.answer())
        return self.frames(made)

    def cursor_ahead(self) -> bytes:
        """Return, at the end, the error for a reader who claims events that never were."""
        if self.number >= self._after:
            return b""
        problem = Problem(CURSOR_AHEAD, f"last-event-id: the last event is {self.number}")
        self.number = self._after
        return self.frames([ErrorEvent(problem.as_json())])

    def frames(self, events: Iterable[OutputEvent]) -> bytes:
        """Return the frames of ``events`` that the reader has not had."""
        made = []
        for event in events:
            self.number += 1
            if self.number > self._after:
                made.append(native.frame(event, self.number))
        return b"".join(made)

    def fault(self) -> bytes:
        """Return the frame that says that this program failed."""
        return self.frames([ErrorEvent(Problem(INTERNAL, INTERNAL.title).as_json())])


def answer_frames(stream: TurnStream, events: Iterable[InputEvent]) -> Iterator[bytes]:
    """Run a turn over events that are all there; return its frames in batches.

    A fault of this program ends the frames with an ``error`` event before it is raised.
    """
    waiting: list[bytes] = []
    size = 0
    try:
        for event in events:
            made = stream.push(event)
            waiting.append(made)
            size += len(made)
            if size >= BATCH_BYTES:
                yield b"".join(waiting)
                waiting.clear()
                size = 0
    except Exception:
        yield b"".join([*waiting, stream.fault()])
        raise
    if size:
        yield b"".join(waiting)


async def stepped(frames: Iterator[bytes], *, size: int) -> AsyncGenerator[bytes, None]:
    """Yield the ``frames`` of an answer to ``size`` bytes of input, made where ``aside`` says."""
    while batch := await aside(lambda: next(frames, b""), size=size):
        yield batch


async def answer_lines(
    stream: TurnStream, chunks: AsyncIterable[bytes]
) -> AsyncGenerator[bytes, None]:
    """Run a turn over lines of JSON while they arrive; yield the frames of each chunk.

    A body that ends without an ``end`` event has ended its answer. A line that cannot be taken
    ends the stream with an ``error`` event that names it; what was sent stays valid. So does a
    fault of this program, before it is raised. A ``TimeoutError`` from the chunks ends the answer
    as timed out.
    """
    reader = LineReader()
    made: list[bytes] = []
    try:
        async for chunk in chunks:
            worked = 0
            for line in reader.feed(chunk):
                if len(line) <= ASIDE_BYTES:
                    made.append(stream.push(read_event(line)))
                else:
                    made.append(await _answered(stream, line))
                if stream.ended:
                    break
                worked += len(line) + LINE_BYTES
                if worked > ASIDE_BYTES:
                    worked = 0
                    await asyncio.sleep(0)
            if frames := b"".join(made):
                yield frames
            made.clear()
            if stream.ended:
                break
        else:
            made += [await _answered(stream, line) for line in reader.finish()]
            if not stream.ended:
                made.append(stream.push(EndInput()))
    except TimeoutError:
        made.append(stream.push(EndInput("timeout")))
    except Problem as problem:
        made.append(stream.frames([ErrorEvent(problem.as_json())]))
    except INPUT_ERRORS as error:
        told = problem_of(error, f"line {reader.number}: ", line=reader.number)
        made.append(stream.frames([ErrorEvent(told.as_json())]))
    except Exception:
        yield b"".join([*made, stream.fault()])
        raise
    made.append(stream.cursor_ahead())
    if frames := b"".join(made):
        yield frames


async def _answered(stream: TurnStream, line: bytes) -> bytes:
    return await aside(lambda: stream.push(read_event(line)), size=len(line))
