"""The response that answers a body while it arrives: each chunk at once, and how it ends."""

import asyncio
import json
import threading
from typing import Any

import pytest
from tests.api.transport.test_event_stream import FOREVER, TICK, Client, Message, run
from tests.sse import Event, events_of

from citestream import turns
from citestream.api.transport import event_stream
from citestream.api.transport.chunks import RequestBody
from citestream.api.transport.duplex import DuplexStream
from citestream.api.transport.problems import problem_object
from citestream.service.offload import LOOP_COST
from citestream.service.problems import TOO_LARGE, Problem
from citestream.service.streaming import Pipe, TurnStream
from citestream.turns import Turn
from citestream.wire.formats.native import NativeReader, NativeWriter

DELTA = b'{"type":"delta","text":"a"}\n'
END = b'{"type":"end"}\n'


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "TICK_SECONDS", TICK)


def messages(*chunks: bytes, more: bool = False) -> list[Message]:
    return [
        {"type": "http.request", "body": chunk, "more_body": more or number < len(chunks)}
        for number, chunk in enumerate(chunks, 1)
    ]


def response(
    turn: Turn | None = None, *, limit: int = 10**7, idle: float = FOREVER, **more: Any
) -> DuplexStream:
    pipe = Pipe(NativeReader(), TurnStream(turn or Turn(), NativeWriter(), problem_object))
    refusal = Problem(TOO_LARGE, f"body: at most {limit} bytes")
    return DuplexStream(pipe, RequestBody(limit, refusal, idle), writer=NativeWriter, **more)


def events(client: Client) -> list[Event]:
    return events_of(b"".join(client.bodies))


def types(client: Client) -> list[str]:
    return [event.type for event in events(client)]


def test_each_chunk_is_answered_in_a_send_of_its_own() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA, DELTA * 3, b"\n", DELTA[:9], DELTA[9:], END))
        await client.answered(response())
        assert [len(events_of(body)) for body in client.bodies] == [1, 3, 1, 2, 0]
        assert client.complete

    run(scene())


def test_a_body_that_ends_has_ended_the_answer() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA.rstrip()))
        await client.answered(response())
        assert types(client) == ["delta", "citations_summary", "artifact"]
        assert client.complete

    run(scene())


def test_nothing_is_read_after_the_end() -> None:
    async def scene() -> None:
        client = Client(*messages(END, b"nonsense\n", more=True))
        await client.answered(response())
        assert types(client) == ["citations_summary", "artifact"]
        assert client.complete

    run(scene())


def test_a_body_past_its_limit_ends_the_stream_with_an_error() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA, DELTA, more=True))
        await client.answered(response(limit=len(DELTA) + 1))
        assert types(client) == ["delta", "error"]
        assert events(client)[-1].value["error"]["status"] == 413
        assert client.complete

    run(scene())


def test_a_client_that_sends_nothing_for_long_has_ended_its_answer() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA, more=True))
        await client.answered(response(idle=TICK))
        assert types(client) == ["delta", "citations_summary", "artifact"]
        assert events(client)[-1].value["reason"] == "timeout"
        assert client.complete

    run(scene())


def test_a_client_that_goes_ends_the_stream() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA, more=True))
        answering = asyncio.create_task(client.answered(response()))
        await asyncio.sleep(TICK)
        client.go()
        await answering
        assert types(client) == ["delta"]
        assert not client.complete

    run(scene())


def test_a_fault_is_an_event_and_is_raised() -> None:
    class Broken(Turn):
        def feed(self, delta: str) -> Any:
            raise RuntimeError("private")

    async def scene() -> None:
        client = Client(*messages(DELTA, more=True))
        with pytest.raises(RuntimeError):
            await client.answered(response(Broken()))
        assert events(client)[-1].value["error"]["status"] == 500
        assert not client.complete

    run(scene())


def threads_of(turn_events: type[turns.InputEvent]) -> tuple[type[Turn], list[bool]]:
    """Return a turn that notes for each event of a type whether it is taken in by the loop."""
    here: list[bool] = []

    class Watched(Turn):
        def accept(self, event: turns.InputEvent) -> list[turns.OutputEvent]:
            if isinstance(event, turn_events):
                here.append(threading.current_thread() is threading.main_thread())
            return super().accept(event)

        def feed(self, delta: str) -> list[turns.OutputEvent]:
            if turns.DeltaInput is turn_events:
                here.append(threading.current_thread() is threading.main_thread())
            return super().feed(delta)

    return Watched, here


@pytest.mark.parametrize(("size", "in_loop"), [(10, True), (LOOP_COST + 1, False)])
def test_a_large_line_is_read_beside_the_loop(size: int, in_loop: bool) -> None:
    watched, here = threads_of(turns.DeltaInput)

    async def scene() -> None:
        line = json.dumps({"type": "delta", "text": "x" * size}).encode() + b"\n"
        chunks = [line[at : at + 5000] for at in range(0, len(line), 5000)]
        client = Client(*messages(*chunks, END))
        await client.answered(response(watched()))
        assert client.complete

    run(scene())
    assert here == [in_loop]


@pytest.mark.parametrize(("count", "in_loop"), [(1, True), (4, False)])
def test_an_end_whose_work_is_large_is_taken_in_beside_the_loop(count: int, in_loop: bool) -> None:
    watched, here = threads_of(turns.EndInput)
    text = json.dumps({"type": "delta", "text": "x" * (LOOP_COST // 3)}).encode() + b"\n"

    async def scene() -> None:
        client = Client(*messages(*[text] * count, END))
        await client.answered(response(watched()))
        assert types(client) == ["delta"] * count + ["citations_summary", "artifact"]

    run(scene())
    assert here == [in_loop]


def test_a_server_that_stops_asks_to_come_back() -> None:
    async def scene() -> None:
        client = Client(*messages(DELTA, more=True))
        stream = response()
        stream._max_age = TICK
        await client.answered(stream)
        assert client.bodies[1:] == [NativeWriter.farewell, b""]

    run(scene())
