"""The response that sends events, run by hand: who reads, who sends, who is cut, and who closes."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from itertools import pairwise
from typing import Any

import anyio
import pytest
from sse_starlette.sse import AppStatus

from citestream.api.transport import event_stream
from citestream.api.transport.event_stream import EventStream

Message = dict[str, Any]
TICK = 0.01
FOREVER = 600.0


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "TICK_SECONDS", TICK)


@pytest.fixture
def stopping() -> Iterator[Callable[[], None]]:
    """Let a test say that the server was asked to stop."""

    def stop() -> None:
        AppStatus.should_exit = True

    yield stop
    AppStatus.should_exit = False


class TooMuchError(Exception):
    pass


async def long_pause() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


# -- the response --------------------------------------------------------------------------------


class Client:
    """What stands for the server: gives messages, takes messages, and can stall and go."""

    def __init__(self, *messages: Message) -> None:
        self.sent: list[Message] = []
        self.stalled = False
        self.aborted = False
        self.transport = self  # as uvicorn's request cycle has one
        self._waiting: asyncio.Queue[Message] = asyncio.Queue()
        self._released = asyncio.Event()
        for message in messages:
            self._waiting.put_nowait(message)

    async def receive(self) -> Message:
        return await self._waiting.get()

    async def send(self, message: Message) -> None:
        if self.stalled:
            await self._released.wait()
        if self.aborted:  # as uvicorn's, it is silent then
            return
        assert not self.sent or self.sent[-1].get("more_body", True), "sent behind the end"
        self.sent.append(message)

    def go(self) -> None:
        self._waiting.put_nowait({"type": "http.disconnect"})

    def abort(self) -> None:
        self.aborted = True
        self._released.set()

    @property
    def bodies(self) -> list[bytes]:
        return [message["body"] for message in self.sent[1:]]

    @property
    def complete(self) -> bool:
        return not self.sent[-1].get("more_body", True)

    async def answered(self, response: EventStream, method: str = "POST") -> None:
        async with asyncio.timeout(30):
            await response({"type": "http", "method": method}, self.receive, self.send)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end; no task may be left, and nobody may have complained."""
    complaints: list[Message] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        await work
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(watched())
    gc.collect()
    assert not complaints


async def frames_of(*frames: bytes) -> AsyncGenerator[bytes, None]:
    for frame in frames:
        yield frame


async def silence(closed: list[bool]) -> AsyncGenerator[bytes, None]:
    try:
        yield b"first"
        await asyncio.Event().wait()
    finally:
        closed.append(True)


async def flood(closed: list[bool]) -> AsyncGenerator[bytes, None]:
    """Frames without end that never wait for anything."""
    try:
        while True:
            yield b"x"
    finally:
        closed.append(True)


def test_the_frames_go_out_as_they_are() -> None:
    async def scene() -> None:
        client = Client()
        await client.answered(EventStream(frames_of(b"a", b"", b"bc")))
        assert client.bodies == [b"a", b"bc", b""]
        assert client.complete
        headers = dict(client.sent[0]["headers"])
        assert client.sent[0]["status"] == 200
        assert headers[b"content-type"] == b"text/event-stream; charset=utf-8"
        assert headers[b"cache-control"] == b"no-store"
        assert headers[b"x-accel-buffering"] == b"no"
        assert b"content-length" not in headers

    run(scene())


def test_a_long_frame_goes_out_in_pieces() -> None:
    frame = bytes(range(256)) * 1024

    async def scene() -> None:
        client = Client()
        await client.answered(EventStream(frames_of(frame)))
        assert b"".join(client.bodies) == frame
        assert max(map(len, client.bodies)) == event_stream.SLICE_BYTES

    run(scene())


def test_head_gets_the_headers_and_starts_nothing() -> None:
    started: list[bool] = []

    async def frames() -> AsyncGenerator[bytes, None]:
        started.append(True)
        yield b"x"

    async def scene() -> None:
        client = Client()
        await client.answered(EventStream(frames()), method="HEAD")
        assert client.bodies == [b""]
        assert dict(client.sent[0]["headers"])[b"cache-control"] == b"no-store"

    run(scene())
    assert not started


def test_a_client_that_goes_while_nothing_comes_closes_the_frames() -> None:
    closed: list[bool] = []

    async def scene() -> None:
        client = Client()
        client.go()
        await client.answered(EventStream(silence(closed)))

    run(scene())
    assert closed


def test_a_client_that_goes_stops_frames_that_never_wait() -> None:
    closed: list[bool] = []

    async def scene() -> None:
        client = Client()
        answering = asyncio.create_task(client.answered(EventStream(flood(closed))))
        await long_pause()
        client.go()
        await answering
        assert not client.complete

    run(scene())
    assert closed


def test_frames_that_never_wait_leave_the_loop_to_others() -> None:
    async def scene() -> None:
        client = Client()
        answering = asyncio.create_task(client.answered(EventStream(flood([]))))
        turns = []
        for _ in range(20):
            await asyncio.sleep(0)
            turns.append(len(client.sent))
        client.go()
        await answering
        steps = [after - before for before, after in pairwise(turns)]
        assert max(steps) <= event_stream.SENDS_PER_TURN + 1

    run(scene())


def test_a_cancelled_task_closes_the_frames() -> None:
    closed: list[bool] = []

    async def scene() -> None:
        client = Client()
        answering = asyncio.create_task(client.answered(EventStream(silence(closed))))
        await long_pause()
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering
        assert closed

    run(scene())


