"""Where work runs."""

import asyncio
import os
import threading
import time

import pytest

from citestream.service.offload import APART_SIZE, LARGE_COST, LOOP_COST, offload, offload_apart


@pytest.mark.parametrize(
    ("cost", "here"),
    [(0, True), (LOOP_COST, True), (LOOP_COST + 1, False), (LARGE_COST + 1, False)],
)
def test_dear_work_runs_in_a_thread(cost: int, here: bool) -> None:
    thread = asyncio.run(offload(threading.current_thread, cost=cost))
    assert (thread is threading.current_thread()) == here


@pytest.mark.parametrize("cost", [0, LOOP_COST + 1, LARGE_COST + 1])
def test_what_work_raises_comes_through(cost: int) -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(offload(lambda: 1 // 0, cost=cost))


@pytest.mark.parametrize(("cost", "together"), [(LARGE_COST, 3), (LARGE_COST + 1, 1)])
def test_large_work_is_done_one_at_a_time(cost: int, together: int) -> None:
    running = most = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.1)
        with lock:
            running -= 1

    async def scene() -> None:
        await asyncio.gather(*(offload(work, cost=cost) for _ in range(3)))

    for _ in range(2):  # each event loop has a limit of its own
        asyncio.run(scene())
    assert most == together


@pytest.mark.parametrize("cost", [0, LOOP_COST + 1])
@pytest.mark.parametrize(("size", "here"), [(0, True), (APART_SIZE, True), (APART_SIZE + 1, False)])
def test_pure_work_on_large_input_runs_in_a_process_of_its_own(
    size: int, cost: int, here: bool
) -> None:
    process = asyncio.run(offload_apart(os.getpid, size=size, cost=cost))
    assert (process == os.getpid()) == here


def test_a_process_is_kept_for_the_next_work_and_stopped_when_it_is_cancelled() -> None:
    large = APART_SIZE + 1

    async def scene() -> None:
        first = await offload_apart(os.getpid, size=large, cost=large)
        assert await offload_apart(os.getpid, size=large, cost=large) == first
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(offload_apart(time.sleep, 60, size=large, cost=large), 0.2)
        assert await offload_apart(os.getpid, size=large, cost=large) != first

    asyncio.run(scene())
