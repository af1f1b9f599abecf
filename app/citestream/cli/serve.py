"""``citestream serve``: the service in one process, from its settings to its graceful stop.

Imported by the subcommand alone: the server and the application are heavy.
"""

import argparse
import asyncio
import socket
from ipaddress import ip_address

from citestream.api.dependencies import app_state
from citestream.cli.configured import settings_of
from citestream.cli.outcomes import FAILED, STDOUT, WRONG, Failure, complain, write
from citestream.main import SettingError, create_app
from citestream.server.serving import listen, server_of
from citestream.stores.port import StoreError, TurnLog
from citestream.telemetry.logs import configure


def serve(args: argparse.Namespace) -> None:
    """Run the service until it is asked to stop; raise :class:`Failure` when it cannot start."""
    settings = settings_of(host=args.host, port=args.port)
    try:
        app = create_app(settings)
    except SettingError as error:
        raise Failure(WRONG, str(error)) from None
    _try_store(app_state(app).turns.log)
    listener = _listen(settings.host, settings.port)
    configure()
    server = server_of(
        app, app_state(app).streams, lambda: _announce(listener), settings.cors_origins
    )
    server.run(sockets=[listener])
    if not server.started:
        raise Failure(FAILED, "the service could not start; the log says why")


def _try_store(log: TurnLog) -> None:
    """Open the store and close it: the server would say by a traceback why it cannot."""

    async def once() -> None:
        await log.open()
        await log.close()

    try:
        asyncio.run(once())
    except StoreError as error:
        raise Failure(FAILED, f"CITESTREAM_STORE_URL: {error}") from None


def _listen(host: str, port: int) -> socket.socket:
    if not host:
        raise Failure(WRONG, "CITESTREAM_HOST: must not be empty; 0.0.0.0 is every address")
    try:
        return listen(host, port)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not the name of a host"
        raise Failure(FAILED, f"cannot listen at port {port} of {host}: {reason}") from None


def _announce(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    if not ip_address(host).is_loopback:
        complain(
            "citestream serve: this address can be reached from other machines, and the service "
            "has no access control yet: whoever reaches the port can use it"
        )
    shown = f"[{host}]" if ":" in host else host
    write(STDOUT, f"citestream listens at http://{shown}:{port}\n".encode())
