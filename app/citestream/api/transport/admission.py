"""The streams that are open: how many there may be, and how they close when the process stops."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citestream.api.transport.problems import TOO_MANY_STREAMS
from citestream.service.problems import NOT_READY, Problem


class Admission:
    """Counts streams against ``limit``; lets them go one after the other when the process stops.

    Once draining, nothing new is taken for ``grace`` seconds while balancers notice; then each
    stream closes at a moment of its own within ``spread`` seconds, so that readers do not all come
    back at once.
    """

    def __init__(self, limit: int, grace: float, spread: float) -> None:
        self._limit = limit
        self.grace = grace
        self.spread = spread
        self._began: float | None = None
        self._pushes: set[asyncio.Timeout] = set()
        self.count = 0
        """Streams open now."""
        self.empty = asyncio.Event()
        """Set while no stream is open."""
        self.empty.set()

    @property
    def draining(self) -> bool:
        """Whether the process is about to stop."""
        return self._began is not None

    def drain(self, now: float) -> None:
        """Begin to stop at the loop's time ``now``."""
        if self._began is None:
            self._began = now
            for push in self._pushes:
                push.reschedule(self.closes_at())

    @asynccontextmanager
    async def pushing(self) -> AsyncIterator[None]:
        """Count a push in that goes on as long as its producer likes.

        Raises :class:`Problem` in it when its time has come because the process stops.
        """
        self.enter()
        try:
            async with asyncio.timeout_at(self.closes_at()) as push:
                self._pushes.add(push)
                try:
                    yield
                finally:
                    self._pushes.discard(push)
        except TimeoutError:
            if not push.expired():
                raise
            headers = {"Retry-After": "1", "Connection": "close"}
            raise Problem(NOT_READY, "the process stops; go on from 'next'", (), headers) from None
        finally:
            self.leave()

    def closes_at(self) -> float | None:
        """Return the loop's time at which one stream is to close, None while nothing stops."""
        if self._began is None:
            return None
        return self._began + self.grace + random.uniform(0, self.spread)  # noqa: S311

    def enter(self) -> None:
        """Count a stream in; raises :class:`Problem` when there are as many as may be."""
        if self.count >= self._limit:
            raise Problem(
                TOO_MANY_STREAMS, f"streams: at most {self._limit}", headers={"Retry-After": "2"}
            )
        self.count += 1
        self.empty.clear()

    def leave(self) -> None:
        """Count a stream out."""
        self.count -= 1
        if not self.count:
            self.empty.set()
