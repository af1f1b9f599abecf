"""The response that answers a request body while it arrives.

Lives here: one loop that waits for a chunk of the body and for the frames that answer it to be
sent, and for nothing else. Must not know what the bytes say: a pipe turns the ones into the others.
"""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial

from starlette.types import Receive, Send

from citestream.api.transport.admission import Admission
from citestream.api.transport.chunks import RequestBody
from citestream.api.transport.event_stream import EventStream
from citestream.service.formats import FilterPipe
from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import Problem
from citestream.service.streaming import Pipe
from citestream.wire.formats import Writer


class DuplexStream(EventStream):
    """Sends the frames that ``pipe`` makes of ``body``; ends when the body or the pipe ends.

    The other arguments are those of :class:`EventStream`. A body that cannot be read further ends
    the stream with an error event, and a client that sends nothing for too long ends the answer as
    timed out.
    """

    __slots__ = ("_pipe", "_request_body")

    def __init__(
        self,
        pipe: Pipe | FilterPipe,
        body: RequestBody,
        *,
        writer: type[Writer],
        streams: Admission | None = None,
        ping: float = 15.0,
        send_timeout: float = 10.0,
    ) -> None:
        super().__init__(
            _no_frames(), writer=writer, streams=streams, ping=ping, send_timeout=send_timeout
        )
        self._pipe = pipe
        self._request_body = body

    def _watch(self, receive: Receive, sending: asyncio.Task[None]) -> None:
        # The server tells the reader of the body when the client has gone.
        self._request_body.connect(receive, sending.cancel)

    def _tick(self, receive: Receive, sending: asyncio.Task[None]) -> None:
        super()._tick(receive, sending)
        self._request_body.look()

    async def _close(self) -> None:
        await super()._close()
        self._request_body.close()

    async def _send_all(self, send: Send) -> None:
        """Send head, frames and end; no end when the stream is to close before its body ends."""
        await self._send_head(send)
        pipe, body = self._pipe, self._request_body
        while not pipe.ended:
            try:
                chunk = await body.read()
            except TimeoutError:
                frames = pipe.end("timeout")
            except Problem as problem:
                frames = pipe.refuse(problem)
            else:
                cost = pipe.unread + len(chunk)
                if cost > LOOP_COST:
                    step = partial(pipe.feed, chunk) if chunk else pipe.finish
                    frames = await offload(step, cost=cost)
                else:
                    frames = pipe.feed(chunk) if chunk else pipe.finish()
            if frames:
                await self._out(frames)
                self._sending_since = None
            while pipe.cost:
                await self._out(await offload(pipe.resume, cost=pipe.cost))
                self._sending_since = None
            if pipe.fault:
                raise pipe.fault
            if self._draining and not pipe.ended:
                return
        await self._send_end()


async def _no_frames() -> AsyncGenerator[bytes, None]:
    """Yield nothing: all frames are answers."""
    for frames in tuple[bytes, ...]():
        yield frames
