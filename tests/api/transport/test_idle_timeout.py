"""A client that sends nothing: its wait is given up in time, and nothing is left of it."""

import asyncio
import gc
import math
import weakref
from typing import Any

import pytest

from citestream.api.transport.idle_timeout import IdleTimeout

SHORT = 0.2
Message = dict[str, Any]


async def never() -> Message:
    return await asyncio.Event().wait()  # type: ignore[return-value]


async def waited(idle: IdleTimeout, receive: Any) -> Message:
    """Wait for a message as the reader of a body does."""
    idle.begin()
    try:
        return await receive()  # type: ignore[no-any-return]
    except asyncio.CancelledError:
        if idle.expired():
            raise TimeoutError from None
        raise
    finally:
        idle.waiting = None


def after(seconds: float) -> Any:
    async def receive() -> Message:
        await asyncio.sleep(seconds)
        return {"type": "a message"}

    return receive


def test_each_message_breaks_it() -> None:
    async def scene() -> None:
        idle = IdleTimeout(SHORT)
        began = asyncio.get_running_loop().time()
        for _ in range(6):
            assert await waited(idle, after(SHORT / 4)) == {"type": "a message"}
        assert asyncio.get_running_loop().time() - began > SHORT

    asyncio.run(scene())


def test_the_wait_is_given_up_in_time_and_nothing_else() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        idle = IdleTimeout(SHORT)
        await waited(idle, after(0))
        await asyncio.sleep(SHORT * 3)  # nobody waits: a slow consumer is not a silent client
        began = loop.time()
        with pytest.raises(TimeoutError):
            await waited(idle, never)
        assert SHORT <= loop.time() - began < SHORT * 10
        task = asyncio.current_task()
        assert task
        assert task.cancelling() == 0
        await asyncio.sleep(SHORT * 2)

    asyncio.run(scene())


def test_without_a_limit_no_timer_runs() -> None:
    async def scene() -> None:
        idle = IdleTimeout(math.inf)
        assert await waited(idle, after(0)) == {"type": "a message"}
        assert idle._timer is None

    asyncio.run(scene())


def test_after_a_wait_that_was_given_up_comes_another() -> None:
    async def scene() -> None:
        idle = IdleTimeout(SHORT)
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await waited(idle, never)
        waiting = asyncio.create_task(waited(idle, never))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


@pytest.mark.parametrize("given_up_first", [True, False])
def test_given_up_and_cancelled_at_one_moment_is_cancelled(given_up_first: bool) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        idle = IdleTimeout(0)
        waiting = asyncio.create_task(waited(idle, never))
        await asyncio.sleep(0)
        if given_up_first:
            idle._look(loop)
        waiting.cancel()
        if not given_up_first:
            idle._look(loop)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(waited(IdleTimeout(SHORT), never))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


def test_ended_it_leaves_nothing_behind() -> None:
    class Watched(IdleTimeout):
        __slots__ = ("__weakref__",)

    async def scene() -> None:
        idle = Watched(600)
        await waited(idle, after(0))
        idle.stop()
        idle.stop()
        gone = weakref.ref(idle)
        del idle
        gc.collect()
        assert gone() is None

    asyncio.run(scene())
