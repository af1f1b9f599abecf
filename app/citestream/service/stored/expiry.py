"""What time does to turns: silent ones end, old events go.

Must not know HTTP.
"""

import asyncio
import math
from typing import Final

from citestream.service.problems import Problem
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import StoreError
from citestream.telemetry.logs import tell, tell_failure

BATCH: Final = 100
MAX_PAUSE_SECONDS: Final = 5.0


async def keep_house(turns: StoredTurns, silence: float, retention: float) -> None:
    """Look after the turns until cancelled; ``silence`` and ``retention`` are seconds.

    Time in which nobody could push, before the start, is no silence.
    """
    began = turns.clock()
    pause = min(MAX_PAUSE_SECONDS, silence / 2, retention / 2)
    while True:
        await asyncio.sleep(pause)
        try:
            await sweep(turns, silence, retention, began)
        except StoreError as error:
            # The store may take writes again the next time.
            tell_failure("housekeeping_failed", error)


async def sweep(
    turns: StoredTurns, silence: float, retention: float, began: float = -math.inf
) -> None:
    """End what has been silent for too long since ``began``; trim what ended long ago."""
    now = turns.clock()
    ended = BATCH if now - began >= silence else 0
    while ended == BATCH:
        ended = await _end_silent(turns, now - silence)
    trimmed = BATCH
    while trimmed == BATCH:
        trimmed = await turns.log.trim(now - retention, BATCH)
        if trimmed:
            tell("turns_trimmed", turns=trimmed)


async def _end_silent(turns: StoredTurns, before: float) -> int:
    """End a batch of silent turns; return how many have ended."""
    ended = 0
    for turn_id in await turns.log.silent_turns(before, BATCH):
        try:
            await turns.end_silent(turn_id, before)
        except StoreError:
            raise
        except Problem:
            continue  # removed in between
        except Exception as error:
            # One that cannot be ended may not keep the others from it.
            tell_failure("turn_not_ended", error)
            continue
        ended += 1
        tell("turn_timed_out", turn=turn_id)
    return ended
