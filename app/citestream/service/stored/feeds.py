"""Following turns: readers are woken when more has been committed.

Lives here: what the followers of one turn share, a short tail of committed rows, so that a wake-up
costs no read of the store, and the one path by which events reach readers. On a store that others
write to as well it listens to their changes. Must not know what the rows say.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from citestream.service.problems import CURSOR_GONE, Problem
from citestream.service.stored.reading import PAGE
from citestream.stores.failpoints import Failpoint, no_op
from citestream.stores.port import (
    PAGE_BYTES,
    EventRow,
    GoneError,
    Head,
    Key,
    StoreError,
    TurnLog,
    TurnRow,
)

TAIL: Final = 256
"""Committed rows a turn keeps at hand for those who follow closely, and no more than a page."""
AGAIN_SECONDS: Final = 1.0
"""How long to wait before the changes of a store are asked for again."""


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
        """Keep committed ``rows``, numbered from ``first``, and wake the followers."""
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

    def rows_after(self, after: int, limit: int) -> list[EventRow] | None:
        """Return rows after number ``after`` if the tail has them all, else None."""
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

    def __init__(self, log: TurnLog, failpoint: Failpoint = no_op) -> None:
        self._log = log
        self._failpoint = failpoint
        self._feeds: dict[Key, Feed] = {}
        self._watch: asyncio.Task[None] | None = None
        self._listens = False  # whether no change of others is missed

    def followers(self) -> int:
        """Return how many are following a turn."""
        return sum(feed.followers for feed in self._feeds.values())

    async def follow(self, row: TurnRow, after: int) -> AsyncIterator[list[tuple[int, EventRow]]]:
        """Yield the numbered events of a turn after number ``after`` in pages.

        Live and replay are one path. Ends after the terminal event, and when the turn is removed.
        Raises :class:`Problem` for events that are no longer stored.
        """
        async with self.following(row.key, Head(row.events, row.ended is not None)) as feed:
            while not feed.gone:
                rows = feed.rows_after(after, PAGE)
                if rows is None:
                    rows = await self._stored_after(row.key, feed, after)
                if rows:
                    yield list(enumerate(rows, after + 1))
                    after += len(rows)
                elif feed.ended and after >= feed.last:
                    return
                elif after >= feed.last:
                    await feed.changed()

    async def _stored_after(self, key: Key, feed: Feed, after: int) -> list[EventRow]:
        try:
            rows = await self._log.events(key, after, PAGE)
        except GoneError:
            raise Problem(CURSOR_GONE, "the events after this id are gone") from None
        self._failpoint("replaying")
        if not rows:
            feed.seen(None)  # the turn was removed in between
        return rows

    @asynccontextmanager
    async def following(self, key: Key, head: Head) -> AsyncIterator[Feed]:
        """Be a follower of a turn that had come as far as ``head``."""
        feed = self._feeds.setdefault(key, Feed(head))
        feed.seen(head)
        feed.followers += 1
        if self._log.shared and (self._watch is None or self._watch.done()):
            self._watch = asyncio.create_task(self._see_changes(), name="citestream-changes")
        try:
            if self._listens:
                # What others wrote since ``head`` was read was not yet followed.
                feed.seen((await self._log.heads([key])).get(key))
            yield feed
        finally:
            feed.followers -= 1
            if not feed.followers and self._feeds.get(key) is feed:
                del self._feeds[key]
                if not self._feeds and self._watch is not None:
                    self._watch.cancel()

    def publish(self, key: Key, first: int, rows: Sequence[EventRow], *, ended: bool) -> None:
        """Hand committed rows, numbered from ``first``, to a turn's followers, if it has any."""
        if feed := self._feeds.get(key):
            feed.publish(first, rows, ended=ended)

    def gone(self, key: Key) -> None:
        """End a turn's followers: it has been removed."""
        if feed := self._feeds.pop(key, None):
            feed.seen(None)

    async def _see_changes(self) -> None:
        """Take notice of what others write; when that fails, begin again a second later."""
        while self._feeds:
            try:
                with suppress(StoreError):
                    async for heads in self._log.changes(lambda: self._feeds.keys()):
                        self._see(heads if self._listens else await self._heads_now())
                        self._listens = True
            finally:
                self._listens = False
            await asyncio.sleep(AGAIN_SECONDS)

    async def _heads_now(self) -> Mapping[Key, Head | None]:
        """Return how far all followed turns have come."""
        keys = list(self._feeds)
        heads = await self._log.heads(keys)
        return {key: heads.get(key) for key in keys}

    def _see(self, heads: Mapping[Key, Head | None]) -> None:
        for key, head in heads.items():
            if feed := self._feeds.get(key):
                feed.seen(head)
