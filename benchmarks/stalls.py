"""How long stored turns keep the event loop: the longest gap of a task beside each call.

Each call is made at the limits of what a turn may hold. A gap is measured against the longest of
the quiet loop in the same run, best of three.

    python -m benchmarks.stalls
"""

import asyncio
import gc
import itertools
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from citestream.server.serving import GC_THRESHOLDS
from citestream.service.history import Histories
from citestream.service.problems import Problem
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.stores.sqlite.log import SqliteLog
from citestream.turns import DeltaInput, EndInput, InputEvent, PartInput, ResultsInput, StartInput

TICK_SECONDS: Final = 0.001
DELTAS: Final = 190_000
"""Of the longest turn, near the 200,000 that a turn may have."""
TEXT: Final = 7_500_000
"""Bytes of the largest answer, near the 8 MiB that a turn may have."""
EVENTS: Final = 10_000
"""Of the longest push."""

Call = Callable[[], Awaitable[Any]]


class Stall(NamedTuple):
    """A call, the longest gap beside it and how long it took, both in seconds."""

    name: str
    gap: float
    took: float


async def longest_gap(call: Call) -> tuple[float, float]:
    """Return the longest gap of a ticking task beside ``call``, and how long the call took."""
    longest = 0.0
    running = True

    async def tick() -> None:
        nonlocal longest
        before = time.perf_counter()
        while running:
            await asyncio.sleep(TICK_SECONDS)
            now = time.perf_counter()
            longest = max(longest, now - before - TICK_SECONDS)
            before = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    began = time.perf_counter()
    with suppress(Problem):
        await call()
    took = time.perf_counter() - began
    await asyncio.sleep(2 * TICK_SECONDS)
    running = False
    await ticking
    return longest, took


def marker(*fields: str) -> str:
    """Return a marker of the dialect ``guide``."""
    return "\ue200cite" + "".join(f"\ue202{field}" for field in fields) + "\ue201"


