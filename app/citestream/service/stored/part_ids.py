"""Sessions: turns and user messages in order, and the numbers of assigned part ids.

Must not know SQL or HTTP.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, Final
from weakref import WeakValueDictionary

from citestream.parts import IdCounter, Origin
from citestream.stores.port import Counts, TurnLog
from citestream.turns import InputEvent, PartInput, ResultsInput


class LiveSession:
    """What numbers the parts of one session; held while a push that brings parts is written."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.lock = asyncio.Lock()
        self.taken: set[str] = set()
        self.ids = IdCounter()
        self._kept = b"{}"

    async def load(self, log: TurnLog) -> None:
        """Read what is kept: another process may have written."""
        row = await log.session(self.id)
        self._kept = row.counts if row else b"{}"
        self.ids = IdCounter(json.loads(self._kept))
        self.taken = set(await log.part_ids(self.id))

    def assign(self, origin: Origin, data: Any) -> str:
        """Return the next id for a part of this origin that no part of the session has."""
        return self.ids.assign(origin, data, self.taken)

    def counts(self) -> Counts:
        """Return what a push that brings parts compares and sets.

        The pushes themselves are counted too: of two that bring parts at the same moment one is
        refused, even if all its ids were given.
        """
        counts = self.ids.counts
        counts[_PUSHES] = counts.get(_PUSHES, 0) + 1
        after = json.dumps(counts, separators=(",", ":"), sort_keys=True).encode()
        return Counts(self.id, self._kept, after)


_PUSHES: Final = "pushes"
"""Beside the counts of ids, which have their prefixes as names."""


class Sessions:
    """The sessions in which something is being numbered at the moment."""

    def __init__(self, log: TurnLog) -> None:
        self._log = log
        self._live: WeakValueDictionary[str, LiveSession] = WeakValueDictionary()

    def numbering(
        self, session_id: str | None, events: Sequence[InputEvent]
    ) -> AbstractAsyncContextManager[LiveSession | None]:
        """Hold the session while a push that brings parts is written; None when it brings none."""
        if session_id is None or not any(
            isinstance(event, PartInput | ResultsInput) for event in events
        ):
            return nullcontext()
        return self._holding(session_id)

    @asynccontextmanager
    async def _holding(self, session_id: str) -> AsyncIterator[LiveSession]:
        session = self._live.get(session_id)
        if session is None:
            session = self._live[session_id] = LiveSession(session_id)
        async with session.lock:
            await session.load(self._log)
            yield session
