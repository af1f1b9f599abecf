"""The server by itself: its listener, and how it stops. In whole: ``tests/cli/test_serve.py``."""

import asyncio
import signal
import socket
from typing import Any

import pytest

from citestream.api.transport.admission import Admission
from citestream.server.serving import SEND_BUFFER, listen, server_of


def test_a_listener_holds_little_for_a_reader_that_stalls() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * SEND_BUFFER
        port = listener.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            listen("127.0.0.1", port)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """An application that has only a life."""
    assert scope["type"] == "lifespan"
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def test_the_first_sigterm_lets_streams_close_and_the_second_stops() -> None:
    async def scene() -> None:
        streams = Admission(1, grace=0.01, spread=60)
        started = asyncio.Event()
        with listen("127.0.0.1", 0) as listener:
            server = server_of(application, streams, started.set)
            running = asyncio.create_task(server.serve(sockets=[listener]))
            await started.wait()
            streams.enter()
            server.handle_exit(signal.SIGTERM, None)
            await asyncio.sleep(0.1)
            assert streams.draining
            assert not server.should_exit  # one stream is open
            streams.leave()
            await running
            assert server.should_exit

    asyncio.run(scene())


def test_another_signal_stops_at_once() -> None:
    server = server_of(application, Admission(1, grace=60, spread=60), lambda: None)
    server.handle_exit(signal.SIGINT, None)
    assert server.should_exit
