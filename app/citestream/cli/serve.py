"""``citestream serve``: the service in one process, from its settings to its graceful stop.

Imported by the subcommand alone: the server and the application are heavy.
"""

import argparse
import asyncio
import gc
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from types import FrameType
from typing import Final

import uvicorn

from citestream.api.transport.admission import Admission
from citestream.cli.configured import settings_of
from citestream.cli.outcomes import FAILED, STDOUT, WRONG, Failure, complain, write
from citestream.main import SettingError, create_app
from citestream.server.protocol import GuardedProtocol
from citestream.stores.port import StoreError, TurnLog
from citestream.telemetry.logs import configure

BACKLOG: Final = 2048
"""Connections that may wait to be accepted."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes the kernel keeps for one reader; without a bound, a stalled one takes megabytes."""
STOP_SECONDS: Final = 3
"""So long after the streams have had their time, what is still running is cut."""
GC_THRESHOLDS: Final = (50_000, 20, 50)
"""Young objects of a stream are many and short-lived; a collection every 700 is felt as a pause."""


def serve(args: argparse.Namespace) -> None:
    """Run the service until it is told to stop; raise :class:`Failure` when it cannot start."""
    settings = settings_of(host=args.host, port=args.port)
    try:
        app = create_app(settings)
    except SettingError as error:
        raise Failure(WRONG, str(error)) from None
    _try_store(app.state.turns.log)
    listener = _listen(settings.host, settings.port)
    configure()
    server = _Server(
        uvicorn.Config(
            app,
            http=GuardedProtocol.for_origins(settings.cors_origins),
            proxy_headers=False,  # who may call is asked by the address that really calls
            workers=1,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        ),
        app.state.streams,
        lambda: _announce(listener),
    )
    server.run(sockets=[listener])
    if not server.started:
        raise Failure(FAILED, "the service could not start; the log says why")


def _try_store(log: TurnLog) -> None:
    """Open the store and close it: the server would tell by a traceback why it cannot."""

    async def once() -> None:
        await log.open()
        await log.close()

    try:
        asyncio.run(once())
    except StoreError as error:
        raise Failure(FAILED, f"CITESTREAM_STORE_URL: {error}") from None


class _Server(uvicorn.Server):
    """uvicorn's server, which on SIGTERM lets its streams go before it closes its listener.

    uvicorn itself stops listening at once, so balancers meet a closed port and every reader comes
    back at the same moment.
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


def _listen(host: str, port: int) -> socket.socket:
    if not host:
        raise Failure(WRONG, "CITESTREAM_HOST: must not be empty; 0.0.0.0 is every address")
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else "not the name of a host"
        raise Failure(FAILED, f"cannot listen at port {port} of {host}: {reason}") from None
    return listener


def _announce(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    if not ip_address(host).is_loopback:
        complain(
            "citestream serve: this address can be reached from other machines, and the service "
            "has no access control yet: whoever reaches the port can use it"
        )
    shown = f"[{host}]" if ":" in host else host
    write(STDOUT, f"citestream listens at http://{shown}:{port}\n".encode())