class Cases:
    """The calls, each on turns of its own; ``scale`` below 1 makes them smaller."""

    def __init__(self, turns: StoredTurns, scale: float = 1.0) -> None:
        self._turns = turns
        self._scale = scale
        self._numbers = itertools.count(1)

    async def _turn(self, *pushes: list[InputEvent], include: tuple[Any, ...] = ()) -> str:
        turn_id = f"t{next(self._numbers)}"
        await self._turns.create(turn_id=turn_id, session_id="s", include=include)
        seq = 1
        for push in pushes:
            seq = (await self._turns.push(turn_id, seq, push)).next
        return turn_id

    async def _long(self) -> str:
        step = int(EVENTS * self._scale)
        push: list[InputEvent] = [DeltaInput("word ")] * step
        return await self._turn(*[push] * (DELTAS // EVENTS))

    async def _large(self, text: str, *before: InputEvent) -> str:
        piece = text * (500_000 // len(text.encode()))
        size = int(TEXT * self._scale)
        pieces: list[InputEvent] = [DeltaInput(piece)] * (size // len(piece.encode()))
        return await self._turn([*before], *([one] for one in pieces))

    async def end_of_a_large_answer(self) -> Call:
        """8 MiB of text with a numbered source: all of it is read for its numbers."""
        page = {"title": "A", "url": "https://example.org/", "snippet": "b"}
        turn_id = await self._large("Some *words* [1]. ", ResultsInput("search_web", (page,)))
        return self._pushing(turn_id, [EndInput()])

    async def end_of_a_large_answer_in_another_script(self) -> Call:
        """The same where a character takes three bytes."""
        turn_id = await self._large("重点内容。", PartInput("t", "x", "p"))
        return self._pushing(turn_id, [EndInput()])

    async def a_long_push(self) -> Call:
        """10,000 events at once."""
        turn_id = await self._turn()
        return self._pushing(turn_id, [DeltaInput("word ")] * int(EVENTS * self._scale))

    async def a_refused_push_to_a_long_turn(self) -> Call:
        """Nothing is folded, and nothing is restored afterwards."""
        return self._pushing(await self._long(), [DeltaInput("x"), StartInput()])

    async def a_push_to_a_long_turn_elsewhere(self) -> Call:
        """The turn is restored first."""
        turn_id = await self._long()
        self._turns.live.drop(self._turns.key(turn_id))
        return self._pushing(turn_id, [DeltaInput("x")])

    async def reading_a_long_running_turn(self) -> Call:
        """The turn is restored to be read."""
        turn_id = await self._long()
        return lambda: self._turns.reader.answer(self._turns.key(turn_id))

    async def raw_text_of_a_long_turn(self) -> Call:
        """All its inputs are read."""
        turn_id = await self._long()
        return lambda: self._turns.reader.raw(self._turns.key(turn_id))

    async def removing_a_long_turn(self) -> Call:
        """As many events and inputs."""
        turn_id = await self._long()
        return lambda: self._turns.delete(turn_id)

    async def _odd(self) -> tuple[str, list[InputEvent]]:
        parts: list[InputEvent] = [
            PartInput("t", ["x" * int(1_000_000 * self._scale)], "long"),
            PartInput("t", "line\r\n" * int(300_000 * self._scale), "lines"),
            PartInput("t", [[[[[0] * 9] * 9] * 9] * 9] * 3, "deep"),
        ]
        places = [("long",), ("long", "/0"), *(("lines", f"L{n}") for n in range(1, 1000))]
        places += [("deep", f"/0/{n % 9}/{n // 9 % 9}") for n in range(999)]
        turn_id = await self._turn(parts, include=("excerpt",))
        return turn_id, [DeltaInput("".join(marker(*place) for place in places) + " ")]

    async def two_thousand_excerpts(self) -> Call:
        """A push whose markers cite odd parts."""
        turn_id, push = await self._odd()
        return self._pushing(turn_id, push)

    async def reading_two_thousand_excerpts(self) -> Call:
        """The same, made again for a reader of the running turn."""
        turn_id, push = await self._odd()
        await self._turns.push(turn_id, 4, push)
        return lambda: self._turns.reader.answer(self._turns.key(turn_id))

    async def a_page_of_large_answers(self) -> Call:
        """A session of answers of half a megabyte."""
        for _ in range(20):
            await self._turn([DeltaInput("Some words. " * int(40_000 * self._scale)), EndInput()])
        return lambda: Conversations(self._turns).session("s", 0, 200)

    async def history_of_large_answers(self) -> Call:
        """The same for a provider."""
        await self.a_page_of_large_answers()
        histories = Histories(Conversations(self._turns), self._turns.reader)
        return lambda: histories.history("s", "openai")

    def _pushing(self, turn_id: str, events: list[InputEvent]) -> Call:
        async def push() -> None:
            row = await self._turns.reader.row(self._turns.key(turn_id))
            await self._turns.push(turn_id, row.next, events)

        return push


NAMES: Final = tuple(name for name in vars(Cases) if not name.startswith("_"))


async def measured(name: str, folder: Path, scale: float = 1.0) -> Stall:
    """Return the stall of one case, in a store of its own."""
    log = SqliteLog(folder / f"{name}.db")
    await log.open()
    try:
        ids = map(str, itertools.count())
        turns = StoredTurns(log, time.time, ids.__next__)
        call = await getattr(Cases(turns, scale), name)()
        return Stall(name, *await longest_gap(call))
    finally:
        await log.close()


@contextmanager
def collected_as_served() -> Iterator[None]:
    """Let the garbage collector run as rarely as in the service."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def quiet() -> float:
    """Return the longest gap of the quiet loop in half a second."""
    gap, _ = await longest_gap(lambda: asyncio.sleep(0.5))
    return gap


def best(name: str, scale: float = 1.0, times: int = 3) -> Stall:
    """Return the shortest of ``times`` stalls, over the quiet loop\'s."""
    found = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder, collected_as_served():
            alone = asyncio.run(quiet())
            stall = asyncio.run(measured(name, Path(folder), scale))
            found.append(stall._replace(gap=max(stall.gap - alone, 0.0)))
    return min(found, key=lambda one: one.gap)


def main() -> None:
    """Print each stall."""
    print("longest gap of the loop beside a call, over the quiet loop's; how long the call took")
    for name in NAMES:
        stall = best(name)
        print(f"  {name.replace('_', ' '):42}{stall.gap * 1000:8.1f} ms{stall.took:9.2f} s")


if __name__ == "__main__":
    main()
