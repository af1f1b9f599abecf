"""A request body that is read where it is answered: in order, within its limit, not for ever."""

import asyncio
from typing import Any

import pytest

from citestream.api.transport.chunks import RequestBody

Message = dict[str, Any]
FOREVER = 600.0


class TooMuchError(Exception):
    pass


def body_of(
    chunks: list[bytes], limit: int = 1000, *, more: bool = False
) -> tuple[RequestBody, list[Message]]:
    """Return a body of ``chunks``, and the messages not yet read; ``more``: it goes on."""
    left: list[Message] = [
        {"type": "http.request", "body": chunk, "more_body": more or number < len(chunks)}
        for number, chunk in enumerate(chunks, 1)
    ]

    async def receive() -> Message:
        return left.pop(0) if left else await asyncio.Event().wait()

    body = RequestBody(limit, TooMuchError(), FOREVER)
    body.connect(receive, lambda: None)
    return body, left


async def read(body: RequestBody) -> list[bytes]:
    return [chunk async for chunk in body]


def test_each_chunk_arrives_once() -> None:
    chunks = [b"%d" % number for number in range(40)]
    for count in range(1, len(chunks)):
        assert asyncio.run(read(body_of(chunks[:count])[0])) == chunks[:count]


def test_a_chunk_waits_until_the_one_before_is_done_with() -> None:
    async def scene() -> None:
        body, left = body_of([b"a", b"b", b"c"])
        chunks = aiter(body)
        assert await anext(chunks) == b"a"
        await asyncio.sleep(0)
        assert len(left) == 2

    asyncio.run(scene())


@pytest.mark.parametrize(("size", "taken"), [(9, True), (10, True), (11, False)])
def test_a_body_past_its_limit_is_refused(size: int, taken: bool) -> None:
    chunks = [b"x"] * size
    body, _ = body_of(chunks, limit=10)
    if taken:
        assert asyncio.run(read(body)) == chunks
    else:
        with pytest.raises(TooMuchError):
            asyncio.run(read(body))


def test_empty_chunks_are_no_chunks() -> None:
    assert asyncio.run(read(body_of([b"", b"a", b"", b"b", b""])[0])) == [b"a", b"b"]


@pytest.mark.parametrize("read_whole", [True, False])
def test_who_reads_no_more_leaves_no_timer(read_whole: bool) -> None:
    async def scene() -> None:
        body, _ = body_of([b"a", b"b"])
        chunks = aiter(body)
        assert await anext(chunks) == b"a"
        assert body._pauses._timer is not None
        if read_whole:
            assert [chunk async for chunk in chunks] == [b"b"]
        else:
            await chunks.aclose()  # type: ignore[attr-defined]
        assert body._pauses._timer is None

    asyncio.run(scene())


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(read(body_of([b"a"], more=True)[0]))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())
