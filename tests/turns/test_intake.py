"""The intake: what a push registers, settled and checked while the turn stays as it is."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from citestream.parts import MAX_PARTS, PartConflictError, PartError
from citestream.turns import (
    Intake,
    PartInput,
    ResultsInput,
    SettledPart,
    SettledResults,
    Turn,
    TurnOverflowError,
)

PAGE = {"title": "Tides", "url": "https://example.org/tides"}


def counting() -> Callable[[str, Any], str]:
    numbers = itertools.count(1)
    return lambda origin, _: f"{origin}-{next(numbers)}"


def intake_of(*parts: PartInput) -> tuple[Turn, Intake]:
    turn = Turn(parts=parts)
    return turn, turn.intake(counting())


def test_a_part_gets_an_id_that_nothing_has() -> None:
    turn, intake = intake_of(PartInput("t", 1, "tool-1"))
    assert intake.admit(PartInput("t", 2, "tool-2")).parts[0].id == "tool-2"
    admitted = intake.admit(PartInput("t", 3, origin="user"))
    assert admitted.event == SettledPart("t", 3, "user-1", "user")
    assert intake.admit(PartInput("t", 4)).parts[0].id == "tool-3"
    assert [part.id for part in turn.parts()] == ["tool-1"]


def test_results_see_the_sources_of_results_before_them() -> None:
    turn, intake = intake_of()
    events = [intake.admit(ResultsInput("search_web", (PAGE,))).event for _ in range(2)]
    assert [event.numbers for event in events if isinstance(event, SettledResults)] == [(1,), (1,)]
    assert [len(event.added) for event in events if isinstance(event, SettledResults)] == [1, 0]
    assert turn.sources() == ()
    again = intake.admit(events[0])
    assert again.event is events[0]
    assert [part.id for part in again.parts] == ["tool-1"]


def test_what_is_refused() -> None:
    _, intake = intake_of(PartInput("t", 1, "a"))
    with pytest.raises(PartConflictError):
        intake.admit(PartInput("t", 2, "a"))
    intake.admit(PartInput("t", 2, "b"))
    with pytest.raises(PartConflictError):
        intake.admit(PartInput("t", 3, "b"))
    with pytest.raises(PartError):
        intake.admit(PartInput("t", 3, "no id"))


def test_a_turn_has_so_many_parts_counted_once() -> None:
    _, intake = intake_of(
        *(PartInput("t", number, f"p{number}") for number in range(MAX_PARTS - 1))
    )
    for _ in range(2):
        intake.admit(PartInput("t", 0, "p0"))
        intake.admit(PartInput("t", "last", "last"))
    with pytest.raises(TurnOverflowError, match=f"at most {MAX_PARTS}"):
        intake.admit(PartInput("t", "more", "more"))


def test_what_was_admitted_is_taken() -> None:
    turn, intake = intake_of()
    turn.feed("a\ue200cite\ue202tool-1\ue201 b")
    registration = intake.admit(PartInput("t", 1))
    assert [part.id for part in turn.new_parts(registration)] == ["tool-1"]
    assert [event.type for event in turn.take(registration)] == ["citation"]
    assert turn.new_parts(registration) == []
