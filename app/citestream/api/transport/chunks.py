"""A request body that is read as it arrives: counted, and given up when the client falls silent.

Must not know what is in it, or whether the response has begun.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable

from starlette.types import Receive

from citestream.api.transport.idle_timeout import Silence


class RequestBody:
    """The chunks of a body, one at a time.

    Who reads them reads the server's messages, so a slow consumer slows the client down. Past
    ``limit`` bytes it gets ``refusal``, and ``late`` when nothing has come for ``silence`` seconds.
    """

    def __init__(
        self,
        limit: int,
        refusal: Exception,
        silence: float = math.inf,
        late: Exception | type[Exception] = TimeoutError,
    ) -> None:
        self._left = limit
        self._refusal = refusal
        self._late = late
        self._pauses = Silence(silence)

    def connect(self, receive: Receive, gone: Callable[[], object]) -> None:
        """Say where the messages come from, and what to call, once, when the client has gone.

        It is to raise, or to cancel the task that reads.
        """
        self._receive = receive
        self._gone = gone

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        more = True
        try:
            while more:
                message = await self._pauses.broken_by(self._receive)
                if message["type"] == "http.disconnect":
                    self._gone()
                    await asyncio.get_running_loop().create_future()
                chunk, more = message.get("body", b""), message.get("more_body", False)
                self._left -= len(chunk)
                if self._left < 0:
                    raise self._refusal
                if chunk:
                    yield chunk
        except TimeoutError:
            raise self._late from None
        finally:
            self._pauses.end()
