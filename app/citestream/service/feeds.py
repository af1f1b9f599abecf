"""Waking followers: who reads a turn learns that more has been committed.

Lives here: one shared future a turn and a short tail of committed rows, so that a wake-up costs no
read of the store. Must not know what the rows say.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

from citestream.stores.port import EventRow

TAIL: Final = 256
"""Committed rows a turn keeps at hand for those who follow closely."""


class Feed:
    """What the followers of one turn share."""

    __slots__ = ("_changed", "_tail", "followers", "last")

    def __init__(self, last: int) -> None:
        self.last = last
        """The number of the last committed event."""
        self.followers = 0
        self._tail: deque[EventRow] = deque(maxlen=TAIL)
        self._changed: asyncio.Future[None] | None = None

    def publish(self, first: int, rows: Sequence[EventRow]) -> None:
        """Tell that ``rows`` have been committed, numbered from ``first``."""
        if first != self.last + 1:
            # Somebody else wrote in between, or a follower saw these rows before they were told.
            self._tail.clear()
        self._tail.extend(rows)
        self.last = first + len(rows) - 1
        self.wake()

    def seen(self, last: int) -> None:
        """Take notice that the store holds events up to ``last``."""
        if last > self.last:
            self._tail.clear()
            self.last = last

    def wake(self) -> None:
        """Let every waiting follower look again."""
        if self._changed and not self._changed.done():
            self._changed.set_result(None)
        self._changed = None

    def behind(self, after: int, limit: int) -> list[EventRow] | None:
        """Return the rows behind ``after`` if the tail has them all, else None."""
        missing = self.last - after
        if missing > len(self._tail):
            return None
        start = len(self._tail) - missing
        return [self._tail[index] for index in range(start, min(start + limit, len(self._tail)))]

    async def changed(self, seconds: float) -> None:
        """Wait until more was committed or the turn went, at most so many seconds."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        await asyncio.wait((self._changed,), timeout=seconds)
