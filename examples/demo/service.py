"""The service on a free port of this machine, and a client that listens while it speaks.

The client is the standard library's, so that nothing has to be installed to see the demo.
"""

import json
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from types import TracebackType
from typing import Any, Final

import uvicorn

from citestream.main import create_app

Event = dict[str, Any]

ECHO: Final = "token_taken"
TIMEOUT: Final = 20.0


class Service:
    """The real application under uvicorn, in a thread, as long as the ``with`` block lasts."""

    def __init__(self) -> None:
        config = uvicorn.Config(
            create_app(), log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def __enter__(self) -> "Service":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._thread.join(TIMEOUT)


def connection_to(port: int) -> closing[HTTPConnection]:
    """Return a connection to the service, for a ``with`` block."""
    return closing(HTTPConnection("127.0.0.1", port, timeout=TIMEOUT))


class LiveAnswer:
    """One ``POST /v1/stream`` of JSON lines whose events are read while lines are still sent."""

    def __init__(self, port: int, start: Event, parts: Iterable[Event]) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self._connection.putrequest("POST", "/v1/stream")
        self._connection.putheader("Content-Type", "application/x-ndjson")
        self._connection.putheader("Transfer-Encoding", "chunked")
        self._connection.endheaders()
        self._said = 0
        self._send({"type": "start", **start}, *({"type": "part", **part} for part in parts))
        self._events = events_of(self._connection.getresponse())

    def say(self, token: str) -> list[Event]:
        """Send one token; return the events that the service answers it with.

        An event of our own behind the token comes back when the token has been dealt with.
        """
        self._said += 1
        echo = {"type": "custom", "name": ECHO, "value": self._said}
        self._send({"type": "delta", "text": token}, echo)
        answered: list[Event] = []
        for event in self._events:
            if event == echo:
                return answered
            answered.append(event)
        raise ConnectionError(f"the stream ended behind token {self._said}: {answered[-1:]}")

    def finish(self, reason: str) -> list[Event]:
        """Tell that the answer is over; return the last events."""
        self._send({"type": "end", "reason": reason})
        self._connection.send(b"0\r\n\r\n")
        last = list(self._events)
        self._connection.close()
        return last

    def _send(self, *events: Event) -> None:
        # Escaped: half an emoji has no UTF-8.
        lines = "".join(json.dumps(event) + "\n" for event in events).encode()
        self._connection.send(b"%x\r\n%s\r\n" % (len(lines), lines))


def whole_answer(connection: HTTPConnection, body: Event) -> list[Event]:
    """Return all events of a ``POST /v1/stream`` with a JSON body."""
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/v1/stream", json.dumps(body), headers)
    return list(events_of(connection.getresponse()))


def part_texts(connection: HTTPConnection, parts: list[Event]) -> dict[str, str]:
    """Return each part by its id as the model read it (``POST /v1/prompt``)."""
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/v1/prompt", json.dumps({"parts": parts}), headers)
    response = connection.getresponse()
    if response.status != 200:
        raise ConnectionError(f"status {response.status}: {response.read()!r}")
    return {part["id"]: part["text"] for part in json.load(response)["parts"]}


def events_of(response: HTTPResponse) -> Iterator[Event]:
    """Yield the server-sent events of a response; refuse a gap in their ids."""
    if response.status != 200:
        raise ConnectionError(f"status {response.status}: {response.read()!r}")
    number = 0
    for line in response:
        name, _, value = line.rstrip(b"\n").partition(b": ")
        if name == b"id":
            number += 1
            if int(value) != number:
                raise ConnectionError(f"event {int(value)} came where {number} was due")
        elif name == b"data":
            yield json.loads(value)
