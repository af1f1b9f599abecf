"""What the end of a turn makes of it: sources resolved or dropped, status, fields asked for."""

from typing import Any

import pytest
from tests.chunking import every_cut
from tests.citations.markers import DELIM, HEAD, START, STOP, marker
from tests.turns.turning import PART_A, PART_B, A, B, Json, accepted, answered, cited, delta

from citestream.citations import EngineOptions
from citestream.turns import ArtifactEvent, DeltaInput, EndInput, EndReason, PartInput, Turn

# -- resolving ----------------------------------------------------------------------------------


def test_cited_parts_follow_the_text_each_once_and_uncited_ones_are_withheld() -> None:
    uncited = PartInput("t", 0, "uncited")
    answer = answered(f"x{B}{A}{B} y{marker('b')}", PART_A, uncited, PART_B)
    assert [part.id for part in answer.cited_parts] == ["b", "a"]
    assert [part["metadata"].get("dataPartId") for part in answer.artifact()["parts"]] == [
        None,
        "b",
        "a",
    ]
    assert answer.artifact()["parts"][0]["metadata"]["citations"] == [
        cited("b", 1, "/x"),
        cited("a", 1),
        cited("b", 1, "/x"),
        cited("b", 3),
    ]


@pytest.mark.parametrize("locator", ["/absent", "L99", "L2-L1", "Paragraph 21", "/x/~2"])
def test_a_locator_that_does_not_resolve_is_kept(locator: str) -> None:
    answer = answered(marker("b", locator), PART_B)
    assert [one.as_json() for one in answer.citations] == [cited("b", 0, locator)]
    assert answer.dropped == ()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("absent", "unknown_part"),
        ("A", "unknown_part"),
        ("aa", "unknown_part"),
        ("users", "user_origin"),
        ("user_data_01", "user_origin"),
        ("user_text_77", "user_origin"),
        ("user_data_by_tool", "user_origin"),
        ("user_text_", "user_origin"),
        ("User_text_1", "unknown_part"),
    ],
)
def test_what_is_no_source_is_dropped_in_place(source: str, reason: str) -> None:
    answer = answered(
        f"x{marker(source, '/y', 'a')}. z",
        PART_A,
        PartInput("t", 1, "users", "user"),
        PartInput("t", 1, "user_data_01", "user"),
        PartInput("t", 1, "user_data_by_tool"),
    )
    assert answer.text == "x. z"
    assert [one.as_json() for one in answer.citations] == [cited("a", 2)]
    assert [one.as_json() for one in answer.dropped] == [
        {**cited(source, 2, "/y"), "reason": reason}
    ]
    assert [part.id for part in answer.cited_parts] == ["a"]


def test_a_late_part_of_the_users_is_no_source() -> None:
    turn = Turn()
    turn.feed(f"x{A}y")
    turn.register(tool_name="t", data=1, id="a", origin="user")
    assert [event.type for event in turn.finish()] == ["citations_summary", "artifact"]
    assert [one.reason for one in turn.answer().dropped] == ["user_origin"]


def test_while_a_turn_runs_an_unknown_part_may_still_come() -> None:
    turn = Turn(parts=[PART_A])
    assert turn.status == "open"
    turn.feed(f"x{A}{B}{marker('user_data_01')} y{HEAD}")
    answer = turn.answer()
    assert (answer.status, answer.reason, answer.text) == ("open", None, "x y")
    assert [one.as_json() for one in answer.citations] == [cited("a", 1)]
    assert [one.as_json() for one in answer.dropped] == [
        {**cited("user_data_01", 1), "reason": "user_origin"}
    ]
    turn.finish()
    assert [one.reason for one in turn.answer().dropped] == ["unknown_part", "user_origin"]


