"""Following stored turns: one path for live and replay."""

import asyncio
import json

import pytest
from tests.service.stored_turns import (
    ANSWER,
    END,
    deltas,
    followed,
    refused,
    turns_on,
    undisturbed,
)

from citestream.api.transport.problems import STATUSES
from citestream.service.stored import feeds
from citestream.service.stored import turns as stored_module
from citestream.service.stored.expiry import sweep
from citestream.service.stored.turns import StoredTurns
from citestream.service.stored.verifying import verify
from citestream.stores.port import PAGE_BYTES

pytestmark = pytest.mark.anyio


async def test_every_follower_from_every_id_sees_the_same(turns: StoredTurns) -> None:
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
    assert turns.feeds.followers == other.feeds.followers == 0


async def test_a_long_replay_comes_in_pages(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas(*(f"{n};" for n in range(1200))))
    await turns.push("t", 1201, [*deltas(*["x" * (PAGE_BYTES // 2)] * 5), END])
    pages = [page async for page in turns.follow("t", 0)]
    assert all(len(page) <= stored_module.PAGE for page in pages)
    assert [number for page in pages for number, _ in page] == list(range(1, 1208))
    assert len(pages) >= 5


async def test_an_event_is_seen_only_after_it_was_committed(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")

    async def follow() -> None:
        async for page in turns.follow("t", 0):
            for number, row in page:
                assert await turns.log.events("t", number - 1, 1) == [row]

    following = [asyncio.create_task(follow()) for _ in range(5)]
    for seq, event in enumerate(ANSWER, 1):
        await turns.push("t", seq, [event])
    await asyncio.gather(*following)


async def test_followers_end_when_a_turn_is_removed(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas("a"))
    here = [asyncio.create_task(followed(turns, "t")) for _ in range(3)]
    other = turns_on(turns.log)
    there = asyncio.create_task(followed(other, "t"))
    await asyncio.sleep(0.05)
    await turns.delete("t")
    assert [len(rows) for rows in await asyncio.gather(*here, there)] == [1] * 4
    assert STATUSES[(await refused(turns.row("t"))).type] == 404
    assert STATUSES[(await refused(other.push("t", 2, deltas("b")))).type] == 404
    await turns.create(turn_id="t")
    assert (await turns.push("t", 1, [*deltas("new"), END])).status == "completed"


async def test_what_retention_let_go_is_gone_for_followers(turns: StoredTurns) -> None:
    expected = await undisturbed(turns, "t")
    answer = await turns.answer("t")
    turns.clock.now = 9000.0  # type: ignore[attr-defined]
    await sweep(turns, silence=1e9, retention=1000.0)
    assert STATUSES[(await refused(followed(turns, "t"))).type] == 410
    last = len(expected) - 1
    assert await followed(turns, "t", last) == expected[last:]
    assert await followed(turns, "t", last + 1) == []
    assert await turns.answer("t") == answer
    assert "came late" in json.dumps(await turns.part("t", "late"))
    assert await turns.raw("t")
    assert await verify(turns, "t") == []


async def test_what_another_process_writes_is_seen_soon(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "LOOK_SECONDS", 0.05)
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    following = asyncio.create_task(followed(turns, "t"))
    other = turns_on(turns.log)
    for seq, event in enumerate(ANSWER, 1):
        await (other if seq % 3 else turns).push("t", seq, [event])
        await asyncio.sleep(0.01 * (seq % 2))
    assert await asyncio.wait_for(following, 5) == expected
