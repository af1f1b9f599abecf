"""The body of a request that is answered while it arrives: handed over chunk by chunk."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from citestream.api.event_stream import RequestBody

FOREVER = 600.0


class TooMuchError(Exception):
    pass


def limited() -> RequestBody:
    return RequestBody(10, TooMuchError(), FOREVER)


async def fed(
    body: RequestBody, chunks: list[bytes], pause: Callable[[], Awaitable[None]]
) -> list[bytes]:
    """Put ``chunks``; return what a reader got that does ``pause`` behind each chunk."""
    found: list[bytes] = []

    async def read() -> None:
        async for chunk in body:
            found.append(chunk)
            await pause()

    async with asyncio.timeout(10):
        reader = asyncio.create_task(read())
        for number, chunk in enumerate(chunks, 1):
            await body.put(chunk, more=number < len(chunks))
        await reader
    return found


async def no_pause() -> None: ...


async def long_pause() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_each_chunk_arrives_once_however_slow_the_reader_is() -> None:
    chunks = [b"%d" % number for number in range(40)]
    for pause in (no_pause, long_pause):
        for count in range(1, len(chunks)):
            body = RequestBody(1000, TooMuchError(), FOREVER)
            assert asyncio.run(fed(body, chunks[:count], pause)) == chunks[:count]


def test_a_chunk_waits_until_the_one_before_is_taken() -> None:
    async def run() -> None:
        body = RequestBody(1000, TooMuchError(), FOREVER)
        first = asyncio.create_task(body.put(b"a", more=True))
        await long_pause()
        assert not first.done()
        chunks = aiter(body)
        assert await anext(chunks) == b"a"
        await first

    asyncio.run(run())


@pytest.mark.parametrize(("size", "taken"), [(9, True), (10, True), (11, False)])
def test_a_body_past_its_limit_is_refused(size: int, taken: bool) -> None:
    chunks = [b"x"] * size
    if taken:
        assert asyncio.run(fed(limited(), chunks, no_pause)) == chunks
    else:

        async def run() -> None:
            body = limited()
            found = []
            putting = asyncio.create_task(_put(body, chunks))
            with pytest.raises(TooMuchError):
                found += [chunk async for chunk in body]
            putting.cancel()

        asyncio.run(run())


async def _put(body: RequestBody, chunks: list[bytes]) -> None:
    for chunk in chunks:
        await body.put(chunk, more=True)


def test_empty_chunks_are_no_chunks() -> None:
    chunks = [b"", b"a", b"", b"b", b""]
    assert asyncio.run(fed(limited(), chunks, no_pause)) == [
        b"a",
        b"b",
    ]