def test_a_scope_that_is_cancelled_lets_the_frames_do_what_they_do_at_their_end() -> None:
    closed: list[bool] = []

    async def slow_to_end() -> AsyncGenerator[bytes, None]:
        try:
            yield b"x"
        finally:
            await asyncio.sleep(TICK)
            closed.append(True)

    async def scene() -> None:
        client = Client()
        client.stalled = True
        frames = slow_to_end()
        assert await anext(frames) == b"x"  # as it is while what it gave is being sent
        with anyio.move_on_after(TICK):
            await client.answered(EventStream(frames))
        assert closed

    run(scene())


def test_an_error_of_the_frames_leaves_the_response_open_and_is_raised() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"a"
        raise TooMuchError

    async def scene() -> None:
        client = Client()
        with pytest.raises(TooMuchError):
            await client.answered(EventStream(broken()))
        assert client.bodies == [b"a"]
        assert not client.complete

    run(scene())


# -- time ----------------------------------------------------------------------------------------


def test_silence_brings_comments_one_after_the_other() -> None:
    async def scene() -> None:
        client = Client()

        async def send(message: Message) -> None:
            await client.send(message)
            if len(client.sent) == 5:
                client.go()

        response = EventStream(silence([]), ping=TICK)
        await response({"type": "http", "method": "POST"}, client.receive, send)
        assert client.bodies == [b"first", b": ping\n\n", b": ping\n\n", b": ping\n\n"]

    run(scene())


def test_a_comment_never_stands_inside_a_long_frame() -> None:
    frame = b"z" * (event_stream.SLICE_BYTES * 200)

    async def scene() -> None:
        client = Client()

        async def slowly(message: Message) -> None:
            await asyncio.sleep(TICK / 20)
            await client.send(message)

        response = EventStream(frames_of(frame), ping=TICK / 100)
        await response({"type": "http", "method": "POST"}, client.receive, slowly)
        assert frame in b"".join(client.bodies)

    run(scene())


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_reader_that_stalls_anywhere_is_cut(after: int) -> None:
    """At the head, in the frames, at the end."""

    async def scene() -> None:
        client = Client()

        async def send(message: Message) -> None:
            client.stalled = len(client.sent) == after
            await client.send(message)

        response = EventStream(frames_of(b"a", b"b"), send_timeout=TICK, ping=FOREVER)
        async with asyncio.timeout(30):
            await response({"type": "http", "method": "POST"}, client.receive, send)
        assert client.aborted
        assert len(client.sent) == after

    run(scene())


def test_a_reader_that_stalls_at_a_comment_is_cut_and_gets_no_second_one() -> None:
    closed: list[bool] = []

    async def scene() -> None:
        client = Client()
        pings = 0

        async def send(message: Message) -> None:
            nonlocal pings
            if message.get("body") == b": ping\n\n":
                pings += 1
                client.stalled = True
            await client.send(message)

        response = EventStream(silence(closed), send_timeout=TICK * 20, ping=TICK)
        async with asyncio.timeout(30):
            await response({"type": "http", "method": "POST"}, client.receive, send)
        assert client.aborted
        assert pings == 1

    run(scene())
    assert closed


def test_a_slow_reader_of_a_long_frame_is_not_cut() -> None:
    frame = b"z" * (event_stream.SLICE_BYTES * 20)

    async def scene() -> None:
        client = Client()

        async def slowly(message: Message) -> None:
            await asyncio.sleep(TICK)
            await client.send(message)

        # The whole takes twenty pauses, far more than a send may.
        response = EventStream(frames_of(frame), send_timeout=TICK * 15, ping=FOREVER)
        await response({"type": "http", "method": "POST"}, client.receive, slowly)
        assert client.complete
        assert not client.aborted

    run(scene())


# -- shutdown ------------------------------------------------------------------------------------


def test_a_stop_of_the_server_ends_a_stream_with_a_call_to_come_back(
    stopping: Callable[[], None],
) -> None:
    closed: list[bool] = []

    async def scene() -> None:
        client = Client()
        answering = asyncio.create_task(client.answered(EventStream(silence(closed))))
        await long_pause()
        stopping()
        await answering
        assert client.bodies == [b"first", b"retry: 1000\n\n", b""]
        assert client.complete

    run(scene())
    assert closed


def test_a_stop_comes_through_though_sends_always_wait(stopping: Callable[[], None]) -> None:
    async def scene() -> None:
        client = Client()

        async def slowly(message: Message) -> None:
            await asyncio.sleep(TICK * 2)
            await client.send(message)

        stopping()
        async with asyncio.timeout(30):
            response = EventStream(flood([]), ping=FOREVER)
            await response({"type": "http", "method": "POST"}, client.receive, slowly)
        assert client.bodies[-2:] == [b"retry: 1000\n\n", b""]

    run(scene())


def test_a_reader_that_stalls_does_not_hold_up_a_stop(stopping: Callable[[], None]) -> None:
    async def scene() -> None:
        client = Client()
        response = EventStream(silence([]), send_timeout=TICK, ping=FOREVER)
        answering = asyncio.create_task(client.answered(response))
        await long_pause()
        client.stalled = True
        stopping()
        await answering
        assert client.aborted

    run(scene())


def test_nothing_refers_to_a_response_that_is_over() -> None:
    async def scene() -> None:
        client = Client()
        response = EventStream(frames_of(b"a"))
        gone = weakref.ref(response)
        await client.answered(response)
        del response
        gc.collect()
        assert gone() is None

    run(scene())


def test_a_reader_that_has_stayed_for_long_is_asked_to_come_back() -> None:
    async def scene() -> None:
        client = Client()
        await client.answered(EventStream(silence([]), max_age=TICK))
        assert client.bodies == [b"first", b"retry: 1000\n\n", b""]

    run(scene())
