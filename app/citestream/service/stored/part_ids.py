"""The numbers of assigned part ids, which count over a session.

Must not know SQL or HTTP.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, Final
from weakref import WeakValueDictionary

from citestream.parts import IdCounter, Origin, assigned_id, prefix_of
from citestream.stores.port import Counts, Key, TurnLog
from citestream.turns import InputEvent, PartInput, ResultsInput

_PUSHES: Final = "pushes"
"""Beside the counts of ids, which have their prefixes as names."""


class LiveSession:
    """What numbers the parts of one session; held while a push with parts is written."""

    def __init__(self, key: Key) -> None:
        self.lock = asyncio.Lock()
        self._key = key
        self._taken: set[str] = set()
        self._ids = IdCounter()
        self._stored = b"{}"

    async def load(self, log: TurnLog, events: Sequence[InputEvent]) -> None:
        """Read what is stored: another process may have written.

        The store is asked about those ids alone that the events may be assigned.
        """
        row = await log.session(self._key)
        self._stored = row.counts if row else b"{}"
        self._ids = IdCounter(json.loads(self._stored))
        self._taken = set()
        given, wanted = _ids_in(events)
        for prefix, count in wanted.items():
            # The ids that the push gives itself are passed over as well.
            await self._look_up(log, prefix, count + given)

    async def _look_up(self, log: TurnLog, prefix: str, count: int) -> None:
        """Ask about ids after the last one assigned until ``count`` are free."""
        number = self._ids.counts.get(prefix, 0)
        step = count
        while count > 0:
            asked = [assigned_id(prefix, number + place) for place in range(1, step + 1)]
            taken = await log.taken_part_ids(self._key, asked)
            self._taken |= taken
            number += step
            count -= step - len(taken)
            step *= 2

    def assign(self, origin: Origin, data: Any) -> str:
        """Return the next id for a part of this origin that no part of the session has."""
        return self._ids.assign(origin, data, self._taken)

    def counts(self) -> Counts:
        """Return what a push with parts compares and sets.

        The pushes themselves are counted too: of two with parts at the same moment one is refused,
        even if all its ids were given.
        """
        counts = self._ids.counts
        counts[_PUSHES] = counts.get(_PUSHES, 0) + 1
        after = json.dumps(counts, separators=(",", ":"), sort_keys=True).encode()
        return Counts(self._key.id, self._stored, after)


def _ids_in(events: Sequence[InputEvent]) -> tuple[int, Counter[str]]:
    """Return how many ids the events give, and how many of each prefix they need."""
    given = 0
    wanted: Counter[str] = Counter()
    for event in events:
        if isinstance(event, PartInput):
            if event.id is None:
                wanted[prefix_of(event.origin, event.data)] += 1
            else:
                given += 1
        elif isinstance(event, ResultsInput):
            named = sum(
                isinstance(result, dict) and result.get("id") is not None
                for result in event.results
            )
            given += named
            # Not each id can be used: a result whose id is taken or no id gets an assigned one.
            wanted[prefix_of("tool", None)] += len(event.results)
    return given, wanted


class SessionNumbers:
    """The sessions in which parts are being numbered at the moment."""

    def __init__(self, log: TurnLog) -> None:
        self._log = log
        self._live: WeakValueDictionary[Key, LiveSession] = WeakValueDictionary()

    def numbering(
        self, tenant: str, session_id: str | None, events: Sequence[InputEvent]
    ) -> AbstractAsyncContextManager[LiveSession | None]:
        """Hold the session while a push with parts is written; None when it has none."""
        if session_id is None or not any(
            isinstance(event, PartInput | ResultsInput) for event in events
        ):
            return nullcontext()
        return self._holding(Key(tenant, session_id), events)

    @asynccontextmanager
    async def _holding(self, key: Key, events: Sequence[InputEvent]) -> AsyncIterator[LiveSession]:
        session = self._live.get(key)
        if session is None:
            session = self._live[key] = LiveSession(key)
        async with session.lock:
            await session.load(self._log, events)
            yield session
