"""HTTP/1.1 by hand on a socket: a client that writes and reads exactly when a test says so."""

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

from tests.serving import DEADLINE
from tests.sse import Event, Reader

NDJSON = "application/x-ndjson"


class Closed(Exception):  # noqa: N818
    """The server closed the connection."""


class RawClient:
    def __init__(self, port: int, *, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(DEADLINE)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.headers: dict[str, str] = {}
        self.reader = Reader()
        self._held = b""
        self._events: list[Event] = []
        self._over = False

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    # -- sending ----------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def request(
        self, path: str, *, kind: str = NDJSON, length: int | None = None, **headers: str
    ) -> None:
        """Send the head of a POST; without ``length`` the body comes in chunks."""
        framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", framing]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.send("\r\n".join([*lines, "", ""]).encode())

    def chunk(self, data: bytes) -> None:
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def line(self, value: Any) -> None:
        self.chunk(json.dumps(value).encode() + b"\n")

    def end(self) -> None:
        self.send(b"0\r\n\r\n")

    def post(self, path: str, value: Any, **headers: str) -> None:
        body = json.dumps(value).encode()
        self.request(path, kind="application/json", length=len(body), **headers)
        self.send(body)

    def reset(self) -> None:
        """Leave with a RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    # -- receiving --------------------------------------------------------------------------------

    def _more(self) -> None:
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError:
            raise Closed from None
        if not data:
            raise Closed
        self._held += data

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._held:
            self._more()
        found, _, self._held = self._held.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._more()
        found, self._held = self._held[:size], self._held[size:]
        return found

    def status(self) -> int:
        """Read the head of the response."""
        first, *lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        return int(first.split()[1])

    def piece(self) -> bytes:
        """Read the next chunk of the response; b"" at its end."""
        size = int(self._until(b"\r\n"), 16)
        data = self._exactly(size)
        assert self._exactly(2) == b"\r\n"
        self._over = not size
        return data

    def body(self) -> bytes:
        """Read the whole response body."""
        if "content-length" in self.headers:
            return self._exactly(int(self.headers["content-length"]))
        return b"".join(iter(self.piece, b""))

    def event(self) -> Event:
        """Wait for the next event."""
        while not self._events:
            piece = self.piece()
            if self._over:
                raise Closed
            self._events += self.reader.feed(piece)
        return self._events.pop(0)

    def events(self) -> Iterator[Event]:
        """Read events to the end of the response."""
        while True:
            try:
                event = self.event()
            except Closed:
                assert self._over, "the response broke off"
                return
            yield event

    def closed(self) -> None:
        """Wait until the server closes the connection, whatever comes before."""
        try:
            while True:
                self._more()
                self._held = b""
        except Closed:
            pass
