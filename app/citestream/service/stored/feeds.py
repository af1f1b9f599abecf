"""Waking followers: who reads a turn learns that more has been committed.

Lives here: what the followers of one turn share, a short tail of committed rows, so that a wake-up
costs no read of the store. What another process commits is seen within a second. Must not know what
the rows say.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from citestream.stores.port import PAGE_BYTES, EventRow, Head, StoreError, TurnLog

TAIL: Final = 256
"""Committed rows a turn keeps at hand for those who follow closely, and no more than a page."""
LOOK_SECONDS: Final = 1.0
"""So often it is looked whether another process has written to a turn that is followed."""


class Feed:
    """What the followers of one turn share; ``head`` is how far it has come."""

    __slots__ = ("_size", "_tail", "_waiting", "ended", "followers", "gone", "last")

    def __init__(self, head: Head) -> None:
        self.last = head.events
        """The number of the last committed event."""
        self.ended = head.ended
        self.gone = False
        """Whether the turn has been removed."""
        self.followers = 0
        self._tail: deque[EventRow] = deque()
        self._size = 0
        self._waiting: list[asyncio.Future[None]] = []

    def publish(self, first: int, rows: Sequence[EventRow], *, ended: bool) -> None:
        """Tell that ``rows`` have been committed, numbered from ``first``."""
        last = first + len(rows) - 1
        if last > self.last:
            if first != self.last + 1:
                # Somebody else wrote in between, or they were seen in the store before.
                self._forget()
            self._keep(rows)
            self.last = last
        self.ended = self.ended or ended
        self._wake()

    def seen(self, head: Head | None) -> None:
        """Take notice of how far the store says the turn has come; None: it has been removed."""
        if head is None:
            self.gone = True
        elif head.events > self.last:
            self._forget()
            self.last = head.events
        elif head.ended == self.ended:
            return
        self.ended = self.ended or (head is not None and head.ended)
        self._wake()

    def behind(self, after: int, limit: int) -> list[EventRow] | None:
        """Return rows behind ``after`` if the tail has them all, else None."""
        missing = max(0, self.last - after)
        if missing > len(self._tail):
            return None
        start = len(self._tail) - missing
        return [self._tail[index] for index in range(start, min(start + limit, len(self._tail)))]

    async def changed(self) -> None:
        """Wait until more was committed or the turn was removed."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _keep(self, rows: Sequence[EventRow]) -> None:
        for row in rows:
            self._tail.append(row)
            self._size += len(row.data)
            while self._size > PAGE_BYTES or len(self._tail) > TAIL:
                self._size -= len(self._tail.popleft().data)

    def _forget(self) -> None:
        self._tail.clear()
        self._size = 0

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()


class Feeds:
    """The feeds of the turns that are being followed."""

    def __init__(self, log: TurnLog) -> None:
        self._log = log
        self._feeds: dict[str, Feed] = {}
        self._watch: asyncio.Task[None] | None = None

    @property
    def followers(self) -> int:
        """How many are following a turn."""
        return sum(feed.followers for feed in self._feeds.values())

    @asynccontextmanager
    async def following(self, turn_id: str, head: Head) -> AsyncIterator[Feed]:
        """Be a follower of a turn that had come as far as ``head``."""
        feed = self._feeds.setdefault(turn_id, Feed(head))
        feed.seen(head)
        feed.followers += 1
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look(), name="citestream-look")
        try:
            yield feed
        finally:
            feed.followers -= 1
            if not feed.followers and self._feeds.get(turn_id) is feed:
                del self._feeds[turn_id]
                if not self._feeds and self._watch is not None:
                    self._watch.cancel()

    def publish(self, turn_id: str, first: int, rows: Sequence[EventRow], *, ended: bool) -> None:
        """Tell a turn's followers, if there are any, what has been committed."""
        if feed := self._feeds.get(turn_id):
            feed.publish(first, rows, ended=ended)

    def gone(self, turn_id: str) -> None:
        """Tell a turn's followers that it has been removed."""
        if feed := self._feeds.pop(turn_id, None):
            feed.seen(None)

    async def _look(self) -> None:
        while self._feeds:
            await asyncio.sleep(LOOK_SECONDS)
            followed = list(self._feeds.items())
            with suppress(StoreError):  # the next look will do
                heads = await self._log.heads([turn_id for turn_id, _ in followed])
                for turn_id, feed in followed:
                    feed.seen(heads.get(turn_id))
