"""What time does to turns: idle ones end, old events go, and one that is broken stops nothing."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from citestream.service.problems import NOT_FOUND, Problem
from citestream.service.stored.expiry import BATCH, PAGE, IdleWatch, end_idle, expire, trim
from citestream.stores.port import Key, StoreBusyError


def key(name: str) -> Key:
    return Key("", name)


class Seconds:
    """A monotonic clock that is set."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


@pytest.fixture
def watch(clock: Seconds) -> IdleWatch:
    return IdleWatch(10, 4, clock)


Pass = Callable[[float], None]


@pytest.fixture
def let_pass(clock: Seconds, watch: IdleWatch) -> Pass:
    def let_pass(seconds: float, *, accepting: bool = True) -> None:
        clock.now += seconds
        watch.advance(accepting=accepting)

    return let_pass


def test_a_turn_is_idle_when_its_number_has_not_moved_for_so_long(
    watch: IdleWatch, let_pass: Pass
) -> None:
    for following in (1, 1, 2, 2, 2, 2):
        assert watch.look({key("t"): following, key("new"): following}) == []
        let_pass(3)
    assert watch.look({key("t"): 2, key("new"): 9}) == [key("t")]
    assert watch.look({key("t"): 3}) == []


def test_a_turn_that_was_not_seen_for_a_while_begins_again(
    watch: IdleWatch, let_pass: Pass
) -> None:
    watch.look({key("t"): 1})
    for _ in range(3):
        let_pass(4)
    watch.look({})
    assert watch.look({key("t"): 1}) == []


def test_of_a_stop_of_the_process_little_counts(watch: IdleWatch, let_pass: Pass) -> None:
    watch.look({key("t"): 1})
    let_pass(1_000_000)
    assert watch.look({key("t"): 1}) == []
    let_pass(1_000_000)
    assert watch.look({key("t"): 1}) == []
    let_pass(3)
    assert watch.look({key("t"): 1}) == [key("t")]


def test_time_in_which_nothing_could_be_accepted_does_not_count(
    watch: IdleWatch, let_pass: Any
) -> None:
    watch.look({key("t"): 1})
    for _ in range(10):
        let_pass(4, accepting=False)
    assert watch.look({key("t"): 1}) == []
    for _ in range(3):
        let_pass(4)
    assert watch.look({key("t"): 1}) == [key("t")]


class Log:
    def __init__(self, running: int, old: int) -> None:
        self.numbers = {key(f"t{n:05}"): 1 for n in range(running)}
        self.old = old
        self.asked: list[float] = []
        self.fails = False

    async def ready(self) -> bool:
        return not self.fails

    async def running(self, after: Key | None, limit: int) -> list[tuple[Key, int]]:
        if self.fails:
            raise StoreBusyError("held")
        return [one for one in self.numbers.items() if after is None or one[0] > after][:limit]

    async def trim(self, before: float, limit: int) -> int:
        self.asked.append(before)
        trimmed = min(limit, self.old)
        self.old -= trimmed
        return trimmed


class Turns:
    """Turns of which some cannot be ended."""

    def __init__(self, running: int = 0, old: int = 0, **broken: Exception) -> None:
        self.log = Log(running, old)
        self.broken = broken
        self.ended: list[str] = []

    def clock(self) -> float:
        return 1000.0

    async def end_idle(self, turn: Key, following: int) -> bool:
        assert self.log.numbers[turn] == following
        if turn.id in self.broken:
            raise self.broken[turn.id]
        self.ended.append(turn.id)
        del self.log.numbers[turn]
        return True


def swept(turns: Any, clock: Seconds, watch: IdleWatch) -> None:
    async def run() -> None:
        await end_idle(turns, watch)
        for _ in range(3):
            clock.now += 4
            watch.advance(accepting=True)
        await end_idle(turns, watch)

    asyncio.run(run())


@pytest.mark.parametrize("count", [0, 1, PAGE, 2 * PAGE + 1])
def test_all_that_are_idle_are_ended_at_once(count: int, clock: Seconds, watch: IdleWatch) -> None:
    turns = Turns(running=count)
    swept(turns, clock, watch)
    assert len(turns.ended) == count


@pytest.mark.parametrize("count", [0, 1, BATCH, 3 * BATCH + 1])
def test_all_that_are_old_are_trimmed_at_once(count: int) -> None:
    turns: Any = Turns(old=count)
    asyncio.run(trim(turns, 500))
    assert turns.log.old == 0
    assert set(turns.log.asked) == {500.0}


@pytest.mark.parametrize(
    "error", [Problem(NOT_FOUND, "gone"), ValueError("a text of a reader's"), KeyError("x")]
)
def test_a_turn_that_cannot_be_ended_stops_no_other(
    error: Exception, caplog: pytest.LogCaptureFixture, clock: Seconds, watch: IdleWatch
) -> None:
    turns = Turns(running=5, t00000=error, t00003=error)
    swept(turns, clock, watch)
    assert turns.ended == ["t00001", "t00002", "t00004"]
    assert "reader" not in caplog.text


def test_expiry_goes_on_through_a_store_that_is_busy() -> None:
    async def run() -> None:
        turns: Any = Turns(running=1)
        turns.log.fails = True
        task = asyncio.create_task(expire(turns, 0.02, 500))
        await asyncio.sleep(0.1)
        assert not turns.ended
        turns.log.fails = False
        while not turns.ended:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 10))
