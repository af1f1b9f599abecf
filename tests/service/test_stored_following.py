"""Following stored turns: one path for live and replay."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.service.stored_turns import (
    ANSWER,
    END,
    answer_of,
    deltas,
    differences,
    followed,
    key,
    refused,
    turns_on,
    undisturbed,
)

from citestream.api.transport.problems import STATUSES
from citestream.service.stored.expiry import trim
from citestream.service.stored.reading import PAGE
from citestream.service.stored.turns import StoredTurns
from citestream.stores.memory import MemoryLog
from citestream.stores.port import PAGE_BYTES

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shared_turns(anyio_backend: str) -> AsyncIterator[StoredTurns]:
    """Turns on a store that another service may write to as well."""
    log = MemoryLog(shared=True)
    await log.open()
    yield turns_on(log)
    await log.close()


async def test_every_follower_from_every_id_sees_the_same(shared_turns: StoredTurns) -> None:
    turns = shared_turns
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    early = [asyncio.create_task(followed(turns, "t", after)) for after in range(len(expected))]
    other = turns_on(turns.log)
    elsewhere = asyncio.create_task(followed(other, "t"))
    late = []
    for seq, event in enumerate(ANSWER, 1):
        await turns.push("t", seq, [event])
        late.append(asyncio.create_task(followed(turns, "t")))
        await asyncio.sleep(0)
    for after, following in enumerate(early):
        assert await following == expected[after:]
    for following in [*late, elsewhere]:
        assert await following == expected
    for after in range(len(expected) + 1):
        assert await followed(turns_on(turns.log), "t", after) == expected[after:]
    assert turns.feeds.followers() == other.feeds.followers() == 0


async def test_a_long_replay_comes_in_pages(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas(*(f"{n};" for n in range(1200))))
    await turns.push("t", 1201, [*deltas(*["x" * (PAGE_BYTES // 2)] * 5), END])
    pages = [page async for page in turns.follow("t", 0)]
    assert all(len(page) <= PAGE for page in pages)
    assert [number for page in pages for number, _ in page] == list(range(1, 1208))
    assert len(pages) >= 5


async def test_an_event_is_seen_only_after_it_was_committed(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")

    async def follow() -> None:
        async for page in turns.follow("t", 0):
            for number, row in page:
                assert await turns.log.events(key("t"), number - 1, 1) == [row]

    following = [asyncio.create_task(follow()) for _ in range(5)]
    for seq, event in enumerate(ANSWER, 1):
        await turns.push("t", seq, [event])
    await asyncio.gather(*following)


async def test_followers_end_when_a_turn_is_removed(shared_turns: StoredTurns) -> None:
    turns = shared_turns
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas("a"))
    here = [asyncio.create_task(followed(turns, "t")) for _ in range(3)]
    other = turns_on(turns.log)
    there = asyncio.create_task(followed(other, "t"))
    await asyncio.sleep(0.05)
    await turns.delete("t")
    assert [len(rows) for rows in await asyncio.gather(*here, there)] == [1] * 4
    assert STATUSES[(await refused(turns.reader.row(key("t")))).type] == 404
    assert STATUSES[(await refused(other.push("t", 2, deltas("b")))).type] == 404
    await turns.create(turn_id="t")
    assert (await turns.push("t", 1, [*deltas("new"), END])).status == "completed"


async def test_what_retention_let_go_is_gone_for_followers(turns: StoredTurns) -> None:
    expected = await undisturbed(turns, "t")
    answer = await answer_of(turns, "t")
    turns.clock.now = 9000.0  # type: ignore[attr-defined]
    await trim(turns, 1000.0)
    assert STATUSES[(await refused(followed(turns, "t"))).type] == 410
    last = len(expected) - 1
    assert await followed(turns, "t", last) == expected[last:]
    assert await followed(turns, "t", last + 1) == []
    assert await answer_of(turns, "t") == answer
    assert b"came late" in await turns.reader.part(key("t"), "late")
    assert await turns.reader.raw(key("t"))
    assert await differences(turns, "t") == []


async def test_what_another_process_writes_is_seen_soon(
    shared_turns: StoredTurns,
) -> None:
    turns = shared_turns
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    following = asyncio.create_task(followed(turns, "t"))
    other = turns_on(turns.log)
    for seq, event in enumerate(ANSWER, 1):
        await (other if seq % 3 else turns).push("t", seq, [event])
        await asyncio.sleep(0.01 * (seq % 2))
    assert await asyncio.wait_for(following, 5) == expected
