import asyncio
import json

import pytest
from tests.service.stored_turns import (
    END,
    answer_of,
    cite,
    deltas,
    differences,
    key,
    part,
    turns_on,
)

from citestream.service.stored.part_ids import SessionNumbers
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import Key

pytestmark = pytest.mark.anyio


async def assigned(turns: StoredTurns, turn_id: str, seq: int, *events: object) -> list[str]:
    answer = await turns.push(turn_id, seq, list(events))  # type: ignore[arg-type]
    return [one["id"] for one in answer.parts]


async def test_ids_count_over_the_session(turns: StoredTurns) -> None:
    for turn_id, session_id in (("t1", "s"), ("t2", "s"), ("t3", "other")):
        await turns.create(turn_id=turn_id, session_id=session_id)
    assert await assigned(turns, "t1", 1, part(), part("u", origin="user")) == [
        "tool_data_01",
        "user_text_01",
    ]
    assert await assigned(turns, "t2", 1, part(), part("u", origin="user"), END) == [
        "tool_data_02",
        "user_text_02",
    ]
    assert await assigned(turns, "t1", 3, part()) == ["tool_data_03"]
    assert await assigned(turns, "t3", 1, part()) == ["tool_data_01"]


async def test_an_id_that_was_given_is_passed_over(turns: StoredTurns) -> None:
    await turns.create(turn_id="t1", session_id="s")
    await turns.create(turn_id="t2", session_id="s")
    await assigned(turns, "t1", 1, part("x", "tool_data_02"))
    assert await assigned(turns, "t2", 1, part(), part(), part()) == [
        "tool_data_01",
        "tool_data_03",
        "tool_data_04",
    ]


async def test_no_id_comes_back_when_a_turn_is_removed(turns: StoredTurns) -> None:
    await turns.create(turn_id="t1", session_id="s")
    assert await assigned(turns, "t1", 1, part()) == ["tool_data_01"]
    await turns.delete("t1")
    await turns.create(turn_id="t1", session_id="s")
    assert await assigned(turns, "t1", 1, part()) == ["tool_data_02"]


@pytest.mark.parametrize("shared", [True, False], ids=["one process", "two processes"])
async def test_of_turns_that_run_at_once_each_gets_ids_of_its_own(
    turns: StoredTurns, shared: bool
) -> None:
    second = turns if shared else turns_on(turns.log, "other")
    for n in range(20):
        await turns.create(turn_id=f"t{n}", session_id="s")

    async def produce(n: int) -> list[str]:
        on = (turns, second)[n % 2]
        found = await assigned(on, f"t{n}", 1, part(), part(f"given {n}", f"tool_data_{n + 40}"))
        found += await assigned(on, f"t{n}", 3, part(), *deltas("x"), END)
        return found

    ids = [id_ for found in await asyncio.gather(*map(produce, range(20))) for id_ in found]
    assert len(set(ids)) == len(ids) == 60
    for n in range(20):
        assert await differences(turns, f"t{n}") == []


async def test_an_answer_that_copies_an_earlier_turns_marker_cites_nothing(
    turns: StoredTurns,
) -> None:
    await turns.create(turn_id="t1", session_id="s")
    first = [part("one"), *deltas("Fact", cite("tool_data_01"), "."), END]
    await turns.push("t1", 1, first)
    copied = await turns.reader.raw(key("t1"))
    await turns.create(turn_id="t2", session_id="s")
    answer = await turns.push("t2", 1, [part("two"), *deltas(copied, cite("tool_data_02")), END])
    assert answer.parts == [{"id": "tool_data_02", "tool_name": "search"}]
    shown = await answer_of(turns, "t2")
    assert [one["data_part_id"] for one in shown["citations"]] == ["tool_data_02"]
    assert [(one["data_part_id"], one["reason"]) for one in shown["dropped"]] == [
        ("tool_data_01", "unknown_part")
    ]
    assert "one" not in json.dumps(shown["artifact"]["parts"][1:])


async def test_a_push_without_parts_holds_no_session(turns: StoredTurns) -> None:
    sessions = SessionNumbers(turns.log)
    async with sessions.numbering("", "s", deltas("x")) as none:
        assert none is None
    async with sessions.numbering("", None, [part()]) as none:
        assert none is None


async def test_each_push_of_parts_changes_the_sessions_numbers(turns: StoredTurns) -> None:
    sessions = SessionNumbers(turns.log)
    async with sessions.numbering("", "s", [part(id="given")]) as session:
        assert session is not None
        counts = session.counts()
        assert counts.before == b"{}"
        assert counts.after != counts.before
    assert len(sessions._live) <= 1


async def test_only_ids_that_may_be_assigned_are_looked_up(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    await turns.create(turn_id="t1", session_id="s")
    given = [part(n, f"tool_data_{n:02d}") for n in range(3, 60)]
    await turns.push("t1", 1, [part("x"), *given])
    asked: list[list[str]] = []
    look_up = turns.log.taken_part_ids

    async def taken(session: Key, ids: list[str]) -> set[str]:
        asked.append(list(ids))
        return await look_up(session, ids)

    monkeypatch.setattr(turns.log, "taken_part_ids", taken)
    await turns.create(turn_id="t2", session_id="s")
    assert await assigned(turns, "t2", 1, part("a"), part("b", "own")) == ["tool_data_02", "own"]
    assert asked[0] == ["tool_data_02", "tool_data_03"]
    assert await assigned(turns, "t2", 3, part("c"), part("d")) == ["tool_data_60", "tool_data_61"]
    assert len(asked) <= 2 * 6  # twice as many each time
    assert sum(map(len, asked)) <= 2 * 2 * 60
