"""The one response for every route that sends events.

A form of sse-starlette's response that keeps its headers, its answer to HEAD and its watch for the
server's shutdown, and replaces how a stream runs. Three things ask for it:

* One task alone reads ``receive()`` here. A second reader, or one that starts late, eats a request
  body that streams in while the response streams out.
* One task sends frames that are ready bytes: no cancel scope, no queue and no time-out per event.
  A tick once a second does what time does: the keepalive, and the deadline of a send. This task is
  no child of the many middlewares' awaits, through all of which each step of the ASGI task passes.
* uvicorn's ``send`` returns at once when the client is gone, so a generator that never waits would
  spin for ever: every 16 sends the loop gets its turn.

Must not know what the frames say.
"""

import asyncio
import math
import signal
from collections.abc import AsyncGenerator, Awaitable, Mapping
from typing import Any, Final

import anyio
from sse_starlette.sse import AppStatus, EventSourceResponse
from starlette.types import Receive, Scope, Send

from citestream.api.transport.admission import Admission
from citestream.api.transport.direct_send import direct_send
from citestream.api.transport.host_guard import IS_HEAD
from citestream.service.problems import Problem
from citestream.wire.formats import Writer
from citestream.wire.formats.native import NativeWriter

SENDS_PER_TURN: Final = 16
SLICE_BYTES: Final = 64 * 1024
"""A longer frame is sent in pieces, so that a deadline asks whether a reader reads at all, and not
how fast, and a reader that stalls holds little."""
TICK_SECONDS: Final = 1.0
FIRST_PING_SECONDS: Final = 3.0
"""The first keepalive is sent so early, because clients give up a response of which nothing arrives
(httpx: within 5 s by default)."""


