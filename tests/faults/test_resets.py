"""A reader that is cut at any byte of a response comes back and has every event once."""

import re
import struct
from collections.abc import Iterator
from socket import SO_LINGER, SOL_SOCKET, create_connection

import httpx
import pytest
from tests.api.turning import created, events, pushed
from tests.faults.runs import planned
from tests.serving import DEADLINE, Process, process
from tests.sse import Event, Reader, events_of

BYTES = 2000
RESET = struct.pack("ii", 1, 0)


@pytest.fixture(scope="module")
def server() -> Iterator[Process]:
    with process() as found:
        yield found


def request(turn: str, after: int) -> bytes:
    cursor = f"Last-Event-ID: {after}\r\n" if after else ""
    return f"GET /v1/turns/{turn}/events HTTP/1.1\r\nHost: localhost\r\n{cursor}\r\n".encode()


def cut(server: Process, turn: str, size: int) -> bytes:
    """The first ``size`` bytes of a response; then the connection is reset."""
    with create_connection(("127.0.0.1", server.port), DEADLINE) as reader:
        reader.sendall(request(turn, 0))
        received = b""
        while len(received) < size:
            more = reader.recv(size - len(received))
            assert more
            received += more
        reader.setsockopt(SOL_SOCKET, SO_LINGER, RESET)
    return received


def complete(received: bytes) -> list[Event]:
    """The events that are whole in what came of a chunked response."""
    _, _, rest = received.partition(b"\r\n\r\n")
    reader, found = Reader(), []
    while head := re.match(rb"([0-9a-f]+)\r\n", rest):
        start, size = head.end(), int(head[1], 16)
        found += reader.feed(rest[start : start + size])
        rest = rest[start + size + 2 :]
    return found


@pytest.mark.parametrize("offset", range(4))
def test_a_reader_cut_at_every_byte_resumes_exactly(server: Process, offset: int) -> None:
    plan = planned(f"cut-{offset}", 7, 60)
    with httpx.Client(base_url=server.url, timeout=DEADLINE) as client:
        turn = created(client, turn_id=plan.id)
        pushed(client, turn, 1, *plan.events)
        whole = events(client, turn)
        seen = set()
        for size in range(1 + offset, BYTES + 1, 4):
            got = complete(cut(server, turn, size))
            assert got == whole[: len(got)]
            after = len(got)
            seen.add(after)
            answer = client.get(
                f"/v1/turns/{turn}/events", headers={"Last-Event-ID": str(after)} if after else {}
            )
            assert got + events_of(answer.content) == whole
    assert len(seen) > 10
