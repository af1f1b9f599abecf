"""What a turn keeps of a claim: its ends in all units, what is compared, and its row."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream import Include, PartInput, Turn
from citestream.turns import Offsets
from citestream.turns.claiming import Covered

PARTS = [PartInput("t", {"value": "30 days of “early iron” in 1999"}, "a")]
RAW = "😀 One. It took 30 days\ue200cite\ue202a\ue201. In 2001 “late”\ue200cite\ue202a\ue201 ended"


def answer(include: list[Include], *, raw: str = RAW) -> dict[str, Any]:
    turn = Turn(include=include, parts=PARTS)
    for character in raw:
        turn.feed(character)
        turn = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    turn.finish()
    return turn.answer().as_json()


def test_nothing_is_added_that_was_not_asked_for() -> None:
    shown = answer([])
    assert "unsupported" not in shown
    assert all({"claim", "check"}.isdisjoint(one) for one in shown["citations"])


def test_a_claim_alone() -> None:
    first, second = answer(["claim"])["citations"]
    assert first["claim"] == {"start": 7, "end": 23}
    assert second["claim"] == {"start": 24, "end": 38}
    assert "check" not in first


def test_a_check_alone() -> None:
    shown = answer(["check"])
    first, second = shown["citations"]
    assert first["check"] == {"found": ["30"], "missing": []}
    assert second["check"] == {"found": [], "missing": ["2001", "late"]}
    assert "claim" not in first
    assert shown["unsupported"] == 1


def test_all_units() -> None:
    first, _ = answer(["claim", "offsets"])["citations"]
    assert first["claim"]["offsets"] == {
        "start": {"rune": 7, "utf16": 8, "utf8": 10},
        "end": {"rune": 23, "utf16": 24, "utf8": 26},
    }


def test_a_part_that_is_registered_later_is_compared_all_the_same() -> None:
    turn = Turn(include=["claim", "check"])
    turn.feed("It took 30 days\ue200cite\ue202a\ue201. ")
    turn = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    turn.register_input(PARTS[0])
    turn.finish()
    (citation,) = turn.answer().citations
    assert citation.as_json()["check"] == {"found": ["30"], "missing": []}
    assert citation.as_json()["claim"] == {"start": 0, "end": 16}


def test_claims_go_on_after_a_retry() -> None:
    turn = Turn(include=["claim", "offsets"], parts=PARTS)
    turn.feed("  \ue200cite\ue202user_text_01\ue201\n")
    turn.finish()
    assert turn.status == "retry_required"
    turn.reset()
    turn.feed("Fact\ue200cite\ue202a\ue201.")
    turn.finish()
    (citation,) = turn.answer().citations
    assert turn.answer().text == "  \nFact."
    assert citation.as_json()["claim"]["start"] == 3
    assert citation.as_json()["claim"]["offsets"]["end"]["utf8"] == 8


OFFSETS = st.builds(Offsets, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))


@given(st.builds(Covered, st.integers(0, 99), st.integers(0, 99), st.none(), st.just(("1", "x"))))
def test_a_row_without_units(covered: Covered) -> None:
    assert Covered.from_row(json.loads(json.dumps(covered.as_row()))) == covered


def test_a_row_with_units() -> None:
    covered = Covered(1, 2, (Offsets(1, 2, 3), Offsets(2, 4, 6)))
    assert Covered.from_row(json.loads(json.dumps(covered.as_row()))) == covered


@pytest.mark.parametrize("include", [["claim"], ["check"], ["claim", "check", "offsets"]])
def test_the_state_stays_small(include: list[Include]) -> None:
    turn = Turn(include=include, parts=PARTS)
    for _ in range(50):
        turn.feed("The limit is 450 mg in one dose of “early iron”\ue200cite\ue202a\ue201. Then ")
        turn.feed("it rose again.\n\n- A list item with a few words, which has no marker yet. ")
        assert len(json.dumps(turn.state())) < 2500
