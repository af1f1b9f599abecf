"""``citestream serve``: the service in one process, from its settings to its graceful stop.

Imported by the subcommand alone: the server and the application are heavy.
"""

import argparse
import socket
from ipaddress import ip_address
from typing import Final

import uvicorn
from pydantic import ValidationError

from citestream.cli.outcomes import FAILED, STDOUT, WRONG, Failure, complain, write
from citestream.main import create_app
from citestream.settings import Settings
from citestream.wire.inputs import problems_of

BACKLOG: Final = 2048
"""Connections that may wait to be accepted."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes the kernel keeps for one reader; without a bound, a stalled one takes megabytes."""
STOP_SECONDS: Final = 10
"""So long after the signal, what is still running is cut."""


def serve(args: argparse.Namespace) -> None:
    """Run the service until it is told to stop; raise :class:`Failure` when it cannot start."""
    settings = _settings(args)
    listener = _listen(settings.host, settings.port)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            workers=1,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    )
    _announce(listener)
    server.run(sockets=[listener])


def _settings(args: argparse.Namespace) -> Settings:
    flags = {name: value for name in ("host", "port") if (value := getattr(args, name)) is not None}
    try:
        return Settings(**flags)
    except ValidationError as error:
        found = (f"CITESTREAM_{name.upper()}: {problem}" for name, problem in problems_of(error))
        raise Failure(WRONG, "; ".join(found)) from None


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
