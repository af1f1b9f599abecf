import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.service.stored_turns import (
    ANSWER,
    END,
    answer_of,
    cite,
    deltas,
    differences,
    followed,
    key,
    opened,
    part,
    refused,
    shown,
    stored,
    turns_on,
    undisturbed,
)

from citestream.api.transport.problems import STATUSES
from citestream.citations import EngineOptions
from citestream.service.problems import Problem
from citestream.service.stored import live
from citestream.service.stored.expiry import IdleWatch, end_idle, trim
from citestream.service.stored.turns import StoredTurns
from citestream.stores.failpoints import FAILPOINTS
from citestream.stores.port import StoreBusyError, StoreError
from citestream.turns import CustomInput, EndInput, InputEvent, StartInput

pytestmark = pytest.mark.anyio


# -- create -----------------------------------------------------------------------------------


async def test_a_turn_is_created_with_ids_given_or_made(turns: StoredTurns) -> None:
    assert await turns.create() == {"id": "id-1", "session_id": "id-2", "next": 1}
    answer = await turns.create(turn_id="t", session_id="s")
    assert answer == {"id": "t", "session_id": "s", "next": 1}
    problem = await refused(turns.create(turn_id="t"))
    assert (problem.type.slug, STATUSES[problem.type]) == ("exists", 409)


async def test_the_same_creation_under_a_key_gives_the_same_turn(turns: StoredTurns) -> None:
    answers = await asyncio.gather(*(turns.create(labels={"a": "b"}, key="k") for _ in range(50)))
    assert len({answer["id"] for answer in answers}) == 1
    assert await turns.log.running_turns() == 1
    for other in ({"labels": {"a": "c"}}, {"turn_id": "t"}, {"options": EngineOptions("drop")}):
        problem = await refused(turns.create(key="k", **other))
        assert (problem.type.slug, STATUSES[problem.type]) == ("key-reused", 422)


async def test_options_labels_and_include_hold(turns: StoredTurns) -> None:
    await turns.create(
        turn_id="t",
        options=EngineOptions("drop", "tidy"),
        include=["source"],
        labels={"tenant": "north"},
    )
    await turns.push("t", 1, [part(title="A title"), *deltas("x ", cite("tool_data_01"), "."), END])
    answer = await answer_of(turns, "t")
    assert answer["text"] == "x."
    assert answer["citations"][0]["source"]["title"] == "A title"
    assert answer["labels"] == {"tenant": "north"}
    assert (answer["created"], answer["ended"], answer["next"]) == (1000.0, 1000.0, 6)


# -- push -------------------------------------------------------------------------------------


