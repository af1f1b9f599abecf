"""No input within the limits keeps the event loop from the others.

A task ticks in the service's loop while an input is worked on. Its longest gap is measured in CPU
seconds of the process: what other programs do on the machine does not count, and what a thread does
while it keeps the interpreter's lock does. The best of three longest gaps counts.
"""

import asyncio
import gc
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.raw_http import NDJSON
from tests.serving import DEADLINE, Served

from citestream.server.serving import GC_THRESHOLDS

MOST = 0.05
"""Seconds that the loop may be kept, beyond its longest gap while nothing is asked."""
ROUNDS = 3
JSON = "application/json"
SENTENCE = "the quick brown [1] fox jumps. "
RESULTS = {"tool_name": "web_search", "results": [{"title": "T", "url": "https://example.org/"}]}


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """Keep what is there out of the garbage collector's way, as the service does at its start."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def text(size: int) -> str:
    return (SENTENCE * (size // len(SENTENCE) + 1))[:size]


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def deltas(size: int) -> list[dict[str, Any]]:
    piece = 500_000
    return [{"type": "delta", "text": text(piece)} for _ in range(size // piece)]


def data(piece: bytes, count: int) -> bytes:
    return b'{"tool_name":"t","data":[' + piece * count + b"0]}"


def whole(piece: bytes, count: int) -> bytes:
    return b'{"text":"a","parts":[' + data(piece, count) + b"]}"


def posted(server: Served, path: str, kind: str, body: bytes) -> int:
    """Post a body; read the answer to its end without looking at it; return the status."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}"
    with socket.create_connection(("127.0.0.1", server.port), DEADLINE) as client:
        client.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        client.sendall(body)  # not joined: that would keep the lock that the loop needs
        status = int(client.recv(12)[9:])
        room = bytearray(1 << 20)
        while client.recv_into(room):
            pass
        return status


def longest_gap(server: Served, work: Callable[[], object]) -> float:
    """Return the longest gap between two ticks of the server's loop while ``work`` runs."""
    gaps: list[float] = []

    async def tick() -> None:
        last = time.process_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.process_time()
            gaps.append(now - last)
            last = now

    async def begin() -> asyncio.Task[None]:
        return asyncio.create_task(tick())

    async def end(ticking: asyncio.Task[None]) -> None:
        ticking.cancel()

    ticking = server.call(begin())
    work()
    server.call(end(ticking))
    return max(gaps)


@pytest.mark.parametrize(
    ("path", "kind", "body", "status"),
    [
        pytest.param(
            *("/v1/stream", NDJSON),
            lines({"type": "results", **RESULTS}, *deltas(4_000_000), {"type": "end"}),
            *(200,),
            id="an end of 14 bytes after 4 MB of text with a numbered source",
        ),
        pytest.param(
            *("/v1/stream", JSON),
            json.dumps({"text": text(4_000_000), "results": [RESULTS]}).encode(),
            *(200,),
            id="a whole answer as a stream",
        ),
        pytest.param(
            *("/v1/extract", JSON),
            json.dumps({"text": text(4_000_000), "results": [RESULTS]}).encode(),
            *(200,),
            id="a whole answer",
        ),
        pytest.param(
            *("/v1/stream", NDJSON),
            b'{"type":"part",' + data(b"[],", 300_000)[1:] + b"\n",
            *(200,),
            id="a line of 300,000 values",
        ),
        pytest.param(
            *("/v1/stream", NDJSON),
            lines({"type": "delta", "text": "word "}) * 50_000,
            *(200,),
            id="50,000 lines at once",
        ),
        pytest.param(
            *("/v1/extract", JSON, whole(b"[],", 4_000_000), 413), id="four million values"
        ),
        pytest.param(*("/v1/extract", JSON, whole(b"1,", 300_000), 200), id="300,000 numbers"),
        pytest.param(
            *("/v1/extract", JSON, whole(b'"' + b"x" * 4_000_000 + b'",', 1), 200),
            id="a string of 4 MB",
        ),
        pytest.param(
            *("/v1/extract", JSON, json.dumps({"deltas": ["word "] * 100_000}).encode(), 200),
            id="100,000 deltas",
        ),
        pytest.param(
            *("/v1/context/plain", JSON, json.dumps({"text": text(60_000_000)}).encode(), 200),
            id="a message of 60 MB",
        ),
        pytest.param(
            *("/v1/context/upgrade", JSON, json.dumps({"text": "@" * 1_000_000}).encode(), 200),
            id="a million heads of old references",
        ),
        pytest.param(
            *("/v1/render", JSON, json.dumps({"text": "<b>" * 150_000, "to": "html"}).encode()),
            *(200,),
            id="150,000 tags",
        ),
        pytest.param(
            *("/v1/prompt", JSON, whole(b'"word",', 300_000).replace(b'"text":"a",', b""), 200),
            id="300,000 values for the model",
        ),
    ],
)
def test_nothing_keeps_the_loop(
    server: Served, path: str, kind: str, body: bytes, status: int
) -> None:
    quiet = min(longest_gap(server, lambda: time.sleep(0.2)) for _ in range(ROUNDS))
    found: list[int] = []
    gap = min(
        longest_gap(server, lambda: found.append(posted(server, path, kind, body)))
        for _ in range(ROUNDS)
    )
    assert found == [status] * ROUNDS
    print(f"{gap * 1000:.0f} ms, quiet {quiet * 1000:.0f} ms")
    assert gap <= quiet + MOST
