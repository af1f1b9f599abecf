"""Server-sent events as blocks of bytes, so that one may leave as it arrived (HTML, 9.2.6).

Lives here: where a block ends, what its fields say, and how one is written anew. Must not know what
the data means.
"""

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from citestream.wire.json_text import BYTE_ORDER_MARK, dumps

MAX_BLOCK: Final = 16 * 1024 * 1024
"""Bytes of one event at most; the limit of a whole request's body."""

_BLOCK_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_COMMENTS: Final = re.compile(rb"(?::[^\r\n]*(?:\r\n|\n|\r(?!\Z))|\r\n|\n|\r(?!\Z))+")
"""Comments and blank lines before an event; a CR at the very end may be half of a line end."""


class NotJsonError(ValueError):
    """The data of an event is no JSON object."""


@dataclass(frozen=True, slots=True)
class Block:
    """One event with its blank line, or what stands between events (``data`` is then None).

    ``continues``: the LF of a line end whose CR ended the block before.
    """

    raw: bytes
    event: str = ""
    data: bytes | None = None
    continues: bool = False

    def json(self) -> dict[str, Any]:
        """Read the data. Raises :class:`NotJsonError`."""
        try:
            value = orjson.loads(self.data or b"")
        except orjson.JSONDecodeError:
            # NaN in a log probability, or half of a surrogate pair, must not cost the answer.
            try:
                value = json.loads((self.data or b"").decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                raise NotJsonError("an event of the stream is not JSON") from None
        if not isinstance(value, dict):
            raise NotJsonError("an event of the stream is no JSON object")
        return value

    def written(self, value: dict[str, Any], event: str | None = None) -> bytes:
        """Return an event that says ``value``, in the line ends and with the other fields of this
        one; ``event`` replaces its name."""
        found = _LINE_END.search(self.raw)
        end = found.group() if found else b"\n"
        kept = [
            line
            for line in _LINE_END.split(self.raw)
            if line and not line.startswith(b"data") and (event is None or line[:5] != b"event")
        ]
        if event and self.event:
            kept.insert(0, b"event: " + event.encode())
        return end.join([*kept, b"data: " + written_json(value), b"", b""])


def written_json(value: dict[str, Any]) -> bytes:
    """Write an object on one line; what strict JSON cannot hold is written as it was read."""
    try:
        return dumps(value)
    except (TypeError, ValueError):
        return json.dumps(value, separators=(",", ":")).encode()


class BlockReader:
    """Takes bytes, however they are cut; gives blocks that together are the very same bytes."""

    __slots__ = ("_after_cr", "_at_start", "_buffer", "_searched", "overlong")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._after_cr = False
        self._at_start = True
        self.overlong = False
        """Whether an event was longer than :data:`MAX_BLOCK`; all is then passed through."""

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """Yield the blocks that ``chunk`` completes."""
        if self.overlong:
            yield Block(chunk)
            return
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[:1] == b"\n":
                yield Block(b"\n", continues=True)
                chunk = chunk[1:]
        self._buffer += chunk
        if self._at_start and not (yield from self._start()):
            return
        yield from self._blocks()
        if len(self._buffer) > MAX_BLOCK:
            self.overlong = True
            yield Block(bytes(self._buffer))
            self._buffer.clear()

    def finish(self) -> Iterator[Block]:
        """Yield what is left: an event without its blank line, for clients that read it still."""
        if self._buffer:
            yield _read(bytes(self._buffer))
            self._buffer.clear()

    def _start(self) -> Generator[Block, None, bool]:
        """Yield the byte order mark; return whether the beginning is known."""
        buffer = self._buffer
        if len(buffer) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(buffer):
            return False
        self._at_start = False
        if buffer.startswith(BYTE_ORDER_MARK):
            del buffer[: len(BYTE_ORDER_MARK)]
            yield Block(BYTE_ORDER_MARK)
        return True

    def _blocks(self) -> Iterator[Block]:
        buffer, start = self._buffer, 0
        while True:
            if bytes(buffer[start : start + 1]) in (b":", b"\n", b"\r"):
                found = _COMMENTS.match(buffer, start)
                if found:
                    yield Block(found.group())
                    start = found.end()
            found = _BLOCK_END.search(buffer, max(start, self._searched))
            if not found:
                break
            end = found.end()
            yield _read(bytes(buffer[start:end]))
            start = end
            if end == len(buffer) and buffer[end - 1 : end] == b"\r":
                self._after_cr = True
        if start:
            del buffer[:start]
        # A blank line may lie across the cut: two line ends of two bytes, less the last byte.
        self._searched = max(0, len(buffer) - 3)


def _read(raw: bytes) -> Block:
    event, data = "", []
    for line in _LINE_END.split(raw) if b"\r" in raw else raw.split(b"\n"):
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        elif name == b"event":
            event = value.removeprefix(b" ").decode("utf-8", "replace")
    return Block(raw, event, b"\n".join(data) if data else None)
