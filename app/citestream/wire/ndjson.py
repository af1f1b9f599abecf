"""Newline-delimited JSON: bytes as they arrive, cut into lines.

Lives here: finding lines and counting them. Must not know what a line says.
"""

from typing import Final

MAX_LINE: Final = 8 * 1024 * 1024
"""Bytes of one line at most."""


class LineTooLongError(ValueError):
    """A line is longer than it may be; the message names its number and the limit."""


class LineReader:
    """Cuts bytes into lines at LF, however the bytes are cut: feed, then finish.

    A CR before the LF is white space to JSON and stays. Each line comes with its number from 1;
    empty lines count and are not returned.
    """

    __slots__ = ("_held", "_limit", "_number", "_size")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the line that has begun."""
        return self._number + 1

    def feed(self, chunk: bytes) -> list[tuple[int, bytes]]:
        """Return the lines that ``chunk`` completes. Raises :class:`LineTooLongError`."""
        *whole, rest = chunk.split(b"\n")
        lines = []
        for piece in whole:
            self._hold(piece)
            lines += self._line()
        self._hold(rest)
        return lines

    def finish(self) -> list[tuple[int, bytes]]:
        """Return the last line, if it has no line end."""
        return self._line()

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise LineTooLongError(f"line {self.number}: longer than {self._limit} bytes")
        if piece:
            self._held.append(piece)

    def _line(self) -> list[tuple[int, bytes]]:
        line = b"".join(self._held)
        self._held.clear()
        self._size = 0
        self._number += 1
        return [(self._number, line)] if line.strip() else []
