"""A turn on a wire: bytes in, bytes out, event by event while they arrive.

Lives here: the pipe reader → turn → writer, which is one synchronous pass over each chunk, and how
a stream ends. Must not know where the bytes come from or go to.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import (
    CURSOR_AHEAD,
    INPUT_ERRORS,
    INTERNAL,
    Problem,
    problem_of,
    refused_as,
)
from citestream.service.totals import Totals
from citestream.turns import (
    Answer,
    DeltaInput,
    EndInput,
    EndReason,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    ResultsInput,
    SettledResults,
    Turn,
)
from citestream.wire.formats import Reader, Writer

BATCH_BYTES: Final = 16 * 1024
"""Frames that wait together are sent together, up to about so many bytes."""


class TurnStream:
    """One turn and the writer of its events.

    ``show`` gives the JSON object by which a reader learns a problem. ``at_end`` gets the answer
    when the turn has ended.
    """

    __slots__ = ("_at_end", "_encode", "_show", "_totals", "_turn", "_writer", "ended", "number")

    def __init__(
        self,
        turn: Turn,
        writer: Writer,
        show: Callable[[Problem], dict[str, Any]],
        at_end: Callable[[Answer], None] | None = None,
    ) -> None:
        self._at_end = at_end
        self._show = show
        self._turn = turn
        self._writer = writer
        self._encode = writer.encode
        self._totals = Totals()
        self.number = 0
        """The number of the last event made."""
        self.ended = False
        """Whether the terminal event has been made."""

    def cost(self, event: InputEvent) -> int:
        """Return what it costs to take an event in, in the unit of ``service.offload``.

        The event says little of it: an ``end`` is a few bytes and closes the whole answer.
        """
        return self._totals.cost(event, self._turn.named())

    def push(self, event: InputEvent) -> bytes:
        """Take one input event; return the frames that follow from it.

        Raises what the turn raises, and
        :class:`~citestream.wire.input.errors.InputError` past a limit.
        """
        self._totals.admit(event)
        if isinstance(event, DeltaInput):
            made = self._turn.feed(event.text)
            if len(made) == 1:  # nearly always
                self.number += 1
                return self._encode(made[0], self.number)
            return self.frames(made)
        made = self._turn.accept(event)
        if isinstance(event, EndInput):
            self.ended = self._turn.status != "open"
            if self.ended and self._at_end:
                self._at_end(self._turn.answer())
        return self.frames(made)

    def frames(self, events: Iterable[OutputEvent]) -> bytes:
        """Return the frames of ``events`` that the reader has not had."""
        first = self.number + 1
        made = [self._encode(event, number) for number, event in enumerate(events, first)]
        self.number += len(made)
        return b"".join(made)

    def refusal(self, problem: Problem) -> bytes:
        """Return the frames of an error, with which the stream has ended."""
        self.ended = True
        return self.frames([ErrorEvent(self._show(problem))])

    def fault(self) -> bytes:
        """Return the frames that say that this program failed."""
        return self.refusal(Problem(INTERNAL, INTERNAL.title))

    @property
    def is_behind(self) -> bool:
        """Whether the reader claims to have more than has been made."""
        return self._writer.position < self._writer.after

    @property
    def has_news(self) -> bool:
        """Whether more has been made than the reader has."""
        return self._writer.position > self._writer.after

    def cursor_problem(self) -> Problem:
        """Return the problem of a reader who claims events that never were."""
        last = self._writer.position
        return Problem(CURSOR_AHEAD, f"last-event-id: the last event is {last}")

    def cursor_refusal(self) -> bytes:
        """Return, once the stream has ended, the error for a reader who claims more; else nothing.

        It is an event behind all that the reader claims to have: an earlier one would not be sent.
        """
        if not self.is_behind:
            return b""
        problem = self.cursor_problem()
        self.number = self._writer.after
        return self.refusal(problem)


def register_all(
    turn: Turn, parts: Iterable[PartInput], results: Iterable[ResultsInput]
) -> list[dict[str, str]]:
    """Register what is known before an answer begins; return what the model is to read of results.

    One ``{"tool_name", "text"}`` for each of ``results``. Raises
    :class:`~citestream.service.problems.Problem`, which names the place of a part or a result that
    cannot be registered beside the ones before it; data that cannot be held is named in the answer
    (``refused``) instead.
    """
    output = []
    for index, part in enumerate(parts):
        with refused_as(f"parts[{index}]."):
            turn.register_event(part)
    for index, called in enumerate(results):
        with refused_as(f"results[{index}]."):
            settled = turn.register_event(called).event
        if isinstance(settled, SettledResults):
            output.append({"tool_name": settled.tool_name, "text": settled.text})
    return output


class Pipe:
    """The bytes of a reader's format in, those of a writer's format out.

    Each call returns frames to send. An event that is dear to take in is not taken by the call that
    read it: ``cost`` then says what :meth:`resume` will cost, and what waits is lost to no one. The
    stream is over when ``ended``; a ``fault`` is to be raised once the frames have been sent.
    """

    __slots__ = ("_events", "_reader", "_stream", "_waiting", "cost", "ended", "fault", "unread")

    def __init__(self, reader: Reader, stream: TurnStream) -> None:
        self._reader = reader
        self._stream = stream
        self._events: Iterable[InputEvent] = ()
        self._waiting: InputEvent | None = None
        self.cost = 0
        """What the event costs that waits for :meth:`resume`; 0: none does."""
        self.fault: Exception | None = None
        """The error of this program that ended the stream."""
        self.ended = False
        """Whether the stream is over: nothing more is read."""
        self.unread = 0
        """Bytes that may wait for the rest of their line or event: they are read with it."""

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk in; return the frames that follow from it."""
        self._events, self._waiting = self._reader.feed(chunk), None
        frames = self._run()
        self.unread = len(chunk) if frames else self.unread + len(chunk)
        return frames

    def resume(self) -> bytes:
        """Take in the event that waits and those after it; return the frames that follow."""
        self.cost = 0
        if self._waiting is not None:
            self._events = chain((self._waiting,), self._events)
        return self._run()

    def finish(self) -> bytes:
        """Take the end of the bytes for the end of the answer; return the last frames."""
        self._events = chain(self._reader.finish(), (EndInput(),))
        return self._run()

    def end(self, reason: EndReason) -> bytes:
        """End the answer from outside; return the last frames."""
        self._events = iter((EndInput(reason),))
        return self._run()

    def refuse(self, problem: Problem) -> bytes:
        """End the stream with an error; return the last frames. What was sent stays valid."""
        self.ended = True
        return self._stream.refusal(problem) + self._stream.cursor_refusal()

    def _run(self) -> bytes:
        """Take events in until one is dear or the last; return the frames.

        An event that cannot be read or taken ends the stream with an error that names its line. So
        does a fault of this program.
        """
        stream, push = self._stream, self._stream.push
        made: list[bytes] = []
        try:
            for event in self._events:
                if not isinstance(event, DeltaInput) and event is not self._waiting:
                    cost = stream.cost(event)
                    if cost > LOOP_COST:
                        self._waiting, self.cost = event, cost
                        return b"".join(made)
                made.append(push(event))
                if stream.ended:
                    break
        except INPUT_ERRORS as error:
            made.append(stream.refusal(self._problem(error)))
        except Exception as error:
            self.fault = error
            made.append(stream.fault())
        if stream.ended:
            self.ended = True
            made.append(stream.cursor_refusal())
        return b"".join(made)

    def _problem(self, error: ValueError) -> Problem:
        line = self._reader.line
        if line is None:
            return problem_of(error)
        return problem_of(error, f"line {line}: ", line=line)


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


async def stepped(frames: Iterator[bytes], *, cost: int) -> AsyncGenerator[bytes, None]:
    """Yield the ``frames`` of an answer that costs ``cost``, each made where that allows it."""
    while batch := await offload(lambda: next(frames, b""), cost=cost):
        yield batch