class EventStream(EventSourceResponse):
    """Sends ready frames as server-sent events.

    ``frames`` yields bytes, one or more whole frames at a time; ``writer`` is the writer that made
    them. ``ping``, ``send_timeout`` and ``max_age`` (after which the reader is asked to come back)
    are seconds. ``streams`` counts the stream while it is open, and says when it has to close. With
    ``returns`` a reader for whom there is no room is asked to come back later and not refused: a
    refusal is final for a browser's ``EventSource``.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        *,
        writer: type[Writer] = NativeWriter,
        streams: Admission | None = None,
        returns: bool = False,
        ping: float = 15.0,
        send_timeout: float = 10.0,
        max_age: float = math.inf,
    ) -> None:
        super().__init__(
            frames,
            status_code=status_code,
            headers={**writer.headers, **(headers or {})},
            ping=ping,
            send_timeout=send_timeout,
        )
        self._frames = frames
        self._writer = writer
        self._deadline = send_timeout
        self._sending_since: float | None = None
        self._sent_at = 0.0
        self._silence = min(ping, FIRST_PING_SECONDS)
        self._complete = False
        self._pinging: asyncio.Task[None] | None = None
        self._draining = False
        self._streams = streams
        self._returns = returns
        self._max_age = max_age
        self._closes_at: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the stream until its frames end, the client goes, or the server stops."""
        if scope["method"] == "HEAD" or IS_HEAD in scope:
            await super().__call__({**scope, "method": "HEAD"}, receive, send)
            return
        direct = direct_send(scope, send)
        if self._streams is None:
            await self._run(receive, send, direct)
            return
        try:
            self._streams.enter()
        except Problem:
            if not self._returns:
                raise
            await self._send_head(send)
            await self._say_farewell(direct, receive)
            return
        try:
            await self._run(receive, send, direct)
        finally:
            self._streams.leave()

    async def _run(self, receive: Receive, send: Send, direct: Send) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._sent_at = self._sending_since = loop.time()
        self._max_age += loop.time()
        self._direct = direct
        sending = loop.create_task(self._send_all(send))
        watching = self._watch(receive, sending)
        self._ticker = loop.call_later(TICK_SECONDS, self._tick, receive, sending)
        try:
            await sending
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task and task.cancelling():  # this one, and not what it waits for
                raise
        finally:
            self._ticker.cancel()
            for task in (watching, self._pinging):
                if task:
                    task.cancel()
            with anyio.CancelScope(shield=True):  # a scope outside would cancel each await here
                await self._close()
        if self._draining:
            await self._say_farewell(direct, receive)

    def _watch(self, receive: Receive, sending: asyncio.Task[None]) -> asyncio.Task[None] | None:
        """Cancel ``sending`` when the client goes; return the task that waits for that, if any."""
        watching = self._loop.create_task(_gone(receive))
        watching.add_done_callback(lambda _: sending.cancel())
        return watching

    async def _close(self) -> None:
        """Let what makes the frames do what it does at its end."""
        await self._frames.aclose()

    async def _send_head(self, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        self._sending_since = None

    async def _send_all(self, send: Send) -> None:
        """Send head, frames and end; no end when the stream is to close before its frames end."""
        await self._send_head(send)
        sent = 0
        async for frames in self._frames:
            if frames:
                await self._out(frames)
                self._sending_since = None
                sent += 1
                if sent % SENDS_PER_TURN == 0:
                    await asyncio.sleep(0)
            if self._draining:
                return
        await self._send_end()

    async def _send_end(self) -> None:
        self._complete = True
        self._sending_since = self._loop.time()
        await self._direct(_body(b"", more=False))

    def _out(self, frames: bytes) -> Awaitable[None]:
        """Return what sends frames: for nearly all of them the server's own coroutine."""
        if len(frames) > SLICE_BYTES:
            return self._send_slices(frames)
        self._sent_at = self._sending_since = self._loop.time()
        return self._direct({"type": "http.response.body", "body": frames, "more_body": True})

    async def _send_slices(self, frames: bytes) -> None:
        for number, at in enumerate(range(0, len(frames), SLICE_BYTES), 1):
            self._sent_at = self._sending_since = self._loop.time()
            await self._direct(_body(frames[at : at + SLICE_BYTES], more=True))
            if number % SENDS_PER_TURN == 0:
                await asyncio.sleep(0)

    def _tick(self, receive: Receive, sending: asyncio.Task[None]) -> None:
        self._ticker = self._loop.call_later(TICK_SECONDS, self._tick, receive, sending)
        now = self._loop.time()
        self._draining = self._has_to_go(now) and not self._complete
        if self._sending_since is not None:
            if now - self._sending_since > self._deadline:
                self._draining = False
                _abort(receive)
                sending.cancel()
        elif self._draining:
            sending.cancel()
        elif now - self._sent_at >= self._silence:
            self._silence = self.ping_interval
            self._sent_at = self._sending_since = now
            self._pinging = self._loop.create_task(self._send_ping())

    def _has_to_go(self, now: float) -> bool:
        if self._streams and self._closes_at is None:
            self._closes_at = self._streams.closes_at()
        due = self._max_age if self._closes_at is None else min(self._max_age, self._closes_at)
        return now >= due or _server_stops()

    async def _send_ping(self) -> None:
        # Frames, even the last, may have been sent before this task ran.
        if not self._complete:
            await self._direct(_body(self._writer.keepalive, more=True))
            self._sending_since = None

    async def _say_farewell(self, send: Send, receive: Receive) -> None:
        """Ask the reader to come back, and end the response; not longer than a send may take."""
        try:
            async with asyncio.timeout(self._deadline):
                if self._writer.farewell:
                    await send(_body(self._writer.farewell, more=True))
                await send(_body(b"", more=False))
        except TimeoutError:
            _abort(receive)


async def _gone(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _server_stops() -> bool:
    """Tell whether the server was asked to stop.

    The library learns it from a handler that it puts into uvicorn. An application given to uvicorn
    by its name is imported too late for that; then the handler's server says it itself.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return AppStatus.should_exit or bool(getattr(server, "should_exit", False))


def _body(content: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": more}


def _abort(receive: Receive) -> None:
    """Close the socket at once: a reader that stalls never takes the rest, so a close would wait.

    The server's transport is no part of ASGI; where it cannot be found, the socket stays to the
    server's own time-outs.
    """
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()
