import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.service.stored import feeds
from citestream.service.stored.feeds import TAIL, Feed, Feeds
from citestream.stores.port import PAGE_BYTES, EventRow, Head, StoreBusyError

pytestmark = pytest.mark.anyio


def rows(first: int, count: int, size: int = 0) -> list[EventRow]:
    return [EventRow("delta", b"%d" % n + bytes(size)) for n in range(first, first + count)]


def at(events: int, *, ended: bool = False) -> Feed:
    return Feed(Head(events, ended))


def test_the_tail_has_what_was_just_published() -> None:
    feed = at(10)
    assert feed.behind(10, 5) == []
    assert feed.behind(9, 5) is None
    feed.publish(11, rows(11, 3), ended=False)
    assert feed.behind(10, 5) == rows(11, 3)
    assert feed.behind(10, 2) == rows(11, 2)
    assert feed.behind(12, 5) == rows(13, 1)
    assert feed.behind(13, 5) == []
    assert feed.behind(99, 5) == []
    assert feed.behind(9, 5) is None


def test_the_tail_is_short() -> None:
    feed = at(0)
    feed.publish(1, rows(1, TAIL + 1), ended=False)
    assert feed.behind(0, 999) is None
    assert feed.behind(1, 999) == rows(2, TAIL)
    feed.publish(TAIL + 2, rows(TAIL + 2, 3, PAGE_BYTES // 2), ended=False)
    found = feed.behind(TAIL + 3, 999)
    assert found is not None
    assert sum(len(row.data) for row in found) <= PAGE_BYTES
    assert feed.behind(0, 999) is None


STEPS = st.lists(
    st.tuples(st.sampled_from(["publish", "elsewhere", "late"]), st.integers(0, 4)), max_size=12
)


@given(STEPS, st.integers(0, 20))
def test_the_tail_never_gives_another_row_than_the_store(
    steps: Sequence[tuple[str, int]], after: int
) -> None:
    """Publishing here, seeing what another process wrote, and being told late of what was seen."""
    feed = at(0)
    last = 0
    for kind, count in steps:
        first = last + 1
        last += count
        if kind != "publish":
            feed.seen(Head(last, ended=False))
        if kind != "elsewhere":
            feed.publish(first, rows(first, count), ended=False)
        assert feed.last == last
    found = feed.behind(after, 3)
    assert found is None or found == rows(after + 1, max(0, min(3, last - after)))


async def test_everyone_who_waits_is_woken_once() -> None:
    feed = at(0)
    waiting = [asyncio.create_task(feed.changed()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    feed.publish(1, rows(1, 1), ended=False)
    await asyncio.gather(*waiting[1:])
    again = asyncio.create_task(feed.changed())
    await asyncio.sleep(0.01)
    assert not again.done()
    feed.seen(Head(1, ended=False))  # nothing new
    await asyncio.sleep(0.01)
    assert not again.done()
    feed.seen(Head(1, ended=True))
    await again
    assert feed.ended


class Store:
    def __init__(self) -> None:
        self.heads_now: dict[str, Head] = {}
        self.asked: list[list[str]] = []
        self.fails = False

    async def heads(self, turn_ids: Sequence[str]) -> dict[str, Head]:
        self.asked.append(list(turn_ids))
        if self.fails:
            raise StoreBusyError
        return {id_: self.heads_now[id_] for id_ in turn_ids if id_ in self.heads_now}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(feeds, "LOOK_SECONDS", 0.01)
    return Store()


async def test_it_is_looked_for_all_turns_at_once_while_any_is_followed(store: Any) -> None:
    made = Feeds(store)
    store.heads_now = {"a": Head(1, ended=False), "b": Head(1, ended=False)}
    async with (
        made.following("a", Head(1, ended=False)) as a,
        made.following("b", Head(1, ended=False)) as b,
    ):
        assert made.followers == 2
        store.fails = True
        await asyncio.sleep(0.03)
        waiting = [asyncio.create_task(feed.changed()) for feed in (a, b)]
        await asyncio.sleep(0)
        store.fails = False
        store.heads_now["a"] = Head(4, ended=True)
        del store.heads_now["b"]
        await asyncio.wait_for(asyncio.gather(*waiting), 1)
        assert (a.last, a.ended, a.gone) == (4, True, False)
        assert b.gone
    assert ["a", "b"] in store.asked
    assert made.followers == 0
    asked = len(store.asked)
    await asyncio.sleep(0.03)
    assert len(store.asked) == asked


async def test_followers_of_one_turn_share_a_feed_until_it_is_removed(store: Any) -> None:
    made = Feeds(store)
    async with (
        made.following("a", Head(1, ended=False)) as one,
        made.following("a", Head(2, ended=False)) as two,
    ):
        assert one is two
        assert one.last == 2
        made.publish("a", 3, rows(3, 1), ended=False)
        made.publish("none", 1, rows(1, 1), ended=False)
        assert one.behind(2, 9) == rows(3, 1)
        made.gone("a")
        assert one.gone
        async with made.following("a", Head(0, ended=False)) as anew:
            assert anew is not one
        assert made.followers == 0
