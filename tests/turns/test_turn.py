"""The fold: what follows from each input event, in which order; parts and their ids."""

import pytest
from tests.chunking import every_cut
from tests.citations.markers import DELIM, HEAD, START, STOP, marker
from tests.turns.turning import PART_A, PART_B, A, B, Json, accepted, answered, cited, delta, told

from citestream.citations import EngineOptions
from citestream.parts import IdCounter, PartConflictError, PartError
from citestream.turns import (
    SEMANTICS,
    CustomInput,
    DeltaInput,
    EndInput,
    EndReason,
    InputEvent,
    PartInput,
    StartInput,
    Turn,
    TurnOrderError,
    TurnOverflowError,
)

# -- events and their order -------------------------------------------------------------------


def test_every_event_of_a_turn_as_it_goes_out() -> None:
    turn = Turn()
    assert accepted(
        turn,
        StartInput(),
        PART_B,
        DeltaInput(f"One {HEAD[:3]}"),
        DeltaInput(f"{HEAD[3:]}a{STOP}, two{B}."),
        CustomInput("tool", {"n": 1}),
        DeltaInput(" "),
        PART_A,
        DeltaInput(marker("c")),
        DeltaInput(f"{START}."),
        EndInput(),
    ) == [
        [],
        [],
        [delta("One ")],
        [delta(", two.")],
        [{"type": "custom", "name": "tool", "value": {"n": 1}}],
        [delta(" "), told("b", 10, "/x")],
        [told("a", 5)],
        [],
        [delta(f"{START}.")],
        [
            {
                "type": "citations_summary",
                "citations": [cited("a", 5), cited("b", 10, "/x")],
            },
            {
                "type": "artifact",
                "artifact": {
                    "parts": [
                        {
                            "text": f"One , two. {START}.",
                            "metadata": {"citations": [cited("a", 5), cited("b", 10, "/x")]},
                        },
                        {
                            "data": {"value": "one"},
                            "metadata": {"dataPartId": "a", "toolName": "search"},
                        },
                        {
                            "data": {"value": {"x": 2}},
                            "metadata": {"dataPartId": "b", "toolName": "lookup"},
                        },
                    ]
                },
                "status": "completed",
                "reason": "complete",
                "dropped": [{**cited("c", 11), "reason": "unknown_part"}],
                "invalid_markers": 1,
            },
        ],
    ]


def test_an_empty_turn_ends_with_an_empty_artifact() -> None:
    summary, artifact = (event.as_json() for event in Turn().finish())
    assert summary == {"type": "citations_summary", "citations": []}
    assert artifact == {
        "type": "artifact",
        "artifact": {"parts": []},
        "status": "completed",
        "reason": "complete",
        "dropped": [],
        "invalid_markers": 0,
    }


def test_what_is_held_back_is_counted() -> None:
    turn = Turn()
    held = []
    for text in ("a", HEAD, "b", STOP):
        turn.feed(text)
        held.append(turn.held())
    assert held == [0, len(HEAD), len(HEAD) + 1, 0]


def test_text_held_back_goes_out_before_the_citations_and_the_summary() -> None:
    turn = Turn(parts=[PART_A])
    assert accepted(turn, DeltaInput(f"x{A}"), DeltaInput(HEAD)) == [[delta("x")], []]
    types = [event.type for event in turn.finish()]
    assert types == ["delta", "citation", "citations_summary", "artifact"]


def test_one_delta_goes_out_for_each_that_yields_text() -> None:
    turn = Turn()
    text = f"ab{START}{HEAD}c\n{A}d"
    out = [accepted(turn, DeltaInput(character))[0] for character in text]
    assert [len(events) for events in out] == [1, 1, 0, 1, *[0] * 6, 1, *[0] * len(A), 1]
    assert "".join(event["text"] for events in out for event in events) == turn.answer().text


def test_what_a_reader_gets_does_not_depend_on_the_cuts() -> None:
    text = f"2{A}.5 x{marker('b', 'c', 'a')}.) {START}{A}"
    expected = answered(text, PART_A, PART_B).as_json()
    for deltas in every_cut(text):
        turn = Turn(parts=[PART_A, PART_B])
        sent, told_so_far = "", []
        for event in [output for piece in deltas for output in turn.feed(piece)]:
            shown = event.as_json()
            if shown["type"] == "delta":
                assert shown["text"]
                sent += shown["text"]
            else:
                told_so_far.append(shown["citation"])
                assert shown["citation"]["offset"] <= len(sent)
        *rest, summary, artifact = (event.as_json() for event in turn.finish())
        told_so_far += [shown["citation"] for shown in rest if shown["type"] == "citation"]
        assert turn.answer().as_json() == expected
        assert told_so_far == summary["citations"] == expected["citations"]
        assert artifact["artifact"] == turn.answer().artifact() == expected["artifact"]


