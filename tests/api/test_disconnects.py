"""Clients that go, stall or wait too long, and a server that stops: nothing is left of them."""

import asyncio
import gc
import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.raw_http import NDJSON, RawClient
from tests.serving import DEADLINE, Process, Served, process, serving, until

from citestream.api.routes import answers
from citestream.api.transport import event_stream
from citestream.api.transport.chunks import RequestBody
from citestream.api.transport.event_stream import EventStream
from citestream.service.stored import expiry as housekeeping
from citestream.service.streaming import TurnStream
from citestream.settings import Settings
from citestream.turns import Turn
from citestream.wire.input import events as input_events

KEPT = (EventStream, RequestBody, TurnStream, Turn)
LONG = {"deltas": ["ab"] * 50_000}
LARGE = json.dumps({"text": "x" * 1_000_000})


def kept() -> Counter[str]:
    gc.collect()
    names = {type_.__name__ for type_ in KEPT} | {"RequestResponseCycle", "HttpToolsProtocol"}
    return Counter(name for found in gc.get_objects() if (name := type(found).__name__) in names)


def descriptors() -> int:
    # The store opens its own when it is first asked.
    found = [os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()]
    return len([one for one in found if not Path(one).name.startswith("turns.db")])


def nothing_more_than(objects: Counter[str], files: int) -> None:
    """Wait until no more is kept; other servers of this process may let go of some meanwhile."""
    try:
        until(lambda: kept() <= objects and descriptors() <= files)
    except AssertionError:
        opened = [str(file.readlink()) for file in Path("/proc/self/fd").iterdir()]
        pytest.fail(f"kept {kept() - objects} more, {descriptors() - files} files more: {opened}")


# -- going ---------------------------------------------------------------------------------------


def connected(_: RawClient) -> None: ...


def in_the_head(raw: RawClient) -> None:
    raw.send(b"POST /v1/stream HTTP/1.1\r\nHost: localhost")


def before_the_body(raw: RawClient) -> None:
    raw.request("/v1/stream", kind="application/json", length=100)


def in_a_json_body(raw: RawClient) -> None:
    raw.request("/v1/extract", kind="application/json")
    raw.chunk(b'{"text": "')


def behind_the_head_of_the_answer(raw: RawClient) -> None:
    raw.request("/v1/stream")
    assert raw.status() == 200


def in_a_line(raw: RawClient) -> None:
    behind_the_head_of_the_answer(raw)
    raw.chunk(b'{"type":"delta","te')


def between_lines(raw: RawClient) -> None:
    behind_the_head_of_the_answer(raw)
    raw.line({"type": "delta", "text": "a \ue200cite"})
    raw.event()


def in_a_replay(raw: RawClient) -> None:
    raw.post("/v1/stream", LONG)
    raw.status()
    raw.event()


def before_a_replay(raw: RawClient) -> None:
    raw.post("/v1/stream", LONG)


STAGES: list[tuple[Callable[[RawClient], None], int]] = [
    (connected, 35),
    (in_the_head, 35),
    (before_the_body, 35),
    (in_a_json_body, 35),
    (behind_the_head_of_the_answer, 35),
    (in_a_line, 35),
    (between_lines, 40),
    (in_a_replay, 5),
    (before_a_replay, 5),
]


@pytest.fixture
def _no_housekeeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first look at the store opens files that stay open."""
    monkeypatch.setattr(housekeeping, "MAX_PAUSE_SECONDS", 3600.0)


@pytest.mark.usefixtures("_no_housekeeping")
def test_clients_that_go_leave_nothing_behind() -> None:
    """520 of them, at every stage, half by FIN and half by RST."""
    with serving() as server:
        # What is made once is made by one of each.
        for stage, _ in STAGES:
            with RawClient(server.port) as raw:
                stage(raw)
        until(server.idle)
        before = kept(), descriptors()
        for stage, count in STAGES:
            for leave in (RawClient.reset, lambda raw: raw.socket.close()):
                for _ in range(count):
                    raw = RawClient(server.port)
                    stage(raw)
                    leave(raw)
        until(server.idle)
        nothing_more_than(*before)
        assert httpx.get(f"{server.url}/livez").status_code == 200
    assert sum(count for _, count in STAGES) * 2 == 520


@pytest.mark.usefixtures("_no_housekeeping")
def test_many_at_once_leave_nothing_behind() -> None:
    with serving() as server:
        with RawClient(server.port) as raw:
            between_lines(raw)
        until(server.idle)
        before = kept(), descriptors()
        clients = [RawClient(server.port) for _ in range(200)]
        for raw in clients:
            between_lines(raw)
        assert server.connections == 200
        for number, raw in enumerate(clients):
            raw.reset() if number % 2 else raw.socket.close()
        until(server.idle)
        del clients, raw
        nothing_more_than(*before)


def test_a_client_that_goes_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is counted where it is done; the answer would need many times as much."""
    worked = 0
    push = TurnStream.push

    def counted(self: TurnStream, event: Any) -> bytes:
        nonlocal worked
        worked += 1
        return push(self, event)

    monkeypatch.setattr(TurnStream, "push", counted)
    deltas = ["some text that fills the buffers of the system "] * 150_000
    with serving() as server:
        raw = RawClient(server.port, receive_buffer=4096)
        raw.post("/v1/stream", {"deltas": deltas})
        raw.status()
        raw.event()
        raw.reset()
        until(server.idle)
        assert 0 < worked < len(deltas)


