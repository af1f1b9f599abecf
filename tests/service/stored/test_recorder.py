import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.stored_turns import ANSWER, END, cite, deltas, part

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service import totals
from citestream.service.offload import LOOP_COST
from citestream.service.problems import Problem
from citestream.service.stored.recorder import (
    Recorder,
    Rows,
    Totals,
    is_carried,
    record,
    recorded_event,
    same_event,
)
from citestream.stores.port import PartRow, TurnRow, TurnSnapshot
from citestream.turns import CustomInput, DeltaInput, EndInput, InputEvent, ResultsInput, StartInput

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
PAGE = {"title": "A", "url": "https://example.org/", "snippet": "s"}
EVENTS = st.one_of(
    st.builds(DeltaInput, st.text(st.characters(codec=None, exclude_categories=()), max_size=8)),
    st.builds(part, JSON, st.none() | st.just("an-id"), title=st.none() | st.text(max_size=4)),
    st.builds(CustomInput, st.text(max_size=4), JSON),
    st.builds(EndInput, st.sampled_from(["complete", "length", "failed"])),
    st.just(StartInput(EngineOptions("drop"), frozenset({"offsets", "source"}))),
)


def begun(**options: Any) -> Recorder:
    return Recorder.begin("t", EngineOptions(**options), [])


def kept(recorded: Recorder, *rows: Rows, carried: Sequence[PartRow] = ()) -> TurnSnapshot:
    """What a store would give back."""
    row = TurnRow("", "t", None, 1, 0, 0, None, "open", None, 2, 0, recorded.state(), b"{}")
    named: list[bytes] = []
    for one in rows:
        named = [*([] if one.reset else named), *one.named]
    return TurnSnapshot(
        row,
        [event.data for one in rows for event in one.events if event.type == "delta"],
        [made for one in rows for made in one.parts],
        named,
        [made for one in rows for made in one.results],
        list(carried),
    )


def accepted(recorded: Recorder, events: Sequence[InputEvent], **options: Any) -> Rows:
    assign = options.pop("assign", IdCounter().assign)
    return recorded.fold(recorded.admit(events, assign, **options))


@given(EVENTS)
def test_an_event_comes_back_as_it_was_recorded(event: InputEvent) -> None:
    row = record(event.as_json())
    assert b"\n" not in row
    assert recorded_event(row) == event
    assert same_event(row, event)


@given(EVENTS, EVENTS)
def test_two_events_are_the_same_when_their_json_is(one: InputEvent, other: InputEvent) -> None:
    alike = json.dumps(one.as_json(), sort_keys=True) == json.dumps(other.as_json(), sort_keys=True)
    row = record(one.as_json())
    if not (one.type == "part" and getattr(other, "id", "") is None):
        assert same_event(row, other) == alike


def test_an_id_left_open_may_be_any() -> None:
    row = record(part({"b": 1, "a": 2}, "tool_data_01").as_json())
    assert same_event(row, part({"a": 2, "b": 1}))
    assert not same_event(row, part({"a": 2, "b": 1}, "tool_data_02"))
    assert not same_event(row, part({"a": 2, "b": 2}))


def test_ids_are_resolved_before_they_are_recorded() -> None:
    recorded, ids = begun(), IdCounter({"tool_data_": 1})
    given = [part(), part("x", "given"), part("y", "tool_data_04"), part(), part()]
    rows = accepted(recorded, given, assign=ids.assign)
    assert [json.loads(row)["id"] for row in rows.inputs] == [
        "tool_data_02",
        "given",
        "tool_data_04",
        "tool_data_03",
        "tool_data_05",
    ]


def test_a_part_given_again_leaves_an_input_and_no_row() -> None:
    recorded = begun()
    rows = accepted(recorded, [part("x", "p"), part("x", "p")])
    assert (len(rows.inputs), len(rows.parts), len(rows.assigned)) == (2, 1, 2)


@pytest.mark.parametrize("options", [{}, {"invalid_markers": "drop", "whitespace": "tidy"}])
@pytest.mark.parametrize("cut", range(1, len(ANSWER)))
def test_a_restored_turn_goes_on_as_if_nothing_had_been(options: Any, cut: int) -> None:
    whole = accepted(begun(**options), ANSWER)
    ids = IdCounter()
    first = begun(**options)
    before = accepted(first, ANSWER[:cut], assign=ids.assign)
    restored = Recorder.restore(kept(first, before))
    assert restored.state() == first.state()
    assert restored.size == first.size
    after = accepted(restored, ANSWER[cut:], assign=ids.assign)
    assert before.events + after.events == whole.events
    assert before.named + after.named == whole.named
    assert before.parts + after.parts == whole.parts
    assert before.inputs + after.inputs == whole.inputs


def test_an_answer_begun_anew_is_restored_without_the_first() -> None:
    first = begun()
    before = accepted(first, [*deltas(cite("user_data_01")), END])
    assert (before.status, before.reset, before.events, before.named) == (
        "retry_required",
        True,
        [],
        [],
    )
    restored = Recorder.restore(kept(first, before))
    again = [*deltas("x", cite("nobody")), END]
    after = accepted(restored, again)
    assert after.events == accepted(first, again).events
    assert after.status == "completed"


