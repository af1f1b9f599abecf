"""What time does to turns: idle ones end, old events are removed.

Idle time is counted by this process alone, on a monotonic clock, from when it first saw a turn as
it is: neither a wall clock that jumps nor a process that was down or stopped ends a turn. Must not
know HTTP.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from citestream.service.problems import Problem
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import Key, StoreError
from citestream.telemetry.logs import log_event, log_failure

BATCH: Final = 100
PAGE: Final = 1000
MAX_PAUSE_SECONDS: Final = 5.0


class IdleWatch:
    """Which turns have had no input for ``idle`` seconds in which they could have had some.

    ``monotonic`` gives seconds that never go back; of a gap between two looks no more than ``most``
    seconds count, for then the process was stopped.
    """

    def __init__(self, idle: float, most: float, monotonic: Callable[[], float]) -> None:
        self._idle = idle
        self._most = most
        self._monotonic = monotonic
        self._looked = monotonic()
        self._counted = 0.0
        self._seen: dict[Key, tuple[int, float]] = {}

    def advance(self, *, accepting: bool) -> None:
        """Count the time since the last look, if input could be accepted in it."""
        now = self._monotonic()
        if accepting:
            self._counted += min(now - self._looked, self._most)
        self._looked = now

    def look(self, running: dict[Key, int]) -> list[Key]:
        """Take in the next numbers of all running turns; return those that are idle."""
        self._seen = {
            key: (following, self._since(key, following)) for key, following in running.items()
        }
        return [
            key for key, (_, since) in self._seen.items() if self._counted - since >= self._idle
        ]

    def _since(self, key: Key, following: int) -> float:
        seen = self._seen.get(key)
        return seen[1] if seen and seen[0] == following else self._counted


async def expire(
    turns: StoredTurns,
    idle: float,
    retention: float,
    monotonic: Callable[[], float] = time.monotonic,
) -> None:
    """End idle turns and remove old events until cancelled; both times are seconds."""
    pause = min(MAX_PAUSE_SECONDS, idle / 2, retention / 2)
    watch = IdleWatch(idle, 2 * pause, monotonic)
    while True:
        await asyncio.sleep(pause)
        try:
            watch.advance(accepting=await turns.log.ready())
            await end_idle(turns, watch)
            await trim(turns, retention)
        except StoreError as error:
            # The store may take writes again the next time.
            log_failure("expiry_failed", error)


async def end_idle(turns: StoredTurns, watch: IdleWatch) -> None:
    """End the turns that are idle by ``watch``, keeping what was accepted."""
    running: dict[Key, int] = {}
    page = await turns.log.running(None, PAGE)
    while page:
        running.update(page)
        page = await turns.log.running(page[-1][0], PAGE)
    for key in watch.look(running):
        try:
            ended = await turns.end_idle(key, running[key])
        except StoreError:
            raise
        except Problem:
            continue  # removed in between
        except Exception as error:
            # One that cannot be ended may not keep the others from it.
            log_failure("turn_not_ended", error)
            continue
        if ended:
            log_event("turn_timed_out", turn=key.id)


async def trim(turns: StoredTurns, retention: float) -> None:
    """Remove the events of turns that ended more than ``retention`` seconds ago."""
    trimmed = BATCH
    while trimmed == BATCH:
        trimmed = await turns.log.trim(turns.clock() - retention, BATCH)
        if trimmed:
            log_event("turns_trimmed", turns=trimmed)
