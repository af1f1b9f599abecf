"""The server of one process: what it listens at, how it starts, and how it stops gracefully.

Lives here: uvicorn's server with our protocol, its listener, and the drain. Must not know which
application it serves, or what a command prints.
"""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import uvicorn

from citestream.api.transport.admission import Admission
from citestream.server.protocol import GuardedProtocol

BACKLOG: Final = 2048
"""Connections that may wait to be accepted."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes the kernel keeps for one reader; without a bound, a stalled one takes megabytes."""
STOP_SECONDS: Final = 2
"""After the streams have had their time, what still runs is cut after so long."""
GC_THRESHOLDS: Final = (50_000, 20, 50)
"""Young objects of a stream are many and short-lived; a collection every 700 is felt as a pause."""


class Server(uvicorn.Server):
    """uvicorn's server, which on SIGTERM closes its streams before it closes its listener.

    uvicorn itself stops listening at once, so balancers meet a closed port and all readers return
    at the same moment. ``announce`` is called once the server has started.
    """

    def __init__(
        self, config: uvicorn.Config, streams: Admission, announce: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._streams = streams
        self._announce = announce
        self._draining: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; then keep what lives as long as the process out of the collector's way."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLDS)
            self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first SIGTERM; stop at every other signal."""
        if sig == signal.SIGTERM and self.started and not self._streams.draining:
            self._loop.call_soon_threadsafe(self._drain)
        else:
            super().handle_exit(sig, frame)

    def _drain(self) -> None:
        self._draining = self._loop.create_task(self._wait_for_streams())

    async def _wait_for_streams(self) -> None:
        streams = self._streams
        streams.drain(self._loop.time())
        await asyncio.sleep(streams.grace)
        with suppress(TimeoutError):
            await asyncio.wait_for(streams.empty.wait(), streams.spread)
        self.should_exit = True


def server_of(
    app: Any, streams: Admission, announce: Callable[[], None], origins: Iterable[str] = ()
) -> Server:
    """Return the server of an application; pages of ``origins`` may read its refusals."""
    config = uvicorn.Config(
        app,
        http=GuardedProtocol.for_origins(origins),
        proxy_headers=False,  # who may call is asked by the address that really calls
        workers=1,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return Server(config, streams, announce)


def listen(host: str, port: int) -> socket.socket:
    """Return a listener; port 0 is any free one.

    Raises ``OSError`` when the address cannot be bound, and ``UnicodeError`` for what is no name.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener
