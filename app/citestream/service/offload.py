"""Where long work runs: beside the event loop, so that one request does not hold up the others.

Must not know what the work is.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import anyio.to_thread

ASIDE_BYTES: Final = 16 * 1024
"""Input up to this size is worked on in the loop itself; at worst that takes some 20 ms."""

Result = TypeVar("Result")


async def aside(work: Callable[[], Result], *, size: int) -> Result:
    """Run ``work`` on ``size`` bytes of input, in a thread when they are many; return its result.

    Who is cancelled meanwhile is so when the thread has ended.
    """
    if size <= ASIDE_BYTES:
        return work()
    return await anyio.to_thread.run_sync(work)