async def test_a_push_answers_what_the_producer_needs(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    events = [part(), part("x", "mine"), part("u", origin="user"), part({}, origin="user")]
    answer = await turns.push("t", 1, [*events, *deltas("Hello")])
    assert answer.as_json() == {
        "next": 6,
        "parts": [
            {"id": "tool_data_01", "tool_name": "search"},
            {"id": "mine", "tool_name": "search"},
            {"id": "user_text_01", "tool_name": "search"},
            {"id": "user_data_01", "tool_name": "search"},
        ],
        "tool_output": [],
        "status": "open",
        "prompt": "/v1/turns/t/prompt",
    }
    assert (await turns.push("t", 6, [END])).status == "completed"


async def test_a_gap_is_refused_with_the_number_that_is_next(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas("a", "b"))
    problem = await refused(turns.push("t", 4, deltas("d")))
    assert (STATUSES[problem.type], problem.extra) == (409, {"next": 3})
    assert (await turns.push("t", 3, deltas("c"))).next == 4


async def test_events_that_are_known_are_compared_and_passed_over(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    first = [part({"n": 1}), *deltas("a", "\ud83d", "\ude00")]
    before = await turns.push("t", 1, first)
    assert await turns.push("t", 1, first) == before
    again = await turns.push("t", 1, [*first, *deltas("b"), part()])
    assert again.next == 7
    assert [one["id"] for one in again.parts] == ["tool_data_01", "tool_data_02"]
    assert (await turns.push("t", 2, deltas("a"))).next == 7
    assert shown(await stored(turns, "t")) == "a\U0001f600b"


@pytest.mark.parametrize(
    "other",
    [
        [part({"n": True}), *deltas("a")],
        [part({"n": 1.0}), *deltas("a")],
        [part({"n": 1}, "tool_data_02"), *deltas("a")],
        [part({"n": 1}), *deltas("A")],
        [part({"n": 1}), CustomInput("a", None)],
        [part({"n": 1}), END],
        [part({"n": 1}, origin="user"), *deltas("a")],
    ],
)
async def test_other_events_under_known_numbers_are_refused(
    turns: StoredTurns, other: list[InputEvent]
) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, [part({"n": 1}), *deltas("a", "b")])
    before = await stored(turns, "t")
    problem = await refused(turns.push("t", 1, [*other, *deltas("b", "c")]))
    assert (problem.type.slug, problem.extra) == ("out-of-step", {"next": 4})
    assert await stored(turns, "t") == before


async def test_an_assigned_id_may_be_named_in_a_repeated_push(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    before = await turns.push("t", 1, [part()])
    assert await turns.push("t", 1, [part(id="tool_data_01")]) == before


async def test_behind_the_end_only_the_last_push_is_answered(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas("a"))
    last = [part(), *deltas("b"), END]
    before = await turns.push("t", 2, last)
    assert before.status == "completed"
    assert await turns.push("t", 2, last) == before
    for events in ([*last, *deltas("c")], [*last, END]):
        problem = await refused(turns.push("t", 2, events))
        assert (problem.type.slug, STATUSES[problem.type]) == ("turn-ended", 409)
    assert (await refused(turns.push("t", 5, deltas("c")))).type.slug == "turn-ended"
    assert (await refused(turns.push("t", 2, [part("x"), *deltas("b")]))).type.slug == "turn-ended"
    assert (await refused(turns.push("t", 9, deltas("c")))).extra == {"next": 5}


async def test_a_push_without_events_tells_the_next_number(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, deltas("a"))
    assert (await turns.push("t", 2, [])).next == 2


async def test_a_push_that_is_refused_leaves_nothing(turns: StoredTurns) -> None:
    await turns.create(turn_id="t", session_id="s")
    await turns.push("t", 1, [part("x", "p")])
    problem = await refused(turns.push("t", 1, [part("x", "p"), *deltas("a"), part("y", "p")]))
    assert problem.type.slug == "part-conflict"
    assert problem.detail.startswith("events[2].id")
    assert await turns.log.events(key("t"), 0, 10) == []
    assert (await refused(turns.push("t", 2, [StartInput()]))).type.slug == "event-order"
    assert (await turns.push("t", 2, [part(), *deltas("a"), END])).parts[0]["id"] == "tool_data_01"
    assert await differences(turns, "t") == []


async def test_an_unknown_turn(turns: StoredTurns) -> None:
    for call in (
        turns.push("t", 1, [END]),
        answer_of(turns, "t"),
        turns.reader.raw(key("t")),
        turns.delete("t"),
    ):
        assert STATUSES[(await refused(call)).type] == 404
    assert STATUSES[(await refused(followed(turns, "t"))).type] == 404
    assert turns.live._entries == {}


@pytest.mark.parametrize("shared", [True, False], ids=["one process", "two processes"])
async def test_two_producers_on_one_turn(turns: StoredTurns, shared: bool) -> None:
    """500 turns, each raced for by two producers: one wins each number, nothing is mixed."""
    second = turns if shared else turns_on(turns.log, "other")
    chance = random.Random(5)  # noqa: S311

    async def produce(on: StoredTurns, turn_id: str, name: str) -> dict[int, str]:
        won: dict[int, str] = {}
        seq = 1
        while seq <= 6:
            size = chance.randint(1, 3)
            events = [*deltas(*(f"{name}{seq + n};" for n in range(size)))]
            if chance.random() < 0.5:
                await asyncio.sleep(0)
            try:
                answer = await on.push(turn_id, seq, events)
            except Problem as problem:
                seq = problem.extra["next"]
                continue
            won |= {seq + n: f"{name}{seq + n};" for n in range(size)}
            seq = answer.next
        return won

    async def race(number: int) -> None:
        turn_id = f"race-{number}"
        await turns.create(turn_id=turn_id)
        one, two = await asyncio.gather(produce(turns, turn_id, "a"), produce(second, turn_id, "b"))
        assert not one.keys() & two.keys()
        won = one | two
        assert shown(await stored(turns, turn_id)) == "".join(won[n] for n in sorted(won))
        assert await differences(turns, turn_id) == []

    for first in range(0, 500, 25):
        await asyncio.gather(*(race(first + n) for n in range(25)))


async def test_a_write_that_fails_is_forgotten(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    push = turns.log.push
    fails = iter([False, True] * 100)

    async def failing(given: Any) -> bool:
        if next(fails):
            raise StoreBusyError
        return await push(given)

    monkeypatch.setattr(turns.log, "push", failing)
    for seq, event in enumerate(ANSWER, 1):
        while True:
            try:
                await turns.push("t", seq, [event])
                break
            except StoreError:
                assert (await turns.reader.row(key("t"))).next == seq
    assert await stored(turns, "t") == expected
    assert await differences(turns, "t") == []


async def test_a_producer_that_is_cancelled_loses_nothing(turns: StoredTurns) -> None:
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    chance = random.Random(3)  # noqa: S311
    seq = 1
    while seq <= len(ANSWER):
        pushing = asyncio.create_task(turns.push("t", seq, ANSWER[seq - 1 : seq]))
        for _ in range(chance.randint(0, 4)):
            await asyncio.sleep(0)
        pushing.cancel()
        await asyncio.gather(pushing, return_exceptions=True)
        seq = (await turns.push("t", seq, ANSWER[seq - 1 : seq])).next
    assert await stored(turns, "t") == expected


# -- retry ------------------------------------------------------------------------------------


async def test_the_first_answer_of_user_citations_alone_is_asked_for_again(
    turns: StoredTurns,
) -> None:
    await turns.create(turn_id="t")
    first = [part("mine", origin="user"), part(), *deltas(cite("user_text_01")), END]
    answer = await turns.push("t", 1, first)
    assert (answer.status, answer.next) == ("retry_required", 5)
    assert await turns.push("t", 1, first) == answer
    assert await stored(turns, "t") == []
    assert (await answer_of(turns, "t"))["status"] == "open"
    assert await turns.reader.raw(key("t")) == ""
    assert (await turns.push("t", 5, deltas("Fact", cite("tool_data_01")))).status == "open"
    assert (await turns.push("t", 1, first)).status == "retry_required"
    assert (await turns.push("t", 7, [END])).status == "completed"
    answer_json = await answer_of(turns, "t")
    assert answer_json["text"] == "Fact"
    assert [one["data_part_id"] for one in answer_json["citations"]] == ["tool_data_01"]
    assert await turns.reader.raw(key("t")) == "Fact" + cite("tool_data_01")
    assert await differences(turns, "t") == []


async def test_the_second_closes_the_turn(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    again = [*deltas(cite("user_data_01")), END]
    assert (await turns.push("t", 1, again)).status == "retry_required"
    other = turns_on(turns.log)
    assert (await other.push("t", 3, again)).status == "retry_required"
    assert (await other.push("t", 3, again)).status == "retry_required"
    assert (await refused(other.push("t", 5, again))).type.slug == "turn-ended"
    rows = await stored(turns, "t")
    assert [row.type for _, row in rows] == ["citations_summary", "artifact"]
    closing = json.loads(rows[-1][1].data)
    assert (closing["status"], closing["artifact"]) == ("retry_required", {"parts": []})
    assert len(closing["dropped"]) == 1
    assert await differences(turns, "t") == []


async def test_an_answer_brought_again_in_the_same_push(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    events = [part(), *deltas(cite("user_data_01")), END, *deltas("x", cite("tool_data_01")), END]
    assert (await turns.push("t", 1, events)).status == "completed"
    assert len((await answer_of(turns, "t"))["citations"]) == 1
    assert await differences(turns, "t") == []


# -- time -------------------------------------------------------------------------------------


async def test_a_turn_without_input_ends_and_keeps_what_was_accepted(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.create(turn_id="lively")
    await turns.push("t", 1, deltas("Half an ans", "\ue200cite"))
    seconds = iter([0.0, 300.0])
    watch = IdleWatch(300.0, 300.0, lambda: next(seconds))
    await end_idle(turns, watch)
    watch.advance(accepting=True)
    await turns.push("lively", 1, deltas("a"))
    following = asyncio.create_task(followed(turns, "t"))
    await end_idle(turns, watch)
    answer = await answer_of(turns, "t")
    assert (answer["status"], answer["reason"]) == ("interrupted", "timeout")
    assert answer["text"] == "Half an ans\ue200cite"
    assert await following == await stored(turns, "t")
    assert (await answer_of(turns, "lively"))["status"] == "open"
    assert (await refused(turns.push("t", 3, deltas("wer")))).type.slug == "turn-ended"
    assert await differences(turns, "t") == []


async def test_input_that_comes_in_time_elsewhere_keeps_a_turn_running(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    other = turns_on(turns.log)
    await other.push("t", 1, deltas("a"))
    assert not await turns.end_idle(key("t"), 1)
    turns.live.drop(key("t"))
    assert not await turns.end_idle(key("t"), 1)
    assert (await turns.reader.row(key("t"))).ended is None


async def test_a_clock_that_goes_back_changes_no_order(turns: StoredTurns) -> None:
    expected = await undisturbed(turns)
    await turns.create(turn_id="t")
    for seq, event in enumerate(ANSWER, 1):
        turns.clock.now += 3600 if seq % 2 else -7200  # type: ignore[attr-defined]
        await turns.push("t", seq, [event])
    assert await stored(turns, "t") == expected


# -- snapshots --------------------------------------------------------------------------------


async def test_restored_at_any_push_the_events_are_the_same(turns: StoredTurns) -> None:
    expected = await undisturbed(turns)
    assert await differences(turns, "undisturbed") == []
    for cut in range(1, len(ANSWER)):
        turn_id = f"cut-{cut}"
        await turns.create(turn_id=turn_id)
        await turns.push(turn_id, 1, ANSWER[:cut])
        other = turns_on(turns.log)
        await other.push(turn_id, cut + 1, ANSWER[cut:])
        assert await stored(other, turn_id) == expected
    await turns.create(turn_id="each")
    for seq, event in enumerate(ANSWER, 1):
        await turns_on(turns.log).push("each", seq, [event])
    assert await stored(turns, "each") == expected


async def test_the_state_is_small_however_long_the_turn(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    sizes = []
    seq = 1
    for n in range(200):
        events = [
            part(f"data {n}"),
            *deltas(f"Sentence {n}, ", cite(f"tool_data_{n + 1:02d}"), "."),
        ]
        seq = (await turns.push("t", seq, events)).next
        sizes.append(len((await turns.reader.row(key("t"))).state))
    assert max(sizes) < 1024
    await turns.push("t", seq, deltas(*["\ue200cite x"] * 300))
    assert len((await turns.reader.row(key("t"))).state) <= 4096


# -- read -------------------------------------------------------------------------------------


async def test_a_running_turn_shows_how_far_it_has_come(turns: StoredTurns) -> None:
    await turns.create(turn_id="t", session_id="s")
    await turns.push("t", 1, [part(), *deltas("Fact", cite("tool_data_01"), " and ", cite("x"))])
    answer = await answer_of(turns, "t")
    assert (answer["status"], answer["reason"], answer["ended"]) == ("open", None, None)
    assert (answer["id"], answer["session_id"], answer["next"]) == ("t", "s", 6)
    assert answer["text"] == "Fact and "
    assert [one["data_part_id"] for one in answer["citations"]] == ["tool_data_01"]
    assert answer["dropped"] == []


async def test_an_ended_turn_is_what_its_last_event_says(turns: StoredTurns) -> None:
    rows = await undisturbed(turns, "t")
    answer = await answer_of(turns, "t")
    closing = json.loads(rows[-1][1].data)
    assert shown(rows) == answer["text"] == closing["artifact"]["parts"][0]["text"]
    assert {name: answer[name] for name in ("artifact", "dropped", "invalid_markers")} == {
        name: closing[name] for name in ("artifact", "dropped", "invalid_markers")
    }


async def test_the_raw_text_is_what_the_model_wrote(turns: StoredTurns) -> None:
    await undisturbed(turns, "t")
    raw = "".join(getattr(event, "text", "") for event in ANSWER)
    whole = raw.encode("utf-16", "surrogatepass").decode("utf-16")
    assert await turns.reader.raw(key("t")) == whole
    await turns.create(turn_id="half")
    await turns.push("half", 1, deltas("a\ud83d", "b\x00"))
    assert await turns.reader.raw(key("half")) == "a\ufffdb\x00"


async def test_a_big_part_is_fetched_when_it_is_cited(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    big, uncited = {"value": "x" * 256 * 1024}, "nobody asked"
    events = [part(big), part(uncited), part("small"), part("u", origin="user")]
    text = deltas("A", cite("tool_data_01"), cite("tool_data_03"), cite("user_text_01"))
    await turns.push("t", 1, [*events, *text, END])
    passed = (await answer_of(turns, "t"))["artifact"]["parts"][1:]
    metadata = {"dataPartId": "tool_data_01", "toolName": "search"}
    assert passed[0] == {"href": "/v1/turns/t/parts/tool_data_01", "metadata": metadata}
    assert passed[1]["data"] == {"value": "small"}
    assert json.loads(await turns.reader.part(key("t"), "tool_data_01")) == {
        "data": big,
        "metadata": metadata,
    }
    for part_id in ("tool_data_02", "user_text_01", "tool_data_09"):
        assert STATUSES[(await refused(turns.reader.part(key("t"), part_id))).type] == 404


# -- memory -----------------------------------------------------------------------------------


async def test_only_so_many_turns_and_bytes_stay_in_memory(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_TURNS", 5)
    for n in range(20):
        await turns.create(turn_id=f"t{n}")
        await turns.push(f"t{n}", 1, deltas("some text"))
    assert len(turns.live._entries) <= 5
    monkeypatch.setattr(live, "MAX_BYTES", 1000)
    for n in range(20):
        await turns.push(f"t{n}", 2, [part("x" * 400), *deltas("y")])
        sizes = [entry.size for entry in turns.live._entries.values()]
        assert turns.live._bytes == sum(sizes) <= 1000
    for n in range(20):
        await turns.push(f"t{n}", 4, [END])
        assert await differences(turns, f"t{n}") == []
    assert turns.live._entries == {}
    assert turns.live._bytes == 0


# -- failpoints -------------------------------------------------------------------------------


async def test_a_life_passes_every_failpoint(tmp_path: Path) -> None:
    passed: list[str] = []
    async with opened(tmp_path / "life", failpoint=passed.append) as turns:
        await turns.create(turn_id="t", key="key")
        await turns.push("t", 1, ANSWER)
        await followed(turns, "t")
        turns.clock.now = 9000.0  # type: ignore[attr-defined]
        await trim(turns, 1000.0)
        await turns.delete("t")
    assert set(passed) == set(FAILPOINTS)
    order = ["push-received", "end-written", "in-transaction", "committed", "end-committed"]
    places = [passed.index(name) for name in order[:1]]
    rest = passed[places[0] :]
    assert [name for name in rest if name in order][: len(order)] == order


async def test_an_end_without_reason_is_complete(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, [*deltas("x"), EndInput("length")])
    answer = await answer_of(turns, "t")
    assert (answer["status"], answer["reason"]) == ("completed", "length")
