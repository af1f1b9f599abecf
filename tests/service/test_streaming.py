"""A turn on a wire: frames, their numbers, and how a stream ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import pytest
from tests.sse import Event, events_of, text_of

from citestream import DeltaInput, EndInput, PartInput, Turn
from citestream.service import streaming, totals
from citestream.service.offload import ASIDE_BYTES
from citestream.service.problems import TOO_LARGE, Problem
from citestream.service.streaming import TurnStream, answer_frames, answer_lines, stepped
from citestream.turns import TextDelta
from citestream.wire.input.errors import InputError

CITED = "Fact\ue200cite\ue202a\ue201. More."
EVENTS = [PartInput("t", 1, "a"), *map(DeltaInput, CITED), EndInput()]


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


DELTA = {"type": "delta", "text": "a"}
END = {"type": "end"}


async def given(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def batches(*chunks: bytes, after: int = 0) -> list[bytes]:
    async def collect() -> list[bytes]:
        stream = TurnStream(Turn(), after)
        return [frames async for frames in answer_lines(stream, given(chunks))]

    return asyncio.run(collect())


def answered(*chunks: bytes, after: int = 0) -> list[Event]:
    return events_of(b"".join(batches(*chunks, after=after)))


# -- events that are all there -------------------------------------------------------------------


def test_frames_are_numbered_and_skipped() -> None:
    whole = events_of(b"".join(answer_frames(TurnStream(Turn()), EVENTS)))
    assert [event.id for event in whole] == [str(n + 1) for n in range(len(whole))]
    assert text_of(whole) == "Fact. More."
    for after in range(len(whole) + 2):
        stream = TurnStream(Turn(), after)
        assert events_of(b"".join(answer_frames(stream, EVENTS))) == whole[after:]
        assert stream.number == len(whole)
        assert stream.ended


def test_waiting_frames_share_a_send() -> None:
    events = [*(DeltaInput("x" * 100) for _ in range(1000)), EndInput()]
    made = list(answer_frames(TurnStream(Turn()), events))
    assert len(events_of(b"".join(made))) == 1002
    assert all(len(batch) >= streaming.BATCH_BYTES for batch in made[:-1])
    assert max(map(len, made[:-1])) < streaming.BATCH_BYTES + 1000


def test_a_fault_closes_what_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = TurnStream(Turn())

    def events() -> Iterator[DeltaInput]:
        yield DeltaInput("good")
        raise RuntimeError("private")

    frames = answer_frames(stream, events())
    first, last = events_of(next(frames))
    assert first.value == {"type": "delta", "text": "good"}
    assert (last.type, last.id) == ("error", "2")
    assert last.value["error"]["status"] == 500
    assert "private" not in last.data
    with pytest.raises(RuntimeError):
        next(frames)


@pytest.mark.parametrize("size", [0, ASIDE_BYTES + 1])
def test_stepped_frames_are_the_frames(size: int) -> None:
    async def collect() -> list[bytes]:
        return [frame async for frame in stepped(iter([b"a", b"b", b"c"]), size=size)]

    assert asyncio.run(collect()) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("limit", ["MAX_TEXT", "MAX_DELTAS"])
def test_a_turn_has_limits(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(totals, limit, 3)
    stream = TurnStream(Turn())
    for _ in range(3):
        stream.push(DeltaInput("a"))
    with pytest.raises(InputError, match="at most 3"):
        stream.push(DeltaInput("a"))


def test_frames_of_events_that_no_turn_made() -> None:
    stream = TurnStream(Turn())
    [event] = events_of(stream.frames([TextDelta("a")]))
    assert event.value == {"type": "delta", "text": "a"}
    assert not stream.ended


# -- lines ---------------------------------------------------------------------------------------


def test_each_chunk_is_answered_at_once() -> None:
    first, second, last = batches(lines(DELTA), lines(DELTA, DELTA), lines(END))
    assert [event.id for event in events_of(first)] == ["1"]
    assert [event.id for event in events_of(second)] == ["2", "3"]
    assert [event.type for event in events_of(last)] == ["citations_summary", "artifact"]


def test_a_chunk_that_says_nothing_sends_nothing() -> None:
    made = batches(b"", b" ", b"\n", lines(DELTA)[:5], lines(DELTA)[5:])
    assert all(made)
    assert len(made) == 2


def test_a_body_that_ends_has_ended_the_answer() -> None:
    assert answered(lines(DELTA)) == answered(lines(DELTA, END))
    assert answered(lines(DELTA).rstrip()) == answered(lines(DELTA, END))


def test_nothing_behind_the_end_is_read() -> None:
    assert answered(lines(DELTA, END) + b"nonsense\n") == answered(lines(DELTA, END))
    assert answered(lines(DELTA, END), b"nonsense\n") == answered(lines(DELTA, END))


@pytest.mark.parametrize("cut", [1, 5, 1000])
def test_an_error_names_its_line_and_keeps_what_was_before(cut: int) -> None:
    body = lines(DELTA) + b"\n" + lines(DELTA) + b"nonsense\n" + lines(DELTA)
    chunks = [body[at : at + cut] for at in range(0, len(body), cut)]
    *before, last = answered(*chunks)
    assert text_of(before) == "aa"
    assert (last.type, last.id) == ("error", "3")
    assert last.value["error"]["line"] == 4


def test_an_error_in_a_line_without_end() -> None:
    [only] = answered(b"nonsense")
    assert only.value["error"]["line"] == 1


def test_a_refusal_from_where_the_bytes_come_from() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield lines(DELTA)
        raise Problem(TOO_LARGE, "body: at most 5 bytes")

    async def collect() -> bytes:
        return b"".join([f async for f in answer_lines(TurnStream(Turn()), chunks())])

    first, last = events_of(asyncio.run(collect()))
    assert first.type == "delta"
    assert last.value["error"]["status"] == 413
    assert "line" not in last.value["error"]


def test_a_fault_between_lines_is_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: bytes) -> None:
        raise RuntimeError("private")

    monkeypatch.setattr(streaming, "read_event", broken)
    made: list[bytes] = []

    async def collect() -> None:
        async for frames in answer_lines(TurnStream(Turn()), given([lines(DELTA)])):
            made.append(frames)  # noqa: PERF401 - what came before the fault counts

    with pytest.raises(RuntimeError):
        asyncio.run(collect())
    [event] = events_of(b"".join(made))
    assert event.value["error"]["status"] == 500
    assert "private" not in event.data


def test_many_lines_in_one_chunk_leave_the_loop_to_others() -> None:
    turns_of_another = 0

    async def other() -> None:
        nonlocal turns_of_another
        while True:
            turns_of_another += 1
            await asyncio.sleep(0)

    async def scene() -> None:
        beside = asyncio.create_task(other())
        chunks = given([lines(*[DELTA] * 2000)])
        assert len([f async for f in answer_lines(TurnStream(Turn()), chunks)]) == 2
        beside.cancel()

    asyncio.run(scene())
    assert turns_of_another >= 5


def test_frames_before_the_cursor_are_made_and_not_sent() -> None:
    whole = answered(lines(DELTA, DELTA))
    assert answered(lines(DELTA, DELTA), after=2) == whole[2:]
