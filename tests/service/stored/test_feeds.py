import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.service.stored import feeds
from citestream.service.stored.feeds import TAIL, Feed, Feeds
from citestream.stores.port import PAGE_BYTES, EventRow, Head, Key, StoreBusyError

pytestmark = pytest.mark.anyio


def rows(first: int, count: int, size: int = 0) -> list[EventRow]:
    return [EventRow("delta", b"%d" % n + bytes(size)) for n in range(first, first + count)]


def at(events: int, *, ended: bool = False) -> Feed:
    return Feed(Head(events, ended))


def test_the_tail_has_what_was_just_published() -> None:
    feed = at(10)
    assert feed.rows_after(10, 5) == []
    assert feed.rows_after(9, 5) is None
    feed.publish(11, rows(11, 3), ended=False)
    assert feed.rows_after(10, 5) == rows(11, 3)
    assert feed.rows_after(10, 2) == rows(11, 2)
    assert feed.rows_after(12, 5) == rows(13, 1)
    assert feed.rows_after(13, 5) == []
    assert feed.rows_after(99, 5) == []
    assert feed.rows_after(9, 5) is None


def test_the_tail_is_short() -> None:
    feed = at(0)
    feed.publish(1, rows(1, TAIL + 1), ended=False)
    assert feed.rows_after(0, 999) is None
    assert feed.rows_after(1, 999) == rows(2, TAIL)
    feed.publish(TAIL + 2, rows(TAIL + 2, 3, PAGE_BYTES // 2), ended=False)
    found = feed.rows_after(TAIL + 3, 999)
    assert found is not None
    assert sum(len(row.data) for row in found) <= PAGE_BYTES
    assert feed.rows_after(0, 999) is None


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
    found = feed.rows_after(after, 3)
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


A, B = Key("", "a"), Key("", "b")


class Store:
    """A store that others write to; its changes are those that the test gives."""

    def __init__(self, *, shared: bool = True) -> None:
        self.shared = shared
        self.asked = 0
        self.given: asyncio.Queue[Mapping[Key, Head | None] | None] = asyncio.Queue()
        self.followed: Callable[[], Collection[Key]] = tuple
        self.now: dict[Key, Head] = {A: Head(1, ended=False), B: Head(1, ended=False)}

    async def heads(self, turns: Collection[Key]) -> dict[Key, Head]:
        return {turn: self.now[turn] for turn in turns if turn in self.now}

    async def changes(
        self, followed: Callable[[], Collection[Key]], /
    ) -> AsyncIterator[Mapping[Key, Head | None]]:
        self.asked += 1
        self.followed = followed
        yield {}
        while (heads := await self.given.get()) is not None:
            yield heads
        raise StoreBusyError


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(feeds, "AGAIN_SECONDS", 0.01)
    return Store()


async def test_changes_of_others_are_seen_while_any_turn_is_followed(store: Any) -> None:
    made = Feeds(store)
    async with (
        made.following(A, Head(1, ended=False)) as a,
        made.following(B, Head(1, ended=False)) as b,
    ):
        assert made.followers() == 2
        await asyncio.sleep(0.01)
        assert set(store.followed()) == {A, B}
        store.given.put_nowait(None)  # it fails, and is asked again
        waiting = [asyncio.create_task(feed.changed()) for feed in (a, b)]
        await asyncio.sleep(0)
        store.given.put_nowait({A: Head(4, ended=True), B: None, Key("", "c"): None})
        await asyncio.wait_for(asyncio.gather(*waiting), 1)
        assert (a.last, a.ended, a.gone) == (4, True, False)
        assert b.gone
    assert made.followers() == 0
    assert store.asked == 2
    await asyncio.sleep(0.03)
    assert store.asked == 2


async def test_what_was_written_before_it_listened_or_followed_is_seen(store: Any) -> None:
    made = Feeds(store)
    async with made.following(A, Head(1, ended=False)) as a:
        store.now[A] = Head(3, ended=False)  # between the reading of the row and the listening
        await asyncio.sleep(0.01)
        assert a.last == 3
        store.now[B] = Head(7, ended=True)  # nobody followed it when that was written
        async with made.following(B, Head(1, ended=False)) as b:
            assert (b.last, b.ended) == (7, True)
        store.now[A] = Head(9, ended=False)
        store.given.put_nowait(None)  # what was written while it did not listen
        await asyncio.sleep(0.05)
        assert a.last == 9


async def test_a_store_that_no_one_else_writes_to_is_not_asked() -> None:
    store: Any = Store(shared=False)
    async with Feeds(store).following(A, Head(1, ended=False)):
        await asyncio.sleep(0.01)
    assert store.asked == 0


async def test_followers_of_one_turn_share_a_feed_until_it_is_removed(store: Any) -> None:
    made = Feeds(store)
    async with (
        made.following(A, Head(1, ended=False)) as one,
        made.following(A, Head(2, ended=False)) as two,
    ):
        assert one is two
        assert one.last == 2
        made.publish(A, 3, rows(3, 1), ended=False)
        made.publish(B, 1, rows(1, 1), ended=False)
        assert one.rows_after(2, 9) == rows(3, 1)
        made.gone(A)
        assert one.gone
        async with made.following(A, Head(0, ended=False)) as anew:
            assert anew is not one
        assert made.followers() == 0
