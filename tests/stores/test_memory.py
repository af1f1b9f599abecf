"""The store of plain dictionaries: the contract, and how changes of others arrive."""

import asyncio

import pytest
from tests.stores.contract import TurnLogContract, a_push, key, turn_row

from citestream.stores.memory import MemoryLog
from citestream.stores.port import Head

pytestmark = pytest.mark.anyio


class TestMemoryLog(TurnLogContract):
    make = staticmethod(lambda _: MemoryLog())


async def test_changes_of_followed_turns_arrive_until_it_is_closed() -> None:
    log = MemoryLog(shared=True)
    await log.open()
    for turn_id in ("t", "other"):
        await log.create_turn(turn_row(turn_id))
    seen = []

    async def watch() -> None:
        async for heads in log.changes(lambda: [key("t")]):
            seen.append(dict(heads))  # noqa: PERF401 - as they arrive

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    await log.push(a_push(turn_id="other"))
    await log.push(a_push())
    await asyncio.sleep(0)
    assert seen == [{}, {key("t"): Head(1, ended=False)}]
    await log.delete_turn(key("t"))
    await log.close()
    await asyncio.wait_for(watching, 5)
    assert seen[2:] == [{key("t"): None}]
