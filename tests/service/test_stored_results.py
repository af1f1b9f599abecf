"""Results pushed into stored turns: numbers over the whole turn, targets, the same shown again."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.service.stored_turns import (
    END,
    answer_of,
    cite,
    deltas,
    key,
    opened,
    session_of,
    turns_on,
)
from tests.turns.test_results import PRESET

from citestream.service.problems import Problem
from citestream.service.stored.turns import PushAnswer, StoredTurns
from citestream.turns import InputEvent, ResultsInput

pytestmark = pytest.mark.anyio


def page(number: int) -> dict[str, Any]:
    return {"title": f"Page {number}", "url": f"https://example.org/{number}"}


def found(*numbers: int) -> ResultsInput:
    return ResultsInput("search_web", tuple(map(page, numbers)))


async def pushed(turns: StoredTurns, turn_id: str, event: InputEvent) -> PushAnswer:
    """Push one event wherever the turn stands, as often as another producer is quicker."""
    while True:
        row = await turns.reader.row(key(turn_id))
        with suppress(Problem):
            return await turns.push(turn_id, row.next, [event])


async def test_a_page_keeps_its_number_over_pushes_and_restarts(tmp_path: Path) -> None:
    async with opened(tmp_path, preset=PRESET) as turns:
        await turns.create(turn_id="t", session_id="s")
        answer = await turns.push("t", 1, [found(1, 2)])
        assert answer.parts == [
            {"id": f"tool_data_0{n}", "tool_name": "search_web"} for n in (1, 2)
        ]
        assert answer.tool_output[0]["text"].startswith("[1] Page 1\n")
    async with opened(tmp_path, preset=PRESET) as turns:
        again = await turns.push("t", 2, [found(2, 3)])
        assert [line for line in again.tool_output[0]["text"].split("\n") if line[:1] == "["] == [
            "[2] Page 2",
            "[3] Page 3",
        ]
        # The same push again is answered as before.
        assert await turns.push("t", 1, [found(1, 2)]) == answer._replace(next=3)
        await turns.push("t", 3, [*deltas("See [3]", cite("tool_data_01"), "."), END])
        shown = await answer_of(turns, "t")
        assert shown["artifact"]["metadata"] == {
            "sources": [{"index": n, **page(n)} for n in (1, 2, 3)],
            "cited": [1, 3],
        }
        assert shown["citations"][0]["target"] == {"kind": "web", "url": page(1)["url"]}
        session = await session_of(turns, 0, 10)
        assert session["items"][0]["sources"] == shown["artifact"]["metadata"]["sources"]
        assert session["items"][0]["citations"][0]["target"] == shown["citations"][0]["target"]


async def test_numbers_begin_again_with_the_next_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as turns:
        for turn_id in ("one", "two"):
            await turns.create(turn_id=turn_id, session_id="s")
            answer = await turns.push(turn_id, 1, [found(7)])
            assert answer.tool_output[0]["text"].startswith("[1] Page 7")
        assert answer.parts[0]["id"] == "tool_data_02"


async def test_two_producers_never_give_one_number_twice(tmp_path: Path) -> None:
    """Two services on one store, each pushing its own pages and some of the other's."""
    async with opened(tmp_path) as first:
        second = turns_on(first.log, "other")
        await first.create(turn_id="t", session_id="s")
        work = [
            pushed(turns, "t", found(number, number + half))
            for number in range(20)
            for half, turns in ((100, first), (1, second))
        ]
        await asyncio.gather(*work)
        await pushed(first, "t", END)
        sources = (await answer_of(second, "t"))["artifact"]["metadata"]["sources"]
        assert [one["index"] for one in sources] == list(range(1, len(sources) + 1))
        assert len({one["url"] for one in sources}) == len(sources) == 41
        parts = [row.id for row in await first.log.parts(key("t"))]
        assert len(set(parts)) == len(parts) == 80