@pytest.mark.parametrize("source", ["a", "absent", "user_data_01"])
def test_a_turn_names_at_most_2000_sources(source: str) -> None:
    for count in (1999, 2000, 2001):
        text = marker(*[source] * 30) * (count // 30) + marker(source) * (count % 30)
        answer = answered(f"x{text} y{A}", PART_A)
        assert answer.text == "x y"
        over = [one.as_json() for one in answer.dropped if one.reason == "limit"]
        expected = [{**cited(source, 1), "reason": "limit"}] * (count - 2000)
        if count >= 2000:
            expected.append({**cited("a", 3), "reason": "limit"})
        assert over == expected
        assert len(answer.citations) + len(answer.dropped) == count + 1


def test_an_entry_over_the_limit_is_not_told_when_its_part_comes() -> None:
    turn = Turn()
    turn.feed(marker("absent") * 2000 + f"{A}x")
    assert turn.register(tool_name="t", data=1, id="a") == "a"
    assert [event.type for event in turn.finish()] == ["citations_summary", "artifact"]


# -- how a turn ends ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("complete", "completed"),
        ("length", "completed"),
        ("stopped", "interrupted"),
        ("failed", "interrupted"),
        ("timeout", "interrupted"),
    ],
)
@pytest.mark.parametrize("text", ["x", "", f"x{A}", HEAD])
def test_the_reason_of_an_end_gives_the_status(reason: EndReason, status: str, text: str) -> None:
    answer = answered(text, PART_A, reason=reason)
    assert (answer.status, answer.reason) == (status, reason)
    turn = Turn(parts=[PART_A])
    assert accepted(turn, DeltaInput(text), EndInput(reason))[1][-1] == {
        "type": "artifact",
        **answer.closing_json(),
    }
    assert turn.status == status


USERS = marker("user_data_01")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (USERS, "retry_required"),
        (USERS * 3, "retry_required"),
        (marker("users"), "retry_required"),
        (marker("users", "/x", "user_text_77"), "retry_required"),
        (USERS * 2001, "retry_required"),
        (USERS * 2000 + marker("users"), "retry_required"),
        ("", "completed"),
        (marker("absent"), "completed"),
        (USERS + marker("absent"), "retry_required"),
        (USERS + A, "completed"),
        (USERS * 2000 + A, "retry_required"),
        (USERS + " \u3000\r\n", "retry_required"),
        (USERS + "\u200b", "completed"),  # no white space (Unicode White_Space)
        ("x" + USERS, "completed"),
        (USERS + START, "completed"),
    ],
)
def test_an_answer_of_nothing_but_the_users_own_is_asked_for_again(text: str, status: str) -> None:
    answer = answered(text, PART_A, PartInput("t", 1, "users", "user"))
    assert answer.status == status
    assert answer.reason == "complete"
    if status == "retry_required":
        assert answer.artifact() == {"parts": []}


def test_a_user_part_that_comes_late_counts_too() -> None:
    turn = Turn()
    turn.feed(A)
    turn.register(tool_name="t", data=1, id="a", origin="user")
    turn.finish("length")
    assert (turn.status, turn.answer().reason) == ("retry_required", "length")


def test_a_turn_that_is_reset_forgets_the_answer_and_keeps_the_white_space() -> None:
    turn = Turn(options=EngineOptions("drop"), include=["offsets"], parts=[PART_A])
    first = accepted(turn, DeltaInput(f"{USERS}{START} \u2003"), EndInput("length"))
    assert first[0] == [delta(" \u2003")]
    assert [event["type"] for event in first[1]] == ["citations_summary", "artifact"]
    assert (turn.status, turn.answer().text) == ("retry_required", " \u2003")
    turn.reset()
    assert (turn.status, turn.reason) == ("open", None)
    answer = turn.answer()
    assert (answer.text, answer.citations, answer.dropped) == (" \u2003", (), ())
    assert (answer.status, answer.reason, answer.invalid_markers) == ("open", None, 0)
    again = accepted(turn, DeltaInput(f"\U0001f600{A}{STOP}. "), EndInput())
    offsets = {"offsets": {"rune": 4, "utf16": 5, "utf8": 9}}
    assert again[0] == [
        delta("\U0001f600. "),
        {"type": "citation", "citation": {**cited("a", 4), **offsets}},
    ]
    assert (turn.status, turn.reason) == ("completed", "complete")
    assert turn.answer().text == " \u2003\U0001f600. "


def test_what_waited_in_a_forgotten_answer_is_forgotten() -> None:
    turn = Turn()
    turn.feed(A + USERS)
    turn.finish()
    turn.reset()
    turn.feed(f"x{B} y")
    turn.register(tool_name="t", data=1, id="a")
    assert [event.as_json() for event in turn.accept(PART_B)] == [
        {"type": "citation", "citation": cited("b", 1, "/x")}
    ]


@pytest.mark.parametrize("reason", ["stopped", "failed", "timeout"])
def test_what_was_ended_from_outside_is_not_asked_for_again(reason: EndReason) -> None:
    assert answered(USERS, reason=reason).status == "interrupted"


def test_the_answer_of_an_ended_turn_is_computed_once() -> None:
    turn = Turn(parts=[PART_A])
    turn.feed(f"x{A}")
    assert turn.answer() is not turn.answer()
    closing = turn.finish()[-1]
    assert isinstance(closing, ArtifactEvent)
    assert closing.answer is turn.answer()


