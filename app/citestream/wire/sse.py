"""Server-sent events, read from bytes as they arrive (HTML standard, 9.2.6).

Lives here: finding lines and putting the data of an event together. Must not know what the data
says. Of an event only its data is kept: the formats read here say everything in it.
"""

import re
from collections.abc import Iterator
from typing import Final

from citestream.wire.json_text import BYTE_ORDER_MARK
from citestream.wire.ndjson import LineTooLongError

MAX_EVENT: Final = 1024 * 1024
"""Bytes of one line, and of the data lines of one event, at most."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_LF: Final = 0x0A
_CR: Final = 0x0D


class EventReader:
    """Takes bytes, however they are cut; gives the data of each event once its blank line has come.

    Lines end at LF, CRLF or CR and nowhere else. Bytes that are no UTF-8 become U+FFFD. An event
    that the stream breaks off in is none (HTML standard), so there is nothing to finish.
    """

    __slots__ = ("_after_cr", "_at_start", "_data", "_data_size", "_held", "_limit", "_size")

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self._limit = limit
        self._held: list[bytes] = []  # of the line that has not ended
        self._size = 0
        self._data: list[str] = []  # lines of the event that has not ended
        self._data_size = 0
        self._after_cr = False  # an LF that comes next ends no further line
        self._at_start = True

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Yield the data of the events that ``chunk`` completes, its lines joined by LF.

        Raises :class:`~citestream.wire.ndjson.LineTooLongError` behind them.
        """
        if not chunk:
            return
        rest_of_end = self._after_cr and chunk[0] == _LF
        self._after_cr = chunk[-1] == _CR
        *whole, rest = _LINE_END.split(chunk[1:] if rest_of_end else chunk)
        for piece in whole:
            self._hold(piece)
            yield from self._end_line()
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise LineTooLongError(f"longer than {self._limit} bytes")
        if piece:
            self._held.append(piece)

    def _end_line(self) -> Iterator[str]:
        line = b"".join(self._held)
        self._held.clear()
        self._size = 0
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(BYTE_ORDER_MARK)
        if not line:
            if self._data:
                yield "\n".join(self._data)
            self._data.clear()
            self._data_size = 0
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._take_data(value.removeprefix(b" "))

    def _take_data(self, value: bytes) -> None:
        self._data_size += len(value) + 1
        if self._data_size > self._limit:
            raise LineTooLongError(f"data of an event, longer than {self._limit} bytes")
        self._data.append(value.decode("utf-8", "replace"))
