"""What time does to turns: silent ones end, old events go, and one that is broken stops nothing."""

import asyncio
from typing import Any

import pytest

from citestream.service.problems import NOT_FOUND, Problem
from citestream.service.stored.expiry import BATCH, keep_house, sweep
from citestream.stores.port import StoreBusyError


class Log:
    def __init__(self, silent: list[str], old: int) -> None:
        self.silent = silent
        self.old = old
        self.asked: list[tuple[str, float]] = []

    async def silent_turns(self, before: float, limit: int) -> list[str]:
        self.asked.append(("silent", before))
        return self.silent[:limit]

    async def trim(self, before: float, limit: int) -> int:
        self.asked.append(("trim", before))
        trimmed = min(limit, self.old)
        self.old -= trimmed
        return trimmed


class Turns:
    """Turns of which some cannot be ended."""

    def __init__(self, silent: int = 0, old: int = 0, **broken: Exception) -> None:
        self.log = Log([f"t{n}" for n in range(silent)], old)
        self.broken = broken
        self.ended: list[str] = []

    def clock(self) -> float:
        return 1000.0

    async def end_silent(self, turn_id: str, before: float) -> None:
        assert before == 900
        if turn_id in self.broken:
            raise self.broken[turn_id]
        self.ended.append(turn_id)
        self.log.silent.remove(turn_id)


def swept(turns: Any) -> None:
    asyncio.run(sweep(turns, 100, 500))


@pytest.mark.parametrize("count", [0, 1, BATCH, 3 * BATCH + 1])
def test_all_that_are_due_are_ended_and_trimmed_at_once(count: int) -> None:
    turns = Turns(silent=count, old=count)
    swept(turns)
    assert len(turns.ended) == count
    assert turns.log.old == 0
    assert set(turns.log.asked) == {("silent", 900), ("trim", 500)}


@pytest.mark.parametrize(
    "error", [Problem(NOT_FOUND, "gone"), ValueError("a text of a reader's"), KeyError("x")]
)
def test_a_turn_that_cannot_be_ended_stops_no_other(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    turns = Turns(silent=BATCH + 5, old=1, t0=error, t3=error)
    swept(turns)
    assert len(turns.ended) >= BATCH - 2
    assert turns.log.old == 0
    assert "reader" not in caplog.text


def test_time_before_the_start_is_no_silence() -> None:
    async def run() -> None:
        turns: Any = Turns(silent=1)
        turns.clock = lambda: 1000.0
        await sweep(turns, 100, 500, began=901.0)
        assert not turns.ended
        await sweep(turns, 100, 500, began=900.0)
        assert turns.ended == ["t0"]

    asyncio.run(run())


def test_house_is_kept_through_a_store_that_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        turns: Any = Turns(silent=1, t0=StoreBusyError("held"))
        turns.clock = lambda: 800.0
        task = asyncio.create_task(keep_house(turns, 0.01, 500))
        await asyncio.sleep(0)
        turns.clock = lambda: 900.01
        while turns.log.asked.count(("silent", 900.0)) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        turns.broken.clear()
        while not turns.ended:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 10))
