"""A request body that is read as it arrives: counted, and given up when the client sends nothing.

Must not know what is in it, or whether the response has begun.
"""

import asyncio
import math
from collections.abc import Callable

from starlette.types import Receive

from citestream.api.transport.idle_timeout import IdleTimeout


class RequestBody:
    """The chunks of a body, one at a time.

    Each :meth:`read` reads the server's messages, so a slow consumer slows the client down. Past
    ``limit`` bytes it raises ``refusal``, and ``late`` when nothing arrives for ``idle`` seconds.
    """

    __slots__ = ("_gone", "_idle", "_late", "_left", "_more", "_receive", "_refusal")

    def __init__(
        self,
        limit: int,
        refusal: Exception,
        idle: float = math.inf,
        late: Exception | type[Exception] = TimeoutError,
    ) -> None:
        self._left = limit
        self._refusal = refusal
        self._late = late
        self._idle = IdleTimeout(idle)
        self._more = True

    def connect(self, receive: Receive, gone: Callable[[], object]) -> None:
        """Say where the messages come from, and what to call, once, when the client has gone.

        It is to raise, or to cancel the task that reads.
        """
        self._receive = receive
        self._gone = gone

    async def read(self) -> bytes:
        """Return the next chunk; empty at the end of the body."""
        while self._more:
            self._idle.begin()
            try:
                message = await self._receive()
            except asyncio.CancelledError:
                if self._idle.expired():
                    raise self._late from None
                raise
            finally:
                self._idle.waiting = None
            if message["type"] == "http.disconnect":
                self._gone()
                await asyncio.get_running_loop().create_future()
            chunk: bytes = message.get("body", b"")
            self._more = message.get("more_body", False)
            self._left -= len(chunk)
            if self._left < 0:
                raise self._refusal
            if chunk:
                return chunk
        return b""

    def close(self) -> None:
        """Read no more."""
        self._more = False
        self._idle.stop()
