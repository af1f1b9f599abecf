"""Newline-delimited JSON: bytes as they arrive, cut into lines.

Lives here: finding lines and counting them. Must not know what a line says.
"""

from collections.abc import Iterator
from typing import Final

from citestream.wire.json_text import BYTE_ORDER_MARK

MAX_LINE: Final = 8 * 1024 * 1024
"""Bytes of one line at most."""


class LineTooLongError(ValueError):
    """A line is longer than it may be; the message names the limit."""


class LineReader:
    """Cuts bytes into lines at LF, however the bytes are cut: feed, then finish.

    A CR before the LF is white space to JSON and stays. Empty lines count and are passed over. A
    byte order mark before the first line is passed over (RFC 8259, 8.1).
    """

    __slots__ = ("_limit", "_pieces", "held", "number")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self.held = 0
        """Bytes of the line that has not ended."""
        self.number = 0
        """The number, from 1, of the line last returned or refused."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines that ``chunk`` completes; raise :class:`LineTooLongError` after them."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            if self._pieces or not self.number or len(piece) > self._limit:
                self._hold(piece)
                yield from self.finish()
            else:
                # The line is whole as it arrived.
                self.number += 1
                if piece.strip(b" \t\r"):
                    yield piece
        if rest:
            self._hold(rest)

    def finish(self) -> Iterator[bytes]:
        """Yield the line that is held, as if a line end had come."""
        line = b"".join(self._pieces)
        self._pieces.clear()
        self.held = 0
        if not self.number:
            line = line.removeprefix(BYTE_ORDER_MARK)
        self.number += 1
        if line.strip(b" \t\r"):
            yield line

    def _hold(self, piece: bytes) -> None:
        self.held += len(piece)
        if self.held > self._limit:
            self.number += 1
            raise LineTooLongError(f"longer than {self._limit} bytes")
        self._pieces.append(piece)
