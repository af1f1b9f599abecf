"""The streams that are open: how many there may be, and how they close when the process stops."""

import asyncio
import random
from typing import Final

from citestream.service.problems import Kind, Problem

TOO_MANY: Final = Kind("too-many-streams", "As many streams are open as may be", 503)


class OpenStreams:
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

    def closes_at(self) -> float | None:
        """Return the loop's time at which one stream is to close, None while nothing stops."""
        if self._began is None:
            return None
        return self._began + self.grace + random.uniform(0, self.spread)  # noqa: S311

    def enter(self) -> None:
        """Count a stream in; raises :class:`Problem` when there are as many as may be."""
        if self.count >= self._limit:
            raise Problem(TOO_MANY, f"streams: at most {self._limit}", headers={"Retry-After": "2"})
        self.count += 1
        self.empty.clear()

    def leave(self) -> None:
        """Count a stream out."""
        self.count -= 1
        if not self.count:
            self.empty.set()
