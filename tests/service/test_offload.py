"""Where work runs."""

import asyncio
import gc
import os
import threading
import time

import pytest

from citestream.service.offload import (
    APART_SIZE,
    LARGE_COST,
    LOOP_COST,
    PIECE,
    offload,
    offload_apart,
)


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


@pytest.mark.parametrize(("cost", "collected"), [(LARGE_COST, True), (LARGE_COST + 1, False)])
def test_the_garbage_collector_waits_for_large_work(cost: int, collected: bool) -> None:
    assert asyncio.run(offload(gc.isenabled, cost=cost)) == collected
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(offload(lambda: 1 // 0, cost=cost))
    assert gc.isenabled()


def process_of(body: bytes) -> int:
    return os.getpid() if body else 0


def chunks(body: bytes) -> list[bytes]:
    return [body[start : start + 70_000] for start in range(0, len(body), 70_000)]


def doubled(body: bytes) -> bytes:
    return body + body


def slow(seconds: float, _: bytes) -> None:
    time.sleep(seconds)


@pytest.mark.parametrize("weight", [0, 1, LOOP_COST + 1])
@pytest.mark.parametrize(("size", "here"), [(1, True), (APART_SIZE, True), (APART_SIZE + 1, False)])
def test_pure_work_on_a_large_body_runs_in_a_process_of_its_own(
    size: int, weight: int, here: bool
) -> None:
    process = asyncio.run(offload_apart(process_of, body=[b"x" * size], weight=weight))
    assert (process == os.getpid()) == here


@pytest.mark.parametrize("size", [PIECE // 2, PIECE // 2 + 1, PIECE, 2 * PIECE + 1])
def test_a_body_and_a_result_of_many_pieces_are_whole(size: int) -> None:
    body = os.urandom(size)
    found = asyncio.run(offload_apart(doubled, body=chunks(body), weight=1))
    pieces = [found] if isinstance(found, bytes) else found
    assert b"".join(pieces) == body + body
    assert max(map(len, pieces)) <= PIECE


def test_a_process_is_kept_for_the_next_work_and_stopped_when_it_is_cancelled() -> None:
    large = b"x" * (PIECE + 1)

    async def scene() -> None:
        first = await offload_apart(process_of, body=[large], weight=1)
        assert await offload_apart(process_of, body=[large], weight=1) == first
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(offload_apart(slow, 60, body=[large], weight=1), 0.2)
        assert await offload_apart(process_of, body=[large], weight=1) != first

    asyncio.run(scene())


def test_callers_of_one_moment_get_their_own_results() -> None:
    bodies = [bytes([number]) * (2 * PIECE) for number in range(3)]

    async def scene() -> None:
        calls = (offload_apart(doubled, body=chunks(body), weight=1) for body in bodies)
        assert [b"".join(one) for one in await asyncio.gather(*calls)] == [2 * b for b in bodies]

    asyncio.run(scene())
