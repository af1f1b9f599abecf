"""Where long work runs: in the event loop, beside it in a thread, or in a process of its own, so
that the other requests go on.

The caller states what the work costs; only the caller knows, for the size of an input says little
of it. Must not know what the work is.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.to_process
from anyio.lowlevel import RunVar

LOOP_COST: Final = 16 * 1024
"""Work up to this cost is done in the loop itself. A unit is what reading one byte of input costs,
about a microsecond at the slowest; so this is at most some 20 ms."""
LARGE_COST: Final = 1024 * 1024
"""Work above this cost is done one at a time: it takes seconds and much memory, and may not take
all the threads that smaller work waits for."""

APART_SIZE: Final = 512 * 1024
"""Pure work on more bytes of input is done in a process of its own. A thread does not protect the
loop from the interpreter's garbage collector: on half a megabyte of Markdown that is nothing but
markup it stops all threads for 10 to 45 ms (measured), and longer on more."""

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


async def offload_apart(work: Callable[..., Result], *args: Any, size: int, cost: int) -> Result:
    """Run pure work on ``size`` bytes as `offload` does, but large input in a process of its own.

    ``work`` is a function of a module and raises nothing that its caller expects; it, its arguments
    and its result can be pickled. One such process runs at a time. It is kept for the next work,
    and is stopped when the caller is cancelled.
    """
    if size <= APART_SIZE:
        return await offload(partial(work, *args), cost=cost)
    return await anyio.to_process.run_sync(work, *args, cancellable=True, limiter=_large())


def _large() -> anyio.CapacityLimiter:
    """Return the limiter of the running loop."""
    limiter = _one_large.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(1)
        _one_large.set(limiter)
    return limiter
