"""Where work runs."""

import asyncio
import threading
import time

import pytest

from citestream.service.offload import LARGE_COST, LOOP_COST, offload


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
