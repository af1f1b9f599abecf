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
    chunks = []
    while chunk := await body.read():
        chunks.append(chunk)
    return chunks


def test_each_chunk_arrives_once() -> None:
    chunks = [b"%d" % number for number in range(40)]
    for count in range(1, len(chunks)):
        assert asyncio.run(read(body_of(chunks[:count])[0])) == chunks[:count]


def test_a_chunk_waits_until_the_one_before_is_done_with() -> None:
    async def scene() -> None:
        body, left = body_of([b"a", b"b", b"c"])
        assert await body.read() == b"a"
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


def test_the_end_is_given_again_and_again() -> None:
    async def scene() -> None:
        body, _ = body_of([b"a"])
        assert [await body.read() for _ in range(3)] == [b"a", b"", b""]

    asyncio.run(scene())


def test_a_body_that_is_closed_leaves_no_timer_and_reads_no_more() -> None:
    async def scene() -> None:
        body, left = body_of([b"a", b"b"])
        assert await body.read() == b"a"
        assert body._idle._timer is not None
        body.close()
        assert body._idle._timer is None
        assert await body.read() == b""
        assert len(left) == 1

    asyncio.run(scene())


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(read(body_of([b"a"], more=True)[0]))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())
