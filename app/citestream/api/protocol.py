"""The HTTP/1.1 protocol of the server, with the limits that the server itself does not have.

uvicorn sets no deadline on a request's head and none on its size: a client that sends half a head
holds a connection for ever, and a head of megabytes is parsed. Here a head is at most 16 KiB and
64 fields and must be whole within 10 seconds of its first wait.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from citestream.service.problems import BAD_REQUEST, Kind, Problem
from citestream.wire.json_text import dumps

MAX_HEAD: Final = 16 * 1024
"""Bytes of a request line and its header fields."""
MAX_FIELDS: Final = 64
HEAD_SECONDS: Final = 10.0

HEAD_TOO_LARGE: Final = Kind("head-too-large", "The request head is larger than it may be", 431)
HEAD_TIMEOUT: Final = Kind("head-timeout", "The request head did not arrive in time", 408)


class GuardedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which refuses heads that are too large or too slow."""

    _head_size = 0  # bytes of the head that has begun, as far as it came in earlier packets
    _head_ended = False  # whether a head has ended in this packet
    _head_timer: asyncio.TimerHandle | None = None
    _refused = False

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a packet; refuse a head that goes on and is too large already."""
        if self._refused:
            return
        self._head_ended = False
        super().data_received(data)
        if self._head_timer and not self._head_ended and not self._refused:
            self._head_size += len(data)
            if self._head_size > MAX_HEAD:
                self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_HEAD} bytes")

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """End a head; refuse one that came in one packet and is too large, or has many fields."""
        self._stop_waiting()
        self._head_ended = True
        self._head_size = 0
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MAX_HEAD:
            self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_HEAD} bytes")
        elif len(self.headers) > MAX_FIELDS:
            self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_FIELDS} fields")
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass a body on, unless its head was refused."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Pass the end of a body on, unless its head was refused."""
        if not self._refused:
            super().on_message_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(
            HEAD_SECONDS, self._refuse, HEAD_TIMEOUT, f"head: within {HEAD_SECONDS:.0f} seconds"
        )

    def _stop_waiting(self) -> None:
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the form of every other refusal."""
        del msg
        self._refuse(BAD_REQUEST, "the request is no HTTP/1.1")

    def _refuse(self, kind: Kind, detail: str) -> None:
        self._stop_waiting()
        self._refused = True
        if self.transport.is_closing():
            return
        body = dumps(Problem(kind, detail).as_json())
        self.transport.write(
            b"HTTP/1.1 %d Refused\r\nconnection: close\r\n"
            b"content-type: application/problem+json\r\ncontent-length: %d\r\n\r\n%s"
            % (kind.status, len(body), body)
        )
        self.transport.close()
