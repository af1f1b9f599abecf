"""How many streams there may be, and how they go when the process stops."""

import asyncio
import math

import pytest

from citestream.api.transport.admission import Admission
from citestream.api.transport.problems import STATUSES
from citestream.service.problems import NOT_READY, Problem


def test_as_many_streams_as_may_be() -> None:
    streams = Admission(2, grace=1, spread=1)
    assert streams.empty.is_set()
    streams.enter()
    streams.enter()
    with pytest.raises(Problem) as refused:
        streams.enter()
    assert (STATUSES[refused.value.type], refused.value.headers) == (503, {"Retry-After": "2"})
    streams.leave()
    streams.enter()
    assert streams.count == 2
    assert not streams.empty.is_set()
    streams.leave()
    streams.leave()
    assert streams.empty.is_set()


def test_streams_close_at_moments_of_their_own_behind_the_grace() -> None:
    streams = Admission(1, grace=3, spread=8)
    assert streams.closes_at() is None
    assert not streams.draining
    streams.drain(100)
    streams.drain(200)
    assert streams.draining
    moments = [streams.closes_at() or math.inf for _ in range(1000)]
    assert 103 <= min(moments) < 104
    assert 110 < max(moments) <= 111


def test_a_push_ends_when_the_process_stops_and_not_before() -> None:
    async def run() -> None:
        streams = Admission(1, grace=0.05, spread=0)
        loop = asyncio.get_running_loop()
        async with streams.pushing():
            assert streams.count == 1
            await asyncio.sleep(0.1)
        assert streams.count == 0
        began = loop.time()
        with pytest.raises(Problem) as refused:  # noqa: PT012 - it is raised in between
            async with streams.pushing():
                streams.drain(loop.time())
                await asyncio.sleep(10)
        assert 0.05 <= loop.time() - began < 5
        assert refused.value.type is NOT_READY
        assert streams.count == 0
        with pytest.raises(Problem):
            async with streams.pushing():
                await asyncio.sleep(10)

    asyncio.run(run())


def test_what_a_push_raises_is_what_it_raises() -> None:
    async def run() -> None:
        streams = Admission(1, grace=0, spread=0)
        for error in (ValueError(), TimeoutError()):
            with pytest.raises(type(error)):
                async with streams.pushing():
                    raise error
        assert streams.count == 0

    asyncio.run(run())
