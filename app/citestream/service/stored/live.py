"""Turns in memory between two pushes: copies of what is committed, the latest pushed to.

Must not know how a turn is restored.
"""

import asyncio
from collections import OrderedDict
from typing import Final

from citestream.service.stored.recorder import Recorder
from citestream.stores.port import Key, TurnRow

MAX_TURNS: Final = 2000
"""Turns kept in memory between two pushes."""
MAX_BYTES: Final = 256 * 1024 * 1024
"""Bytes of text and parts of all of them together."""


class CacheEntry:
    """A copy of a turn as it is committed, None while there is none, and the lock of its pushes."""

    __slots__ = ("copy", "lock", "size")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.copy: tuple[TurnRow, Recorder] | None = None
        self.size = 0


class LiveTurns:
    """The turns in memory."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Key, CacheEntry] = OrderedDict()
        self._bytes = 0

    def entry(self, key: Key) -> CacheEntry:
        """Return the entry of a turn, which is the latest used now."""
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = CacheEntry()
        self._entries.move_to_end(key)
        return entry

    def keep(self, entry: CacheEntry, row: TurnRow, recorder: Recorder) -> None:
        """Keep a copy of what is committed; drop the copies of turns used longest ago."""
        if self._entries.get(row.key) is not entry:
            return
        entry.copy = row, recorder
        before, entry.size = entry.size, recorder.size
        self._bytes += entry.size - before
        while len(self._entries) > MAX_TURNS or self._bytes > MAX_BYTES:
            self.drop(next(iter(self._entries)))

    def drop(self, key: Key) -> None:
        """Forget a turn."""
        if entry := self._entries.pop(key, None):
            self._bytes -= entry.size

    def held(self) -> int:
        """Return the characters that the engines of turns in memory hold back."""
        return sum(entry.copy[1].turn.held() for entry in self._entries.values() if entry.copy)