def test_a_late_part_has_its_citations_told_in_text_order() -> None:
    turn = Turn()
    accepted(turn, DeltaInput(f"x{A} y{B}{A}z"))
    assert accepted(turn, PART_A, PART_A, PART_B) == [
        [told("a", 1), told("a", 3)],
        [],
        [told("b", 3, "/x")],
    ]
    assert [one.as_json() for one in turn.answer().citations] == [
        cited("a", 1),
        cited("b", 3, "/x"),
        cited("a", 3),
    ]


def test_a_part_registered_between_two_events_has_its_citations_told_with_the_next() -> None:
    for event, types in (
        (DeltaInput(f"z{A}!"), ["citation", "delta"]),
        (DeltaInput(""), ["citation"]),
        (CustomInput("n", 1), ["citation", "custom"]),
        (PART_B, ["citation"]),
        (EndInput(), ["citation", "citations_summary", "artifact"]),
    ):
        turn = Turn()
        turn.feed(f"x{A} y")
        turn.register(tool_name="search", data="one", id="a")
        out = accepted(turn, event)[0]
        assert [shown["type"] for shown in out] == types
        assert out[0] == told("a", 1)


def test_a_part_may_come_between_a_marker_and_its_offset() -> None:
    turn = Turn()
    assert accepted(turn, DeltaInput(f"x{A}"), PART_A, DeltaInput("."), DeltaInput(" ")) == [
        [delta("x")],
        [],
        [delta(".")],
        [delta(" "), told("a", 2)],
    ]


def test_a_custom_event_passes_untouched_and_waits_for_nothing() -> None:
    value = {"sign": START, "n": [None]}
    turn = Turn()
    assert accepted(turn, DeltaInput(HEAD), CustomInput(f"n{STOP}", value)) == [
        [],
        [{"type": "custom", "name": f"n{STOP}", "value": value}],
    ]


# -- order --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first", [StartInput(), PART_A, DeltaInput(""), CustomInput("n", 1)], ids=lambda one: one.type
)
def test_start_comes_first_or_not_at_all(first: InputEvent) -> None:
    turn = Turn()
    turn.accept(first)
    with pytest.raises(TurnOrderError, match=r"^type: 'start' may only be the first event"):
        turn.accept(StartInput(EngineOptions("drop"), frozenset({"source"})))
    turn.feed(f"x{STOP}")
    assert turn.answer().text == f"x{STOP}"


def test_start_comes_before_parts_and_text_that_were_given_directly() -> None:
    turn = Turn(parts=[PART_A])
    with pytest.raises(TurnOrderError):
        turn.accept(StartInput())
    turn = Turn()
    turn.feed("")
    with pytest.raises(TurnOrderError):
        turn.accept(StartInput())


def test_start_says_how_the_turn_is_treated() -> None:
    turn = Turn(options=EngineOptions("keep", "keep"), include=["source"])
    turn.accept(StartInput(EngineOptions("drop", "tidy"), frozenset({"offsets"})))
    accepted(turn, PART_A, DeltaInput(f"x{STOP} {A}."))
    assert turn.answer().text == "x."
    turn.finish()
    assert turn.answer().citations[0].as_json() == {
        **cited("a", 2),
        "offsets": {"rune": 2, "utf16": 2, "utf8": 2},
    }


@pytest.mark.parametrize("reason", ["complete", "stopped"])
@pytest.mark.parametrize(
    "event",
    [StartInput(), PART_B, DeltaInput("x"), CustomInput("n", 1), EndInput()],
    ids=lambda one: one.type,
)
def test_nothing_follows_the_end(event: InputEvent, reason: EndReason) -> None:
    turn = Turn(parts=[PART_A])
    turn.feed(f"x{A}{B}")
    turn.accept(EndInput(reason))
    before = turn.answer()
    with pytest.raises(TurnOrderError, match=r"^type: "):
        turn.accept(event)
    assert turn.answer() == before


