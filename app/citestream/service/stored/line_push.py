"""A push that arrives line by line: each line is committed while the next one is on its way.

Must not know where the bytes come from.
"""

from collections.abc import AsyncIterator
from functools import partial

from citestream.service.offload import ASIDE_BYTES, aside
from citestream.service.problems import INPUT_ERRORS, Problem, problem_of
from citestream.service.stored.turns import PushAnswer, StoredTurns
from citestream.turns import InputEvent, Refused
from citestream.wire.input.events import read_event
from citestream.wire.ndjson import LineReader

_Line = tuple[int, InputEvent]
"""The number of a line, from 1, and its event."""


class PushOfLines:
    """A push that is committed as its lines arrive; ``number`` is that of the next event."""

    def __init__(self, turns: StoredTurns, turn_id: str, number: int) -> None:
        self._turns = turns
        self._turn_id = turn_id
        self._number = number
        self._parts: list[dict[str, str]] = []
        self._output: list[dict[str, str]] = []
        self._refused: list[Refused] = []

    async def answer(self, chunks: AsyncIterator[bytes]) -> PushAnswer:
        """Take all lines in; return the answer to the push.

        Raises :class:`Problem`, with the number of the line; what stands before it is committed.
        """
        answer = await self._turns.push(self._turn_id, self._number, [])
        async for lines, refusal in _lines(chunks):
            if lines:
                answer = await self._take(lines)
            if refusal:
                raise refusal
        return answer._replace(parts=self._parts, tool_output=self._output, refused=self._refused)

    async def _take(self, lines: list[_Line]) -> PushAnswer:
        try:
            answer = await self._turns.push(
                self._turn_id, self._number, [event for _, event in lines]
            )
        except Problem as problem:
            if len(lines) == 1:
                raise _in_line(problem, lines[0][0]) from None
            # What was accepted may not depend on how the network cut the lines: all before the
            # line that cannot be.
            for line in lines:
                answer = await self._take([line])
            return answer
        self._number += len(lines)
        self._parts += answer.parts
        self._output += answer.tool_output
        self._refused += answer.refused
        return answer


def _in_line(problem: Problem, line: int) -> Problem:
    detail = problem.detail.removeprefix("events[0]").lstrip(".: ")
    extra = {**problem.extra, "line": line}
    return Problem(problem.kind, f"line {line}: {detail}", problem.fields, problem.headers, **extra)


async def _lines(
    chunks: AsyncIterator[bytes],
) -> AsyncIterator[tuple[list[_Line], Problem | None]]:
    """Yield the events of each chunk, and what is wrong with the line behind them."""
    reader = LineReader()
    while True:
        chunk = await anext(chunks, None)
        events: list[_Line] = []
        try:
            for line in reader.finish() if chunk is None else reader.feed(chunk):
                if len(line) <= ASIDE_BYTES:  # nearly every line, and without a coroutine
                    event = read_event(line)
                else:
                    event = await aside(partial(read_event, line), size=len(line))
                events.append((reader.number, event))
        except INPUT_ERRORS as error:
            yield events, problem_of(error, f"line {reader.number}: ", line=reader.number)
            return
        if events:
            yield events, None
        if chunk is None:
            return
