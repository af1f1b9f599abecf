"""A turn on a wire: frames, their numbers, and how a stream ends."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.sse import Event, events_of, text_of

from citestream import DeltaInput, EndInput, PartInput, Turn
from citestream.api.transport.problems import problem_object
from citestream.service import streaming, totals
from citestream.service.offload import LOOP_COST
from citestream.service.problems import TOO_LARGE, Problem
from citestream.service.streaming import Pipe, TurnStream, answer_frames, register_all, stepped
from citestream.turns import ResultsInput, TextDelta
from citestream.wire.formats.native import NativeReader, NativeWriter
from citestream.wire.input.errors import InputError

CITED = "Fact\ue200cite\ue202a\ue201. More."
EVENTS = [PartInput("t", 1, "a"), *map(DeltaInput, CITED), EndInput()]


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


DELTA = {"type": "delta", "text": "a"}
END = {"type": "end"}


def stream_of(after: int = 0, turn: Turn | None = None) -> TurnStream:
    return TurnStream(turn or Turn(), NativeWriter(after), problem_object)


def pipe_of(after: int = 0, turn: Turn | None = None) -> Pipe:
    return Pipe(NativeReader(), stream_of(after, turn))


def whole(pipe: Pipe, frames: bytes) -> bytes:
    """Return the frames of a call with those of what waits."""
    while pipe.cost:
        frames += pipe.resume()
    return frames


def batches(*chunks: bytes, after: int = 0) -> list[bytes]:
    """Return the frames of each chunk that has any, and those of the end."""
    pipe = pipe_of(after)
    made = [whole(pipe, pipe.feed(chunk)) for chunk in chunks if not pipe.ended]
    if not pipe.ended:
        made.append(whole(pipe, pipe.finish()))
    assert pipe.ended
    assert pipe.fault is None
    return [frames for frames in made if frames]


def answered(*chunks: bytes, after: int = 0) -> list[Event]:
    return events_of(b"".join(batches(*chunks, after=after)))


# -- events that are all there -------------------------------------------------------------------


def test_frames_are_numbered_and_skipped() -> None:
    all_of_them = events_of(b"".join(answer_frames(stream_of(), EVENTS)))
    count = len(all_of_them)
    assert [event.id for event in all_of_them] == [str(n + 1) for n in range(count)]
    assert text_of(all_of_them) == "Fact. More."
    for after in range(count + 2):
        stream = stream_of(after)
        assert events_of(b"".join(answer_frames(stream, EVENTS))) == all_of_them[after:]
        assert stream.number == count
        assert (stream.has_news, stream.is_behind) == (after < count, after > count)
        assert stream.ended


def test_waiting_frames_share_a_send() -> None:
    events = [*(DeltaInput("x" * 100) for _ in range(1000)), EndInput()]
    made = list(answer_frames(stream_of(), events))
    assert len(events_of(b"".join(made))) == 1002
    assert all(len(batch) >= streaming.BATCH_BYTES for batch in made[:-1])
    assert max(map(len, made[:-1])) < streaming.BATCH_BYTES + 1000


def test_a_fault_closes_what_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = stream_of()

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


@pytest.mark.parametrize("cost", [0, LOOP_COST + 1])
def test_stepped_frames_are_the_frames(cost: int) -> None:
    async def collect() -> list[bytes]:
        return [frame async for frame in stepped(iter([b"a", b"b", b"c"]), cost=cost)]

    assert asyncio.run(collect()) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("limit", ["MAX_TEXT", "MAX_DELTAS"])
def test_a_turn_has_limits(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(totals, limit, 3)
    stream = stream_of()
    for _ in range(3):
        stream.push(DeltaInput("a"))
    with pytest.raises(InputError, match="at most 3"):
        stream.push(DeltaInput("a"))


def test_frames_of_events_that_no_turn_made() -> None:
    stream = stream_of()
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
    pipe = pipe_of()
    frames = pipe.feed(lines(DELTA))
    frames += pipe.refuse(Problem(TOO_LARGE, "body: at most 5 bytes"))
    first, last = events_of(frames)
    assert first.type == "delta"
    assert last.value["error"]["status"] == 413
    assert "line" not in last.value["error"]
    assert pipe.ended


def test_an_end_from_outside_keeps_the_text() -> None:
    pipe = pipe_of()
    frames = pipe.feed(lines(DELTA) + b"half a line") + pipe.end("timeout")
    assert [event.type for event in events_of(frames)] == ["delta", "citations_summary", "artifact"]
    assert events_of(frames)[-1].value["reason"] == "timeout"
    assert pipe.ended


def test_a_fault_between_lines_is_an_event_and_is_kept_to_be_raised() -> None:
    class Broken(Turn):
        def feed(self, delta: str) -> Any:
            raise RuntimeError("private")

    pipe = pipe_of(turn=Broken())
    [event] = events_of(pipe.feed(lines(DELTA)))
    assert event.value["error"]["status"] == 500
    assert "private" not in event.data
    assert isinstance(pipe.fault, RuntimeError)
    assert pipe.ended


def test_frames_before_the_cursor_are_made_and_not_sent() -> None:
    all_of_them = answered(lines(DELTA, DELTA))
    assert answered(lines(DELTA, DELTA), after=2) == all_of_them[2:]


# -- what is dear --------------------------------------------------------------------------------

LONG = {"type": "delta", "text": "word " * 4000}
CITING = {"type": "delta", "text": "".join(f"{n}\ue200cite\ue202a\ue201" for n in range(300))}


def test_a_dear_end_waits_and_the_text_before_it_does_not() -> None:
    pipe = pipe_of()
    first = pipe.feed(lines(LONG, LONG, DELTA, END))
    assert [event.type for event in events_of(first)] == ["delta"] * 3
    assert pipe.cost > LOOP_COST
    assert not pipe.ended
    assert [event.type for event in events_of(pipe.resume())] == ["citations_summary", "artifact"]
    assert (pipe.cost, pipe.ended) == (0, True)


def test_a_cheap_end_does_not_wait() -> None:
    pipe = pipe_of()
    pipe.feed(lines(DELTA, END))
    assert pipe.ended


def test_a_part_that_many_citations_wait_for_is_dear_and_what_follows_it_is_not_lost() -> None:
    part = {"type": "part", "id": "a", "tool_name": "t", "data": 1}
    pipe = pipe_of()
    pipe.feed(lines(CITING))
    assert pipe.feed(lines(part, DELTA, part, END)) == b""
    frames = []
    while pipe.cost:
        frames.append([event.type for event in events_of(pipe.resume())])
    assert sorted(frames[0]) == ["citation"] * 300 + ["delta"]
    assert frames[1:] == [[], ["citations_summary", "artifact"]]
    assert pipe.ended


def test_the_end_of_the_bytes_is_dear_like_an_end() -> None:
    pipe = pipe_of()
    pipe.feed(lines(LONG, LONG))
    assert pipe.finish() == b""
    assert pipe.cost > LOOP_COST
    assert events_of(pipe.resume())[-1].type == "artifact"


def test_what_may_wait_for_the_rest_of_its_line_is_counted() -> None:
    pipe = pipe_of()
    for size in (15, 30):
        pipe.feed(b'{"type":"custom')
        assert pipe.unread == size
    pipe = pipe_of()
    pipe.feed(lines(DELTA) + b"a" * 100)
    assert 100 <= pipe.unread <= 100 + len(lines(DELTA))
    pipe.feed(b"b" * 50)
    assert 150 <= pipe.unread <= 150 + len(lines(DELTA))


# -- what is known before the answer -------------------------------------------------------------


def test_parts_and_results_are_registered_and_results_are_shown() -> None:
    turn = Turn()
    results = ({"title": "Tides", "url": "https://example.org/tides"},)
    output = register_all(turn, [PartInput("t", 1, "a")], [ResultsInput("web_search", results)])
    assert [one["tool_name"] for one in output] == ["web_search"]
    assert "Tides" in output[0]["text"]
    assert turn.parts()[0].id == "a"
    assert len(turn.sources()) == 1


def test_a_part_that_cannot_be_registered_is_named() -> None:
    parts = [PartInput("t", 1, "a"), PartInput("t", 1, "a"), PartInput("t", 2, "a")]
    with pytest.raises(Problem, match=r"^parts\[2\]\.id: "):
        register_all(Turn(), parts, [])
