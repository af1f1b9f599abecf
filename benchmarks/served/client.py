"""HTTP/1.1 by hand: requests as bytes, answers counted rather than parsed, so that the client
costs little and adds nothing of its own.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import uvloop
from benchmarks.served.process import CLIENTS_CORE, pin

NDJSON = "application/x-ndjson"
JSON = "application/json"
LAST_CHUNK = b"0\r\n\r\n"
DELTA = b"event: delta"
CLOSING = b"event: artif"  # no longer than the other, so that one tail serves both

PART = {"type": "part", "id": "tool_data_01", "tool_name": "search", "data": {"value": "a fact"}}
WORDS = ("the ", "fact", " is,", " as ", "was ", "told", ", in", " all", " of ", "them")
MARKER = "\ue200cite\ue202tool_data_01\ue201"
MARKED_EVERY = 50


def delta_text(number: int) -> str:
    """Return the text of a delta: four characters, a whole marker behind each fiftieth."""
    text = WORDS[number % len(WORDS)]
    return text + MARKER if number % MARKED_EVERY == MARKED_EVERY - 1 else text


def delta_line(number: int) -> bytes:
    """Return a delta as a line of JSON."""
    return line({"type": "delta", "text": delta_text(number)})


def line(event: dict[str, Any]) -> bytes:
    """Return an input event as a line of JSON."""
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"


def head(
    method: str, path: str, kind: str = "", length: int | None = None, more: str = ""
) -> bytes:
    """Return a request's head; without ``length`` and with a ``kind`` the body comes in chunks."""
    fields = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n{more}"
    if kind:
        fields += f"content-type: {kind}\r\n"
        fields += "transfer-encoding: chunked\r\n" if length is None else ""
    if length is not None:
        fields += f"content-length: {length}\r\n"
    return fields.encode() + b"\r\n"


def chunk(data: bytes) -> bytes:
    """Return bytes as one chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class Exchange(asyncio.Protocol):
    """A connection whose answer is watched for two words: a delta, and the end.

    ``arrived`` is called with the number of deltas that came in one packet.
    """

    def __init__(self, arrived: Callable[["Exchange", int], None] | None = None) -> None:
        self._arrived = arrived
        self._tail = b""
        self.first = asyncio.get_running_loop().create_future()
        self.begun = asyncio.get_running_loop().create_future()
        self.ended = asyncio.get_running_loop().create_future()
        self.refused = False
        self.deltas = 0

    def connection_made(self, transport: Any) -> None:
        self.send: Callable[[bytes], None] = transport.write
        self.close: Callable[[], None] = transport.abort

    def data_received(self, data: bytes) -> None:
        if not self.begun.done():
            self.refused = not data.startswith(b"HTTP/1.1 20")
            self.begun.set_result(None)
        # What was cut in two is found again, what was whole is not.
        seen = self._tail + data
        found = seen.count(DELTA)
        if CLOSING in seen and not self.ended.done():
            self.ended.set_result(None)
        self._tail = seen[-len(DELTA) + 1 :]
        if found:
            self.deltas += found
            if not self.first.done():
                self.first.set_result(None)
            if self._arrived:
                self._arrived(self, found)

    def connection_lost(self, _: Exception | None) -> None:
        for waiting in (self.begun, self.first, self.ended):
            if not waiting.done():
                waiting.set_result(None)


class Calls(asyncio.Protocol):
    """A connection for one short call after the other."""

    def __init__(self) -> None:
        self._answer = b""
        self._waiting: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: Any) -> None:
        self._send: Callable[[bytes], None] = transport.write
        self.close: Callable[[], None] = transport.abort

    def data_received(self, data: bytes) -> None:
        self._answer += data
        fields, found, body = self._answer.partition(b"\r\n\r\n")
        if found and self._waiting:
            length = int(fields.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
            if len(body) >= length:
                self._answer = b""
                self._waiting.set_result((int(fields[9:12]), body))

    def call(self, method: str, path: str, body: bytes) -> asyncio.Future[tuple[int, bytes]]:
        """Send a JSON body; return a future of status and answer."""
        self._waiting = asyncio.get_running_loop().create_future()
        self._send(head(method, path, JSON, len(body)) + body)
        return self._waiting


async def exchange(
    port: int, first: bytes, arrived: Callable[[Exchange, int], None] | None = None
) -> Exchange:
    """Open a connection and send what is to be sent first."""
    _, opened = await asyncio.get_running_loop().create_connection(
        lambda: Exchange(arrived), "127.0.0.1", port
    )
    opened.send(first)
    return opened


async def calls(port: int) -> Calls:
    """Open a connection for short calls."""
    return (await asyncio.get_running_loop().create_connection(Calls, "127.0.0.1", port))[1]


async def all_of(waiting: Iterable[asyncio.Future[Any]], seconds: float) -> bool:
    """Wait for all; return whether they came in time."""
    waiting = list(waiting)
    return not waiting or not (await asyncio.wait(waiting, timeout=seconds))[1]


def run(main: Any, *, awake: bool = False) -> None:
    """Run a measurement on uvloop, on a core that the server is not on, where there are two.

    ``awake``: never sleep. To wake a sleeping client is dear (on a virtual machine 30 µs and
    more), is done inside the server's write, and is the more often the slower the server: it would
    be charged to the server.
    """

    async def measure() -> None:
        if awake:
            asyncio.get_running_loop().call_soon(_stay_awake)
        await main

    pin(CLIENTS_CORE)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(measure())


def _stay_awake() -> None:
    asyncio.get_running_loop().call_soon(_stay_awake)
