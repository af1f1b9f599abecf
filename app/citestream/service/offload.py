"""Where long work runs: in the event loop, or beside it so that the other requests go on.

The caller states what the work costs; only the caller knows, for the size of an input says little
of it. Must not know what the work is.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import anyio
from anyio.lowlevel import RunVar

LOOP_COST: Final = 16 * 1024
"""Work up to this cost is done in the loop itself. A unit is what reading one byte of input costs,
about a microsecond at the slowest; so this is at most some 20 ms."""
LARGE_COST: Final = 1024 * 1024
"""Work above this cost is done one at a time: it takes seconds and much memory, and may not take
all the threads that smaller work waits for."""

Result = TypeVar("Result")

_one_large: Final[RunVar[anyio.CapacityLimiter]] = RunVar("citestream_one_large")


async def offload(work: Callable[[], Result], *, cost: int) -> Result:
    """Run ``work`` in the loop when its ``cost`` is small, else in a thread; return its result.

    If the caller is cancelled, the cancellation is delivered after the thread finishes.
    """
    if cost <= LOOP_COST:
        return work()
    if cost <= LARGE_COST:
        return await anyio.to_thread.run_sync(work)
    async with _large():
        return await anyio.to_thread.run_sync(work)


def _large() -> anyio.CapacityLimiter:
    """Return the limiter of the running loop."""
    limiter = _one_large.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(1)
        _one_large.set(limiter)
    return limiter
