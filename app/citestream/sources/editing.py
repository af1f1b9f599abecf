"""Changes to a text as values, applied in one go and never past the size limit.

    ValueError
    └── OutputTooLongError   what was asked for would be longer than MAX_OUTPUT_BYTES

Must not know why a text is changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MAX_OUTPUT_BYTES: Final = 8 * 1024 * 1024
"""Bytes of UTF-8 that any result may have: 16,000 markers to one long address make 32 MiB."""


class OutputTooLongError(ValueError):
    """The result would be longer than the limit; raised before it is built."""

    def __init__(self) -> None:
        super().__init__(f"the result would be longer than {MAX_OUTPUT_BYTES:,} bytes of UTF-8")
        self.limit = MAX_OUTPUT_BYTES


_BATCH: Final = 65_536
"""Pieces joined in one call, which keeps the interpreter's lock: about 1 ms."""


def check_length(text: str) -> None:
    """Raise ``OutputTooLongError`` for a text that no result can hold, before it is parsed."""
    length = len(text)
    if length > MAX_OUTPUT_BYTES or (
        length > MAX_OUTPUT_BYTES // 4 and len(text.encode("utf-8", "replace")) > MAX_OUTPUT_BYTES
    ):
        raise OutputTooLongError


@dataclass(frozen=True, slots=True)
class Edit:
    """Code points ``start`` to ``end`` of a text, and what stands there instead."""

    start: int
    end: int
    text: str


def join_within_limit(pieces: Iterable[str]) -> str:
    """Join pieces, or raise ``OutputTooLongError`` while they are still pieces."""
    joined: list[str] = []
    batch: list[str] = []
    room = MAX_OUTPUT_BYTES
    for piece in pieces:
        room -= len(piece) if piece.isascii() else len(piece.encode())
        if room < 0:
            raise OutputTooLongError
        batch.append(piece)
        if len(batch) == _BATCH:
            joined.append("".join(batch))
            batch.clear()
    return "".join([*joined, *batch])


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return ``text`` changed by edits that are in order and do not overlap.

    Raises ``OutputTooLongError`` before anything is built.
    """

    def pieces() -> Iterable[str]:
        last = 0
        for edit in edits:
            yield text[last : edit.start]
            yield edit.text
            last = edit.end
        yield text[last:]

    return join_within_limit(pieces())
