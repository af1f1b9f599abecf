"""The response that sends events, run by hand: who reads, who sends, who is cut, and who closes."""

import asyncio
from collections.abc import Awaitable, Callable

from citestream.api.event_stream import RequestBody


class TooMuch(Exception):
    pass


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
            body = RequestBody(1000, TooMuch())
            assert asyncio.run(fed(body, chunks[:count], pause)) == chunks[:count]
