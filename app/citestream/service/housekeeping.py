"""What time does to turns: silent ones end, old events go.

Must not know HTTP.
"""

import asyncio
from typing import Final

from citestream.service.logs import tell
from citestream.service.problems import Problem
from citestream.service.stored import StoredTurns
from citestream.stores.port import StoreError

BATCH: Final = 100
MAX_PAUSE_SECONDS: Final = 5.0


async def keep_house(turns: StoredTurns, silence: float, retention: float) -> None:
    """Look after the turns until cancelled; ``silence`` and ``retention`` are seconds."""
    pause = min(MAX_PAUSE_SECONDS, silence / 2, retention / 2)
    while True:
        await asyncio.sleep(pause)
        try:
            await sweep(turns, silence, retention)
        except StoreError as error:
            # The store may take writes again the next time.
            tell("housekeeping_failed", error=type(error).__name__)


async def sweep(turns: StoredTurns, silence: float, retention: float) -> None:
    """End what has been silent for too long; trim what ended long ago."""
    now = turns.clock()
    for turn_id in await turns.log.silent_turns(now - silence, BATCH):
        try:
            await turns.end_silent(turn_id, now - silence)
        except Problem:
            continue  # removed in between
        tell("turn_timed_out", turn=turn_id)
    if trimmed := await turns.log.trim(now - retention, BATCH):
        tell("turns_trimmed", turns=trimmed)
