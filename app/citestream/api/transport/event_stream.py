"""The one response for every route that sends events.

A form of sse-starlette's response that keeps its headers, its answer to HEAD and its watch for the
server's shutdown, and replaces how a stream runs. Three things ask for it:

* One task alone reads ``receive()`` here. A second reader, or one that starts late, eats a request
  body that streams in while the response streams out.
* One task sends frames that are ready bytes: no cancel scope, no queue and no time-out per event.
  A tick once a second does what time does: the ping after silence, and the deadline of a send.
  This task is no child of the many middlewares' awaits, through all of which each step of the ASGI
  task goes; where a request body streams in, it reads it, too.
* uvicorn's ``send`` returns at once when the client is gone, so a generator that never waits would
  spin for ever: every 16 sends the loop gets its turn.

Must not know what the frames say.
"""

import asyncio
import math
import signal
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

import anyio
from sse_starlette.sse import AppStatus, EventSourceResponse
from starlette.types import Receive, Scope, Send

from citestream.api.transport.admission import OpenStreams
from citestream.api.transport.chunks import RequestBody
from citestream.api.transport.host_guard import IS_HEAD
from citestream.wire.formats import native

SENDS_PER_TURN: Final = 16
SLICE_BYTES: Final = 64 * 1024
"""A longer frame goes out in pieces, so that a deadline asks whether a reader reads at all, and not
how fast, and a reader that stalls holds little."""
TICK_SECONDS: Final = 1.0
RETRY_MILLISECONDS: Final = 1000


class EventStream(EventSourceResponse):
    """Sends ready frames as server-sent events.

    ``frames`` yields bytes, one or more whole frames at a time. ``body``, when given, is what they
    are made from: they end when it ends. ``ping``, ``send_timeout`` and ``max_age`` (after
    which the reader is asked to come back) are seconds. ``streams`` counts the stream while it is
    open, and says when it has to go.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        *,
        body: RequestBody | None = None,
        streams: OpenStreams | None = None,
        ping: float = 15.0,
        send_timeout: float = 10.0,
        max_age: float = math.inf,
    ) -> None:
        super().__init__(
            frames, status_code=status_code, headers=headers, ping=ping, send_timeout=send_timeout
        )
        self._frames = frames
        self._request_body = body
        self._deadline = send_timeout
        self._sending_since: float | None = None
        self._sent_at = 0.0
        self._complete = False
        self._pinging: asyncio.Task[None] | None = None
        self._draining = False
        self._streams = streams
        self._max_age = max_age
        self._closes_at: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the stream until its frames end, the client goes, or the server stops."""
        if scope["method"] == "HEAD" or IS_HEAD in scope:
            await super().__call__({**scope, "method": "HEAD"}, receive, send)
            return
        if self._streams is None:
            await self._run(receive, send)
            return
        self._streams.enter()
        try:
            await self._run(receive, send)
        finally:
            self._streams.leave()

    async def _run(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        self._sent_at = self._sending_since = loop.time()
        self._max_age += loop.time()
        sending = loop.create_task(self._send_frames(send))
        watching: asyncio.Task[None] | None = None
        if self._request_body:
            self._request_body.connect(receive, sending.cancel)
        else:
            watching = loop.create_task(_gone(receive))
            watching.add_done_callback(lambda _: sending.cancel())
        self._ticker = loop.call_later(TICK_SECONDS, self._tick, loop, send, receive, sending)
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
                await self._frames.aclose()
        if self._draining:
            await self._say_farewell(send, receive)

    async def _send_frames(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        sent = 0
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        self._sending_since = None
        async for frames in self._frames:
            for at in range(0, len(frames), SLICE_BYTES):
                self._sent_at = self._sending_since = loop.time()
                await send(_body(frames[at : at + SLICE_BYTES], more=True))
                sent += 1
                if sent % SENDS_PER_TURN == 0:
                    await asyncio.sleep(0)
            self._sending_since = None
            if self._draining:
                break
        else:
            self._complete = True
            self._sending_since = loop.time()
            await send(_body(b"", more=False))

    def _tick(
        self,
        loop: asyncio.AbstractEventLoop,
        send: Send,
        receive: Receive,
        sending: asyncio.Task[None],
    ) -> None:
        self._ticker = loop.call_later(TICK_SECONDS, self._tick, loop, send, receive, sending)
        now = loop.time()
        self._draining = self._has_to_go(now) and not self._complete
        if self._sending_since is not None:
            if now - self._sending_since > self._deadline:
                self._draining = False
                _abort(receive)
                sending.cancel()
        elif self._draining:
            sending.cancel()
        elif now - self._sent_at >= self.ping_interval:
            self._sent_at = self._sending_since = now
            self._pinging = loop.create_task(self._send_ping(send))

    def _has_to_go(self, now: float) -> bool:
        if self._streams and self._closes_at is None:
            self._closes_at = self._streams.closes_at()
        due = self._max_age if self._closes_at is None else min(self._max_age, self._closes_at)
        return now >= due or _server_stops()

    async def _send_ping(self, send: Send) -> None:
        # Frames may have come, even the last, before this task did.
        if not self._complete:
            await send(_body(native.PING, more=True))
            self._sending_since = None

    async def _say_farewell(self, send: Send, receive: Receive) -> None:
        """Tell the reader to come back, and end the response; not longer than a send may take."""
        try:
            async with asyncio.timeout(self._deadline):
                await send(_body(native.retry(RETRY_MILLISECONDS), more=True))
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
