"""A push that arrives line by line: each line is committed while the next one is on its way.

Must not know where the bytes come from.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from operator import itemgetter

from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import Problem, problem_of
from citestream.service.stored.turns import PushAnswer, StoredTurns
from citestream.turns import InputEvent, Refused
from citestream.wire.formats import Reader
from citestream.wire.input.errors import INPUT_ERRORS

_Line = tuple[int, InputEvent]
"""The number of a line, from 1, and its event; 0 in a format without lines."""


class LinePush:
    """A push that is committed as its lines arrive; ``number`` is that of the next event."""

    def __init__(self, turns: StoredTurns, turn_id: str, number: int, reader: Reader) -> None:
        self._turns = turns
        self._turn_id = turn_id
        self._number = number
        self._reader = reader
        self._refusal: Problem | None = None
        self._unread = 0  # bytes that may wait for the rest of their line
        self._parts: list[dict[str, str]] = []
        self._output: list[dict[str, str]] = []
        self._refused: list[Refused] = []

    async def answer(self, read: Callable[[], Awaitable[bytes]]) -> PushAnswer:
        """Take all chunks in that ``read`` gives, to an empty one; return the answer to the push.

        Raises :class:`Problem`, with the number of the line; what is before it is committed.
        """
        answer = await self._turns.push(self._turn_id, self._number, [])
        chunk = b"."
        while chunk:
            chunk = await read()
            cost = self._unread + len(chunk)
            step = partial(self._lines, chunk)
            lines = step() if cost <= LOOP_COST else await offload(step, cost=cost)
            self._unread = len(chunk) if lines else cost
            if lines:
                answer = await self._take(lines)
            if self._refusal:
                raise self._refusal
        return answer._replace(parts=self._parts, tool_output=self._output, refused=self._refused)

    def _lines(self, chunk: bytes) -> list[_Line]:
        """Return the events of a chunk, up to the first line that is refused."""
        lines: list[_Line] = []
        reader = self._reader
        events = reader.feed(chunk) if chunk else reader.finish()
        try:
            for event in events:
                lines.append((reader.line or 0, event))  # noqa: PERF401 - those before a refusal count
        except INPUT_ERRORS as error:
            if (line := reader.line) is None:  # of a format without lines
                self._refusal = problem_of(error)
            else:
                self._refusal = problem_of(error, f"line {line}: ", line=line)
        return lines

    async def _take(self, lines: list[_Line]) -> PushAnswer:
        try:
            events = list(map(itemgetter(1), lines))
            answer = await self._turns.push(self._turn_id, self._number, events)
        except Problem as problem:
            if len(lines) == 1:
                number = lines[0][0]
                raise (_in_line(problem, number) if number else problem) from None
            # What is accepted may not depend on how the network cut the lines: all before the one
            # that cannot be taken.
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
    return Problem(problem.type, f"line {line}: {detail}", problem.fields, problem.headers, **extra)
