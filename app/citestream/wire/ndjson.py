"""Newline-delimited JSON: bytes as they arrive, cut into lines.

Lives here: finding lines and counting them. Must not know what a line says.
"""

from collections.abc import Iterator
from typing import Final

MAX_LINE: Final = 8 * 1024 * 1024
"""Bytes of one line at most."""


class LineTooLongError(ValueError):
    """A line is longer than it may be; the message names the limit."""


class LineReader:
    """Cuts bytes into lines at LF, however the bytes are cut: feed, then finish.

    A CR before the LF is white space to JSON and stays. Empty lines count and are passed over.
    """

    __slots__ = ("_held", "_limit", "_size", "number")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self.number = 0
        """The number, from 1, of the line last returned or refused."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines that ``chunk`` completes; raise :class:`LineTooLongError` behind them."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            if self._held or len(piece) > self._limit:
                self._hold(piece)
                yield from self.finish()
            else:
                # The line is whole as it came.
                self.number += 1
                if piece.strip(b" \t\r"):
                    yield piece
        self._hold(rest)

    def finish(self) -> Iterator[bytes]:
        """Yield the line that is held, as if a line end had come."""
        line = b"".join(self._held)
        self._held.clear()
        self._size = 0
        self.number += 1
        if line.strip(b" \t\r"):
            yield line

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self.number += 1
            raise LineTooLongError(f"longer than {self._limit} bytes")
        if piece:
            self._held.append(piece)