# -- stalling ------------------------------------------------------------------------------------


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server that waits for a reader 0.3 seconds, and for silence 0.1."""
    monkeypatch.setattr(event_stream, "TICK_SECONDS", 0.05)
    with serving(Settings(send_seconds=0.3, ping_seconds=0.1), send_buffer=32 * 1024) as server:
        yield server


def test_a_reader_that_never_reads_is_cut(strict: Served) -> None:
    with RawClient(strict.port, receive_buffer=4096) as raw:
        raw.request("/v1/stream", kind="application/json", length=len(LARGE))
        raw.send(LARGE.encode())
        until(lambda: strict.connections)
        until(strict.idle)
        raw.closed()


def test_a_reader_that_stops_reading_while_it_writes_is_cut(strict: Served) -> None:
    with RawClient(strict.port, receive_buffer=4096) as raw:
        raw.request("/v1/stream")
        raw.status()
        with suppress(ConnectionError):
            for _ in range(70):
                raw.line({"type": "delta", "text": "x" * 100_000})
        until(strict.idle)


def test_silence_brings_comments(strict: Served) -> None:
    with RawClient(strict.port) as raw:
        raw.request("/v1/stream")
        raw.status()
        assert raw.piece() == b": ping\n\n"
        assert raw.piece() == b": ping\n\n"
        raw.line({"type": "delta", "text": "a"})
        assert raw.event().id == "1"
        raw.end()
        assert [event.id for event in raw.events()] == ["2", "3"]
        assert set(raw.reader.comments) <= {"ping"}


def test_readers_that_stall_do_not_slow_the_others() -> None:
    """The ratio is printed, not asserted: machines are shared."""
    stalled = {"deltas": ["x" * 1000] * 400}
    lines = 5

    async def healthy(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /v1/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: {NDJSON}\r\n"
        writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        for number in range(lines):
            line = b'{"type":"delta","text":"%d"}\n' % number
            writer.write(b"%x\r\n%s\r\n" % (len(line), line))
            assert b'"text":"%d"' % number in await reader.readuntil(b"\n\n\r\n")
        writer.close()
        await writer.wait_closed()

    async def all_healthy(port: int) -> float:
        start = time.perf_counter()
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(*(healthy(port) for _ in range(200)))
        return time.perf_counter() - start

    with process(send_buffer=32 * 1024) as server:
        asyncio.run(all_healthy(server.port))  # what is made once is made
        alone = asyncio.run(all_healthy(server.port))
        stalling = [RawClient(server.port, receive_buffer=4096) for _ in range(200)]
        for raw in stalling:
            raw.post("/v1/stream", stalled)
        for raw in stalling:
            assert raw.status() == 200
        beside = asyncio.run(all_healthy(server.port))
        for raw in stalling:
            raw.reset()
    print(f"200 healthy readers beside 200 stalled: {beside / alone:.2f} times the time alone")


# -- large input ---------------------------------------------------------------------------------


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Hold the work on input where it is done: (it has begun, let it go on)."""
    begun, go_on = threading.Event(), threading.Event()

    def holding(work: Callable[..., Any]) -> Callable[..., Any]:
        def hold(*arguments: Any) -> Any:
            begun.set()
            assert go_on.wait(DEADLINE)
            return work(*arguments)

        return hold

    monkeypatch.setattr(answers, "read_as", holding(answers.read_as))
    monkeypatch.setattr(input_events, "read_event", holding(input_events.read_event))
    yield begun, go_on
    go_on.set()


@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", NDJSON])
def test_a_large_input_leaves_the_loop_to_others(
    server: Served, held: tuple[threading.Event, threading.Event], path: str
) -> None:
    begun, go_on = held
    text = "x" * 100_000
    with RawClient(server.port) as raw:
        if path == NDJSON:
            raw.request("/v1/stream")
            raw.line({"type": "delta", "text": text})
        else:
            raw.post(path, {"text": text})
        assert begun.wait(DEADLINE)
        assert httpx.get(f"{server.url}/livez", timeout=DEADLINE).status_code == 200
        go_on.set()
        assert raw.status() == 200
        if path == NDJSON:
            assert raw.event().value["text"] == text


# -- stopping ------------------------------------------------------------------------------------


@pytest.fixture
def stoppable() -> Iterator[Process]:
    with process() as server:
        yield server


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_open_streams_and_asks_readers_to_come_back(
    stoppable: Process, number: signal.Signals
) -> None:
    clients = [RawClient(stoppable.port) for _ in range(10)]
    for raw in clients:
        between_lines(raw)
    idle = RawClient(stoppable.port)
    status = stoppable.stop(number)
    assert status in (0, -number)
    for raw in clients:
        assert list(raw.events()) == []  # and not cut off
        assert raw.reader.retry == 1000
        raw.closed()
        raw.socket.close()
    idle.closed()
    idle.socket.close()
    socket.create_server(("127.0.0.1", stoppable.port)).close()  # the port is free at once


def test_a_reader_that_stalls_does_not_hold_up_a_stop() -> None:
    with process(send_buffer=32 * 1024, CITESTREAM_SEND_SECONDS="1") as server:
        raw = RawClient(server.port, receive_buffer=4096)
        raw.post("/v1/stream", {"deltas": ["x" * 1000] * 1000})
        raw.status()
        assert server.stop() in (0, -signal.SIGTERM)
        raw.socket.close()


def test_a_started_answer_is_finished_before_the_stop(stoppable: Process) -> None:
    with RawClient(stoppable.port) as raw:
        raw.request("/v1/extract", kind="application/json")
        raw.chunk(b'{"text":')
        # The server has seen the request when it has answered one that came later.
        httpx.get(f"{stoppable.url}/livez")
        stoppable.started.send_signal(signal.SIGTERM)
        raw.chunk(b'"a"}')
        raw.end()
        assert raw.status() == 200
        assert json.loads(raw.body())["text"] == "a"
    assert stoppable.started.wait(DEADLINE) in (0, -signal.SIGTERM)
