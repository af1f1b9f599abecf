"""The HTTP/1.1 protocol of the server, with the limits that the server itself does not have.

uvicorn sets no deadline on a request's head and none on its size: a client that sends half a head
holds a connection for ever, and a head of megabytes is parsed. Here a head is at most 16 KiB and
64 fields and must be whole within 10 seconds of its first wait. A body that is still being sent
when its answer is complete is read for 5 seconds more, so that the client gets to read the answer.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from citestream.api.transport.problems import (
    HEAD_TIMEOUT,
    HEAD_TOO_LARGE,
    STATUSES,
    problem_object,
)
from citestream.server.framing import FramedParser
from citestream.service.problems import BAD_REQUEST, Problem, ProblemType
from citestream.wire.json_text import dumps

MAX_HEAD: Final = 16 * 1024
"""Bytes of a request line and its header fields."""
MAX_FIELDS: Final = 64
HEAD_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 60.0
"""So long may a reader leave more waiting than the transport's buffer takes; the deadline of a
stream, a setting, is never longer."""
LINGER_SECONDS: Final = 5.0
_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
MAX_WAITING: Final = 8
"""Requests that may wait on a connection for the answer to an earlier one. Browsers send none
ahead; 8 are enough for a client that pipelines, and bound what one connection holds."""


class _LastTransport:
    """What a request's cycle writes to: it may close the connection only when the body has come.

    A socket closed before is reset by what still comes, and the client loses the answer.
    """

    __slots__ = ("abort", "close", "is_closing", "write")

    def __init__(self, transport: Any, close: Callable[[], None]) -> None:
        self.abort = transport.abort
        self.is_closing = transport.is_closing
        self.write = transport.write
        self.close = close


class GuardedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which refuses heads that are too large or too slow."""

    # Slots beside the dictionary of the library's fields: one dictionary of all of them would be so
    # large that CPython no longer shares its keys among the connections.
    __slots__ = (
        *("_framing_size", "_head_size", "_in_body", "_last", "_mixed", "_refused", "_running"),
        *("_timer", "_write_timer"),
    )

    cors_origins: frozenset[str] = frozenset()
    """Origins whose pages may read refusals, too; exactly as a browser sends them."""

    @classmethod
    def for_origins(cls, origins: Iterable[str]) -> "type[GuardedProtocol]":
        """Return this class with refusals that pages of ``origins`` may read."""
        return type(cls.__name__, (cls,), {"cors_origins": frozenset(origins)})

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_size = 0  # bytes of the head that has begun
        self._mixed = False  # whether this packet holds more than a piece of one head
        self._in_body = False
        # The request that is being answered. ``cycle`` is the newest, which may still wait for it.
        self._running: RequestResponseCycle | None = None
        self._last = False  # whether this request is the last, and its answer is complete
        self._framing_size = 0  # bytes since the last of a body, while that goes on
        self._refused = False
        self._write_timer: asyncio.TimerHandle | None = None
        # Runs in a head, and in a body that nobody awaits.
        self._timer: asyncio.TimerHandle | None = None
        self.parser: Any = FramedParser(self)

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self._read_on()
        self._interrupt()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _interrupt(self) -> None:
        """Let whatever answers a request on this connection learn that its client is lost."""
        if self._running and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    def data_received(self, data: bytes) -> None:
        """Parse a packet; refuse a head, or trailers, that go on and are too large already."""
        if self._refused:
            return
        self._mixed = False
        super().data_received(data)
        if self._mixed and self._in_body:
            self._framing_size = 0  # a piece of a body, as most packets are
        else:
            self._check_size(data)

    def _check_size(self, data: bytes) -> None:
        if self._refused:
            return
        if self._in_body:
            self._check_framing(data)
        else:
            self._check_head(data)

    def _check_framing(self, data: bytes) -> None:
        """Refuse a body that goes on without a byte of body: trailers, or a chunk's extensions."""
        self._framing_size = 0 if self._mixed else self._framing_size + len(data)
        if self._framing_size > MAX_HEAD:
            self._refuse(HEAD_TOO_LARGE, f"body: at most {MAX_HEAD} bytes of trailers")

    def _check_head(self, data: bytes) -> None:
        if self._timer is None and not self._answering():
            # Line ends between two requests begin no message, and end the wait for one.
            self._await_head()
        if self._timer and not self._mixed:
            self._head_size += len(data)
            if self._head_size > MAX_HEAD:
                self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_HEAD} bytes")

    def pause_writing(self) -> None:
        """Give a reader so long to take what is ready for it; one that stalls loses its socket."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The reader reads."""
        self._read_on()
        super().resume_writing()

    def _read_on(self) -> None:
        if self._write_timer:
            self._write_timer.cancel()
            self._write_timer = None

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        if self._timer is None:
            self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the head; a trailer is none, and says nothing to anybody here."""
        if not self._in_body:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End a head; refuse one that came in one packet and is too large, or has many fields."""
        self._stop_waiting()
        self._mixed = True
        self._head_size = 0
        size = len(self.parser.get_method() + self.url + b"  HTTP/1.1\r\n\r\n")
        size += sum(len(name) + len(value) + len(": \r\n") for name, value in self.headers)
        if self._refused:
            return
        if size > MAX_HEAD:
            self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_HEAD} bytes")
        elif len(self.headers) > MAX_FIELDS:
            self._refuse(HEAD_TOO_LARGE, f"head: at most {MAX_FIELDS} fields")
        elif len(self.pipeline) >= MAX_WAITING:
            self._refuse(BAD_REQUEST, f"connection: at most {MAX_WAITING} requests may wait")
        elif fault := self._framing_fault():
            self._refuse(BAD_REQUEST, fault)
        else:
            self._take_head()

    def _framing_fault(self) -> str:
        """Say what is wrong with how the head frames the request; "" when nothing is.

        llhttp reads a request line without a version, and codings that nobody here decodes.
        """
        if self.parser.get_http_version() not in ("1.1", "1.0"):
            return "the request is not HTTP/1.1"
        codings = [value for name, value in self.headers if name == b"transfer-encoding"]
        if codings and [one.strip().lower() for one in codings] != [b"chunked"]:
            return "transfer-encoding: must be chunked"
        return ""

    def _take_head(self) -> None:
        super().on_headers_complete()
        self.cycle.default_headers = [*self.cycle.default_headers, _NOSNIFF]
        if self.pipeline:
            # uvicorn stops reading here, and would no longer see that the client has gone.
            self.flow.resume_reading()
        self._in_body = True
        transport: Any = _LastTransport(self.transport, self._close)
        self.cycle.transport = transport
        self._ask_for_lines()

    def _ask_for_lines(self) -> None:
        """Ask at once for a body that is answered line by line.

        The answer to such a body begins before any of it is read, and a client that waits for the
        interim response would meet the final one and wait its time out.
        """
        # Where an earlier request is still answered, nothing may stand inside that answer.
        if not self.expect_100_continue or self.pipeline or self.scope["http_version"] != "1.1":
            return
        kind = dict(self.headers).get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind == b"application/x-ndjson":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.cycle.waiting_for_100_continue = False

    def on_body(self, body: bytes) -> None:
        """Pass a body on, unless its head was refused."""
        self._mixed = True
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Pass the end of a body on, unless its head was refused."""
        self._mixed = True
        self._in_body = False
        self._stop_waiting()
        if self._last:
            self.transport.close()
        elif not self._refused:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Let a client that is still sending a body read its answer, and then go."""
        super().on_response_complete()
        if self._in_body and self.cycle.response_complete:
            self._wait(LINGER_SECONDS, self.transport.close)

    def _close(self) -> None:
        """Close the connection; behind a whole answer to a body that comes, when that has come."""
        if self._in_body and self.cycle.response_complete:
            self._last = True
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the form of every other refusal."""
        del msg
        self._refuse(BAD_REQUEST, "the request is not HTTP/1.1")

    def _answering(self) -> bool:
        return self._running is not None and not self._running.response_complete

    def _await_head(self) -> None:
        self._wait(HEAD_SECONDS, self._refuse, HEAD_TIMEOUT, f"head: within {HEAD_SECONDS:g} s")

    def _wait(self, seconds: float, then: Callable[..., None], *values: Any) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, then, *values)

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, type_: ProblemType, detail: str) -> None:
        self._stop_waiting()
        self._refused = True
        if self.transport.is_closing():
            return
        if self._may_answer():
            body = dumps(problem_object(Problem(type_, detail)))
            self.transport.write(
                b"HTTP/1.1 %d Refused\r\nconnection: close\r\n%s"
                b"content-type: application/problem+json\r\nx-content-type-options: nosniff\r\n"
                b"content-length: %d\r\n\r\n%s" % (STATUSES[type_], self._cors(), len(body), body)
            )
        self._interrupt()
        self.transport.close()

    def _cors(self) -> bytes:
        """Return the fields with which a page of an allowed origin may read a refusal."""
        origins = [value for name, value in self.headers or () if name == b"origin"]
        if len(origins) != 1 or origins[0].decode("latin-1") not in self.cors_origins:
            return b""
        return (
            b"access-control-allow-origin: %s\r\naccess-control-allow-credentials: true\r\n"
            b"vary: Origin\r\n" % origins[0]
        )

    def _may_answer(self) -> bool:
        """Tell whether nothing is on its way that a refusal would stand inside of."""
        if self._in_body:
            return not self.pipeline and not self.cycle.response_started
        return not self._answering()