def test_what_is_refused_names_its_place_in_the_push() -> None:
    with pytest.raises(Problem) as caught:
        accepted(begun(), [*deltas("a"), StartInput()], first=7)
    assert caught.value.detail.startswith("events[8].type")
    with pytest.raises(Problem) as caught:
        accepted(begun(), [*deltas("a"), END, *deltas("b")], first=7)
    assert caught.value.detail.startswith("events[9].type")


@pytest.mark.parametrize(
    "refused",
    [
        [StartInput()],
        [part("other", "p")],
        [part("x", "q"), part("y", "q")],
        [part("x", "/no id")],
        [part(1)] * 2001,
    ],
)
def test_what_is_refused_changes_nothing(refused: list[InputEvent]) -> None:
    recorded, plain = begun(), begun()
    for one in (recorded, plain):
        accepted(one, [part("x", "p"), *deltas(f"a{cite('p', 'q.r')}. b")])
    before = recorded.state()
    with pytest.raises(Problem):
        accepted(recorded, [*deltas("more"), ResultsInput("search_web", (PAGE,)), *refused])
    assert recorded.state() == before
    more = [*deltas(f"c{cite('q.r')}"), part("x", "q.r"), END]
    assert accepted(recorded, more) == accepted(plain, more)


def test_the_state_does_not_grow_with_results() -> None:
    recorded = begun()
    empty = len(recorded.state())
    for number in range(100):
        page = {"title": "T" * 50, "url": f"https://example.org/{number}", "snippet": "s"}
        rows = accepted(recorded, [ResultsInput("search_web", (page,))])
        assert len(rows.results) == 1
    assert len(recorded.state()) <= 2 * empty


@pytest.mark.parametrize(
    ("limit", "events"),
    [
        ("MAX_TEXT", deltas("ab", "\u00e9", "\ud83d")),
        ("MAX_DELTAS", deltas(*["x"] * 7)),
        ("MAX_PARTS_SIZE", [part("abc"), part(12)]),
    ],
)
def test_a_turn_holds_so_much(
    limit: str, events: list[InputEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, limit, 7)
    recorded = begun()
    rows = accepted(recorded, events)
    restored = Recorder.restore(kept(recorded, rows))
    more = [part(1)] if limit == "MAX_PARTS_SIZE" else deltas("x")
    for turn in (recorded, restored):
        with pytest.raises(Problem, match="at most 7"):
            accepted(turn, more)


def test_totals_count_bytes() -> None:
    totals = Totals()
    for event in (*deltas("\u00e9", "abc"), part({"a": "\u00e9"})):
        totals.admit(event)
    assert totals == Totals(text=5, deltas=2, parts=len('{"a":"é"}'.encode()))
    assert replace(totals) == totals


def test_a_carried_part_is_stored_with_the_turn_when_it_is_cited() -> None:
    before = accepted(begun(), [part({"n": 1}, "old"), part("mine", "mine", origin="user")])
    carried = before.parts
    events = [*deltas(cite("old", "/n"), "x", cite("mine"), cite("x.y"), " "), part("new"), END]
    whole = accepted(Recorder.begin("t", EngineOptions(), [], carried), events)
    assert [(row.id, is_carried(row)) for row in whole.parts] == [
        ("old", True),
        ("tool_data_01", False),
    ]
    assert whole.parts[0].data == carried[0].data
    closing = json.loads(whole.events[-1].data)
    assert [one["metadata"]["dataPartId"] for one in closing["artifact"]["parts"][1:]] == ["old"]
    assert [one["reason"] for one in closing["dropped"]] == ["user_origin", "unknown_part"]
    for cut in range(1, len(events)):
        first = Recorder.begin("t", EngineOptions(), [], carried)
        head = accepted(first, events[:cut])
        # The turn that the part is of may have been removed by then.
        left = [row for row in carried if row.id not in {one.id for one in head.parts}]
        again = Recorder.restore(kept(first, head, carried=left))
        assert again.state() == first.state()
        rest = accepted(again, events[cut:])
        assert head.events + rest.events == whole.events
        assert head.parts + rest.parts == whole.parts


def test_small_pushes_are_cheap_and_what_closes_a_long_answer_is_not() -> None:
    recorder = begun()
    assert recorder.cost(deltas("A few words")) < LOOP_COST
    assert recorder.cost([part({"rows": [1, 2, 3]}), END]) < LOOP_COST
    assert recorder.cost(deltas(*["x"] * 10_000)) > LOOP_COST
    assert recorder.cost([part(["x" * 2_000_000])]) > LOOP_COST
    assert recorder.cost([part([[]] * 200_000)]) > LOOP_COST
    accepted(recorder, deltas("x" * 500_000))
    assert recorder.cost([END]) > LOOP_COST
    assert recorder.cost(deltas("A few words")) < LOOP_COST


def test_deltas_that_may_settle_many_excerpts_are_not_cheap() -> None:
    recorder = Recorder.begin("t", EngineOptions(), ["excerpt"])
    accepted(recorder, [part("x", "p"), *deltas("text")])
    assert recorder.cost(deltas("more")) < LOOP_COST
    accepted(recorder, deltas(cite("p"), cite("p")))
    assert recorder.cost(deltas(".")) > LOOP_COST
    accepted(recorder, deltas(". And"))
    assert recorder.cost(deltas("more")) < LOOP_COST