def test_nothing_follows_the_end_when_it_is_given_directly() -> None:
    turn = Turn(parts=[PART_A])
    turn.feed(f"x{A}{B}")
    turn.finish()
    before = turn.answer()
    with pytest.raises(TurnOrderError):
        turn.feed("y")
    with pytest.raises(TurnOrderError):
        turn.register(tool_name="lookup", data=1, id="b")
    with pytest.raises(TurnOrderError):
        turn.finish("failed")
    assert turn.answer() == before
    assert issubclass(TurnOrderError, ValueError)


# -- parts --------------------------------------------------------------------------------------


def test_a_part_is_registered_under_its_id_or_the_next() -> None:
    turn = Turn()
    assert turn.register(tool_name="t", data=1) == "tool_data_01"
    assert turn.register(tool_name="t", data=1, id="tool_data_02") == "tool_data_02"
    assert turn.register(tool_name="t", data=1) == "tool_data_03"
    assert turn.register(tool_name="t", data="x", origin="user") == "user_text_01"
    assert turn.register_input(PartInput("t", {}, origin="user")) == "user_data_01"
    assert turn.register_input(PART_A) == "a"


def test_ids_go_on_from_turn_to_turn_and_parts_do_not() -> None:
    ids = IdCounter()
    first = Turn(ids=ids, parts=[PartInput("t", 1)])
    second = Turn(ids=ids)
    assert second.register(tool_name="t", data=1) == "tool_data_02"
    second.feed(marker("tool_data_01") + marker("tool_data_02"))
    second.finish()
    assert [one.data_part_id for one in second.answer().citations] == ["tool_data_02"]
    assert [one.reason for one in second.answer().dropped] == ["unknown_part"]
    assert first.register(tool_name="t", data=1) == "tool_data_03"
    assert Turn().register(tool_name="t", data=1) == "tool_data_01"


def test_all_fields_of_a_part_are_taken() -> None:
    turn = Turn(include=["source", "excerpt"])
    turn.register(tool_name="t", data={"value": "text"}, id="a", title="T", url="https://e.org")
    turn.feed(A)
    turn.finish()
    assert turn.answer().citations[0].as_json() == {
        **cited("a", 0),
        "resolution": "whole",
        "excerpt": {"text": "text", "truncated": False},
        "source": {"tool_name": "t", "title": "T", "url": "https://e.org"},
    }


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"id": "a b"}, PartError),
        ({"id": ""}, PartError),
        ({"id": "/a"}, PartError),
        ({"data": float("nan")}, PartError),
        ({"data": {1}}, PartError),
        ({"id": "known", "data": 2}, PartConflictError),
    ],
)
def test_a_part_that_is_a_mistake_is_refused(fields: Json, error: type[Exception]) -> None:
    turn = Turn()
    turn.register(tool_name="t", data=1, id="known")
    turn.feed(f"x{marker('known')} ")
    before = turn.answer()
    with pytest.raises(error):
        turn.register(**{"tool_name": "t", "data": 1, "id": "b", **fields})
    assert turn.answer() == before


def test_a_turn_holds_2000_parts() -> None:
    turn = Turn(parts=[PartInput("t", n) for n in range(1999)])
    assert turn.register(tool_name="t", data="last") == "tool_data_2000"
    with pytest.raises(TurnOverflowError, match=r"^parts: at most 2000 in a turn$"):
        turn.register(tool_name="t", data=1, id="one-more")
    with pytest.raises(TurnOverflowError):
        turn.register(tool_name="t", data=1)
    assert turn.register(tool_name="t", data="last", id="tool_data_2000") == "tool_data_2000"
    turn.feed(marker("one-more", "tool_data_2000"))
    turn.finish()
    assert [part.data for part in turn.parts()] == [*range(1999), "last"]
    assert [part.id for part in turn.answer().cited_parts] == ["tool_data_2000"]
    assert issubclass(TurnOverflowError, ValueError)


def test_data_cannot_forge_a_marker() -> None:
    turn = Turn(include=["diagnostics", "source", "excerpt"])
    turn.register(
        tool_name=f"t{A}", data={f"k{START}": A}, id="a", title=f"{START}", url=f"u{STOP}"
    )
    turn.register(tool_name="t", data=DELIM, id="b")
    turn.feed(A)
    turn.finish()
    answer = turn.answer().as_json()
    assert not set(START + DELIM + STOP) & set(str(answer))
    assert answer["diagnostics"]["replaced_signs"] == 3 + 1 + 3 + 1 + 1 + 1


def test_the_number_of_the_semantics() -> None:
    assert SEMANTICS == 1