def test_signs_that_stay_visible_are_counted() -> None:
    text = f"a{STOP}b{DELIM}{A}{START}{START}c"
    for deltas in every_cut(text):
        turn = Turn(include=["diagnostics"], parts=[PART_A])
        for piece in deltas:
            turn.feed(piece)
        turn.finish()
        diagnostics = turn.answer().diagnostics
        assert diagnostics
        assert diagnostics.stray_signs == 4


def test_a_big_part_is_an_address_in_the_artifact_of_a_turn_that_has_them() -> None:
    for href, key in ((None, "data"), ("/parts/", "href")):
        turn = Turn(parts=[PartInput("t", "x" * 256 * 1024, "a")], part_href=href)
        turn.feed(A)
        turn.finish()
        assert set(turn.answer().artifact()["parts"][1]) == {key, "metadata"}


def test_dropped_signs_leave_no_text() -> None:
    dropping = EngineOptions("drop", "tidy")
    assert answered(USERS + START + STOP, options=dropping).status == "retry_required"


# -- what may be asked for on top -----------------------------------------------------------------

FIELDS: dict[str, Json] = {
    "excerpt": {"resolution": "resolved", "excerpt": {"text": "2", "truncated": False}},
    "offsets": {"offsets": {"rune": 2, "utf16": 3, "utf8": 5}},
    "source": {"source": {"tool_name": "lookup", "title": None, "url": None}},
    "diagnostics": {},
}


@pytest.mark.parametrize(
    "include", [(), *[(name,) for name in FIELDS], ("excerpt", "source"), tuple(FIELDS)]
)
def test_included_fields_come_alone_and_together(include: tuple[Any, ...]) -> None:
    turn = Turn(include=include, parts=[PART_B])
    events = [event.as_json() for event in turn.feed(f"\U0001f600{B}.{START}x")]
    events += [event.as_json() for event in turn.finish()]
    expected = cited("b", 2, "/x")
    for name in include:
        expected |= FIELDS[name]
    assert [event["citation"] for event in events if event["type"] == "citation"] == [expected]
    assert events[-2]["citations"] == [expected]
    assert events[-1]["artifact"]["parts"][0]["metadata"]["citations"] == [expected]
    diagnostics = {"invalid_marker_offsets": [2], "replaced_signs": 0, "stray_signs": 1}
    assert events[-1].get("diagnostics") == (diagnostics if "diagnostics" in include else None)
    assert turn.answer().as_json().get("diagnostics") == events[-1].get("diagnostics")


@pytest.mark.parametrize("whitespace", ["keep", "tidy"])
def test_offsets_in_three_units_agree_with_the_encoded_text(whitespace: Any) -> None:
    text = (
        f"{A}\U0001f600 2{A}.5 \u00e9{A}\u2019\u00e9 {A}{B} \u4e2d{A}\u3002 x {A}"
        f"\U0001d7d9{A}.\U0001d7d9{A}.{A}) \ud83d\ude00{A}."
    )
    for deltas in every_cut(text):
        turn = Turn(
            options=EngineOptions("keep", whitespace),
            include=["offsets"],
            parts=[PART_A, PART_B],
        )
        for piece in deltas:
            turn.feed(piece)
        turn.finish()
        clean = turn.answer().text
        assert len(turn.answer().citations) == 11
        for one in turn.answer().citations:
            before = clean[: one.offset]
            assert one.as_json()["offsets"] == {
                "rune": one.offset,
                "utf16": len(before.encode("utf-16-le")) // 2,
                "utf8": len(before.encode()),
            }


@pytest.mark.parametrize(("sign", "digit"), [(".", "5"), ("\u2019", "\U0001d7d9"), ("\uff0c", "5")])
def test_an_offset_may_lie_one_character_before_the_delta_that_settles_it(
    sign: str, digit: str
) -> None:
    turn = Turn(include=["offsets"], parts=[PART_A])
    for text in ("\U0001f600 2", A, sign):
        assert not any(event.type == "citation" for event in turn.feed(text))
    text, citation = (event.as_json() for event in turn.feed(digit))
    assert text == delta(digit)
    assert citation["citation"]["offsets"] == {"rune": 3, "utf16": 4, "utf8": 6}


def test_a_late_part_has_the_offsets_of_its_marker() -> None:
    turn = Turn(include=["offsets"])
    turn.feed(f"\U0001f600{A} more")
    turn.feed(" text")
    (told_late,) = turn.accept(PART_A)
    assert told_late.as_json()["citation"] == {
        **cited("a", 1),
        "offsets": {"rune": 1, "utf16": 2, "utf8": 4},
    }
