"""The HTTP/1.1 parser of a connection, which reads every body as its head frames it.

Lives here: what httptools gets wrong for a server that never changes protocols. Must not know
what a request asks for, or who answers it.

A client may offer another protocol in any request (``Upgrade: h2c``, as ``curl --http2`` and Java's
HttpClient do), and a server that does not take the offer ignores it (RFC 9110 section 7.8). llhttp,
below httptools, always takes it: it drops the body and stops after the head. So after such a head
a new parser takes over. It first reads a stand-in head with the same framing fields, which nobody
hears of, and then the bytes that follow, as the body that they are.
"""

from typing import Any, Final, Protocol

from httptools import HttpParserUpgrade, HttpRequestParser

_FRAMING: Final = (b"content-length", b"transfer-encoding")


class Listener(Protocol):
    """Hears what the parser finds; the names are those of httptools."""

    def on_message_begin(self) -> None:
        """Hear that a request begins."""

    def on_url(self, url: bytes) -> None:
        """Hear a piece of its target."""

    def on_header(self, name: bytes, value: bytes) -> None:
        """Hear a field of its head or a trailer."""

    def on_headers_complete(self) -> None:
        """Hear that its head is whole."""

    def on_body(self, body: bytes) -> None:
        """Hear a piece of its body."""

    def on_message_complete(self) -> None:
        """Hear that it is whole."""


class FramedParser:
    """Parses requests, however their bytes are cut, and never changes protocols.

    It has the methods of httptools' parser that uvicorn calls. ``feed_data`` raises
    ``httptools.HttpParserError`` for what is not HTTP/1.1.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._framing: list[bytes] = []  # lines of the head that frame its body
        self._in_head = False
        self._quiet = False  # while the stand-in head is read
        self._upgraded = False  # whether the head that was just read made an offer
        # Pieces of bodies are most of what is heard: they go to the listener straight.
        self.on_body = listener.on_body
        self._inner = self._new_parser()

    def _new_parser(self) -> Any:
        parser = HttpRequestParser(self)
        # As uvicorn sets it: data after a request that asks to close is not an error.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return parser

    def feed_data(self, data: bytes) -> None:
        """Parse the next bytes of the connection."""
        while True:
            try:
                self._inner.feed_data(data)
            except HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
                self._go_on()
            else:
                return

    def _go_on(self) -> None:
        """Read on after a head with an offer, as if it had made none."""
        self._upgraded = False
        if not self._framing:
            self._listener.on_message_complete()
        self._inner = self._new_parser()
        if self._framing:
            self._quiet = True
            self._inner.feed_data(b"POST / HTTP/1.1\r\n" + b"".join(self._framing) + b"\r\n")

    # What uvicorn asks of a parser while ``on_headers_complete`` runs.

    def get_method(self) -> bytes:
        """Return the method of the request."""
        method: bytes = self._inner.get_method()
        return method

    def get_http_version(self) -> str:
        """Return the version of the request: ``1.1`` or ``1.0``."""
        version: str = self._inner.get_http_version()
        return version

    def should_keep_alive(self) -> bool:
        """Tell whether the client keeps the connection after this request."""
        keeps: bool = self._inner.should_keep_alive()
        return keeps

    def should_upgrade(self) -> bool:
        """Tell whether the connection changes protocols: never."""
        return False

    # What the parser inside finds.

    def on_message_begin(self) -> None:
        """Hear that a request begins."""
        if not self._quiet:
            self._in_head = True
            self._framing.clear()
            self._listener.on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Hear a piece of its target."""
        if not self._quiet:
            self._listener.on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Hear a field of its head, or a trailer."""
        if self._quiet:
            return
        if self._in_head and name.lower() in _FRAMING:
            self._framing.append(name + b": " + value + b"\r\n")
        self._listener.on_header(name, value)

    def on_headers_complete(self) -> None:
        """Hear that its head is whole."""
        if self._quiet:
            self._quiet = False
            return
        self._in_head = False
        self._listener.on_headers_complete()
        self._upgraded = bool(self._inner.should_upgrade())

    def on_message_complete(self) -> None:
        """Hear that it is whole; after an offer it only seems so."""
        if not self._upgraded:
            self._listener.on_message_complete()
