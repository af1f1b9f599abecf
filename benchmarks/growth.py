"""How what a push writes and reads grows with what is stored: ``python -m benchmarks.growth``.

Prints bytes of a turn's state and calls of the store, which are the same on every machine.
"""

import asyncio
import itertools
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import Key
from citestream.stores.sqlite.log import SqliteLog
from citestream.turns import DeltaInput, EndInput, InputEvent, PartInput, ResultsInput

NO_TENANT: Final = ""
SIZES: Final = (0, 10, 100, 1000)
CITED: Final = 5
"""Citations of each turn of a page."""


class Counting:
    """A store that counts the calls that read."""

    def __init__(self, log: SqliteLog) -> None:
        self._log = log
        self.reads = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._log, name)
        if not callable(found) or name in ("push", "create_turn", "changes"):
            return found
        self.reads[name] += 1
        return found


async def reads(log: Counting, call: Callable[[], Awaitable[Any]]) -> int:
    """Return how often the store is read by a call."""
    log.reads.clear()
    await call()
    return log.reads.total()


def page(number: int) -> ResultsInput:
    """Return one found page."""
    address = f"https://example.org/{number}"
    return ResultsInput("web_search", ({"title": "A page", "url": address, "snippet": "…"},))


async def state_size(turns: StoredTurns, log: Counting, results: int) -> int:
    """Return the bytes of a turn's state after so many events of results."""
    name = f"state-{results}"
    await turns.create(turn_id=name, session_id=name)
    for number in range(results):
        await turns.push(name, number + 1, [page(number)])
    row = await log.turn(Key(NO_TENANT, name))
    return len(row.state) if row else 0


async def part_reads(turns: StoredTurns, log: Counting, parts: int) -> int:
    """Return the reads of a push with a part, in a session that has so many."""
    session = f"parts-{parts}"
    for first in range(0, parts, 100):
        name = f"{session}-{first}"
        await turns.create(turn_id=name, session_id=session)
        await turns.push(name, 1, [PartInput("t", n) for n in range(min(100, parts - first))])
    await turns.create(turn_id=session, session_id=session)
    return await reads(log, lambda: turns.push(session, 1, [PartInput("t", "x")]))


async def page_reads(turns: StoredTurns, log: Counting, items: int) -> int:
    """Return the reads of a page of so many turns with five citations each."""
    session = f"page-{items}"
    for number in range(items):
        name = f"{session}-{number}"
        await turns.create(turn_id=name, session_id=session)
        ids = [f"{name}-{n}" for n in range(CITED)]
        events: list[InputEvent] = [PartInput("t", "x", part_id) for part_id in ids]
        events += [DeltaInput(f"\ue200cite\ue202{part_id}\ue201 x") for part_id in ids]
        await turns.push(name, 1, [*events, EndInput()])
    conversations = Conversations(turns)
    return await reads(log, lambda: conversations.session(session, 0, items))


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="citestream-bench-") as folder:
        log = SqliteLog(Path(folder) / "turns.db")
        await log.open()
        try:
            counting: Any = Counting(log)
            numbers = itertools.count()
            turns = StoredTurns(counting, lambda: 0.0, lambda: str(next(numbers)))
            print("bytes of state that a push writes, after so many events of results (target 2 x)")
            empty = await state_size(turns, counting, 0)
            for size in SIZES:
                found = await state_size(turns, counting, size) if size else empty
                print(f"  {found / empty:5.2f} x  {size:5} results  {found} bytes")
            print("reads of a push with a part, in a session of so many parts")
            for size in SIZES:
                print(f"  {await part_reads(turns, counting, size):5}    {size:5} parts")
            print("reads of a page of a session (target 5)")
            for size in (1, 20, 200):
                print(f"  {await page_reads(turns, counting, size):5}    {size:5} turns")
        finally:
            await log.close()


if __name__ == "__main__":
    asyncio.run(main())
