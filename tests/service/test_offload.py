"""Where work runs."""

import asyncio
import threading

import pytest

from citestream.service.offload import ASIDE_BYTES, aside


@pytest.mark.parametrize(
    ("size", "here"), [(0, True), (ASIDE_BYTES, True), (ASIDE_BYTES + 1, False)]
)
def test_large_work_runs_in_a_thread(size: int, here: bool) -> None:
    thread = asyncio.run(aside(threading.current_thread, size=size))
    assert (thread is threading.current_thread()) == here


@pytest.mark.parametrize("size", [0, ASIDE_BYTES + 1])
def test_what_work_raises_comes_through(size: int) -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(aside(lambda: 1 // 0, size=size))
