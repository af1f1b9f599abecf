"""Silence of a client: how it ends, and that it leaves nothing behind."""

import asyncio
import gc
import math
import weakref
from typing import Any

import pytest

from citestream.api.transport.idle_timeout import Silence

SHORT = 0.2
Message = dict[str, Any]


async def never() -> Message:
    return await asyncio.Event().wait()  # type: ignore[return-value]


def after(seconds: float) -> Any:
    async def receive() -> Message:
        await asyncio.sleep(seconds)
        return {"type": "a message"}

    return receive


def test_each_message_breaks_it() -> None:
    async def scene() -> None:
        silence = Silence(SHORT)
        began = asyncio.get_running_loop().time()
        for _ in range(6):
            assert await silence.broken_by(after(SHORT / 4)) == {"type": "a message"}
        assert asyncio.get_running_loop().time() - began > SHORT

    asyncio.run(scene())


def test_the_wait_is_given_up_in_time_and_nothing_else() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        silence = Silence(SHORT)
        await silence.broken_by(after(0))
        await asyncio.sleep(SHORT * 3)  # nobody waits: a slow consumer is not a silent client
        began = loop.time()
        with pytest.raises(TimeoutError):
            await silence.broken_by(never)
        assert SHORT <= loop.time() - began < SHORT * 10
        task = asyncio.current_task()
        assert task
        assert task.cancelling() == 0
        await asyncio.sleep(SHORT * 2)

    asyncio.run(scene())


def test_without_a_limit_no_timer_runs() -> None:
    async def scene() -> None:
        silence = Silence(math.inf)
        assert await silence.broken_by(after(0)) == {"type": "a message"}
        assert silence._timer is None

    asyncio.run(scene())


def test_after_a_wait_that_was_given_up_comes_another() -> None:
    async def scene() -> None:
        silence = Silence(SHORT)
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await silence.broken_by(never)
        waiting = asyncio.create_task(silence.broken_by(never))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


@pytest.mark.parametrize("given_up_first", [True, False])
def test_given_up_and_cancelled_at_one_moment_is_cancelled(given_up_first: bool) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        silence = Silence(0)
        waiting = asyncio.create_task(silence.broken_by(never))
        await asyncio.sleep(0)
        if given_up_first:
            silence._look(loop)
        waiting.cancel()
        if not given_up_first:
            silence._look(loop)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(Silence(SHORT).broken_by(never))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())


def test_ended_it_leaves_nothing_behind() -> None:
    class Watched(Silence):
        __slots__ = ("__weakref__",)

    async def scene() -> None:
        silence = Watched(600)
        await silence.broken_by(after(0))
        silence.end()
        silence.end()
        gone = weakref.ref(silence)
        del silence
        gc.collect()
        assert gone() is None

    asyncio.run(scene())
