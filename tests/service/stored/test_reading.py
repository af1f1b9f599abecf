"""Reading stored turns: answers put together from what was stored, pages, what is missing."""

import json

import pytest
from tests.service.stored_turns import (
    ANSWER,
    END,
    answer_of,
    cite,
    deltas,
    key,
    part,
    refused,
    turns_on,
)

from citestream.service.stored.reading import PAGE
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import DamagedError

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("cut", [*range(1, len(ANSWER) + 1)])
async def test_an_answer_is_the_same_from_memory_and_from_the_store(
    turns: StoredTurns, cut: int
) -> None:
    await turns.create(turn_id="t", include=["excerpt", "diagnostics"], labels={"a": "b"})
    await turns.push("t", 1, ANSWER[:cut])
    found = await answer_of(turns, "t")
    copy = turns.live.entry(key("t")).copy
    if copy is not None:
        answer = copy[1].turn.answer().as_json()
        assert {name: found[name] for name in answer} == answer
    assert await answer_of(turns_on(turns.log), "t") == found
    assert (found["id"], found["labels"], found["next"]) == ("t", {"a": "b"}, cut + 1)


async def test_white_space_before_a_second_refusal_is_told(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    users = [*deltas(cite("user_data_01") + "\n"), END]
    await turns.push("t", 1, [*users, *users])
    answer = await answer_of(turns, "t")
    assert (answer["status"], answer["text"]) == ("retry_required", "\n\n")
    assert answer["artifact"] == {"parts": []}


async def test_an_ended_turn_is_not_folded_again(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, ANSWER)
    monkeypatch.setattr(turns.log, "snapshots", None)
    monkeypatch.setattr(turns.log, "inputs", None)
    assert (await answer_of(turns, "t"))["status"] == "completed"
    assert json.loads(await turns.reader.part(key("t"), "late"))["data"] == {"value": "came late"}


async def test_where_parts_came_from(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, [part("x", "p", title="T", url="https://e.org/"), part("y", "q")])
    about = await turns.reader.about(key("t"), ["p", "none"])
    assert about == {
        "p": {"tool_name": "search", "title": "T", "url": "https://e.org/", "source": None}
    }


async def test_inputs_are_read_in_pages(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas(*map(str, range(2 * PAGE + 1))))
    row = await turns.reader.row(key("t"))
    pages = [len(page) async for page in turns.reader.input_rows(row, 1, row.next - 1)]
    assert pages == [PAGE, PAGE, 1]
    assert await turns.reader.raw(key("t")) == "".join(map(str, range(2 * PAGE + 1)))
    with pytest.raises(DamagedError):
        _ = [page async for page in turns.reader.input_rows(row, 1, row.next)]


async def test_an_unknown_turn(turns: StoredTurns) -> None:
    for call in (
        turns.reader.row(key("t")),
        turns.reader.answer(key("t")),
        turns.reader.raw(key("t")),
        turns.reader.part(key("t"), "p"),
    ):
        assert (await refused(call)).detail == "turn_id: there is no turn with this id"
    assert await turns.reader.restored(key("t")) is None
