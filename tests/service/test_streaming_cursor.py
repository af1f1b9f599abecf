"""A reader's cursor in a body of lines, whose number of events is known only at its end."""

import json
from typing import Any

import pytest

from citestream.api.transport.problems import problem_object
from citestream.service.streaming import Pipe, TurnStream
from citestream.turns import Turn
from citestream.wire.formats.native import NativeReader, NativeWriter

WHOLE = [b'{"type":"delta","text":"Fact."}\n{"type":"end"}\n']
OPEN = [b'{"type":"delta","text":"Fact."}\n']
BROKEN = [b'{"type":"delta","text":"Fact."}\n{}\n']


def events(chunks: list[bytes], after: int) -> list[tuple[int, dict[str, Any]]]:
    pipe = Pipe(NativeReader(), TurnStream(Turn(), NativeWriter(after), problem_object))
    frames = b"".join(map(pipe.feed, chunks))
    if not pipe.ended:
        frames += pipe.finish()
    lines = [frame.splitlines() for frame in frames.split(b"\n\n") if frame]
    return [(int(line[0][4:]), json.loads(line[2][6:])) for line in lines]


@pytest.mark.parametrize(("chunks", "last"), [(WHOLE, 3), (OPEN, 3), (BROKEN, 2)])
def test_goes_on_behind_the_cursor_to_the_last_event(chunks: list[bytes], last: int) -> None:
    whole = events(chunks, 0)
    assert [number for number, _ in whole] == list(range(1, last + 1))
    for after in range(last + 1):
        assert events(chunks, after) == whole[after:]


@pytest.mark.parametrize(("chunks", "last"), [(WHOLE, 3), (OPEN, 3), (BROKEN, 2)])
def test_tells_a_reader_that_claims_more_than_there_is(chunks: list[bytes], last: int) -> None:
    [(number, error)] = events(chunks, 7)
    assert number == 8
    assert error["type"] == "error"
    assert error["error"]["type"] == "urn:citestream:problem:cursor-ahead"
    assert error["error"]["detail"] == f"last-event-id: the last event is {last}"
