"""A turn that was written down and read again goes on as if nothing had happened."""

import itertools
import json
from typing import Any

import pytest
from tests.citations.markers import HEAD, START, STOP, marker

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.turns import (
    DeltaInput,
    EndInput,
    InputEvent,
    PartInput,
    StartInput,
    Turn,
    TurnOrderError,
)

A, B = marker("a"), marker("b", "/x")
TEXT = (
    f"  2 {A}.5 \t{marker('a', 'absent', 'b', '/x y')} {B}) \ud83d\ude00{HEAD} id\ud83d"
    f"{START}cit{A}, {marker('user_data_01')} {STOP}{HEAD}a\nend {A} {B} \ud83d"
)
PARTS = [
    PartInput(
        "search", {"value": "one\r\ntwo", "\u4e2d": START}, "a", title="A", url="https://e.org"
    ),
    PartInput("lookup", {"x": [None, 1.5]}, "b"),
    PartInput("user", "text", origin="user"),
]
INCLUDE: frozenset[Any] = frozenset({"excerpt", "offsets", "source", "diagnostics"})


def reopened(turn: Turn) -> Turn:
    text = json.dumps(turn.snapshot(), ensure_ascii=False, allow_nan=False)
    return Turn.restore(json.loads(text.encode()))


def shown(turn: Turn, event: InputEvent) -> list[dict[str, Any]]:
    return [output.as_json() for output in turn.accept(event)]


def events(options: EngineOptions, include: frozenset[Any], late: int) -> list[InputEvent]:
    """A turn of one character a delta, whose parts come behind ``late`` of them."""
    deltas = [DeltaInput(character) for character in TEXT]
    return [
        StartInput(options, include),
        *deltas[:late],
        *PARTS,
        *deltas[late:],
        EndInput("length"),
    ]


@pytest.mark.parametrize(
    ("invalid", "whitespace"), list(itertools.product(("keep", "drop"), ("keep", "tidy")))
)
@pytest.mark.parametrize("include", [frozenset(), INCLUDE])
@pytest.mark.parametrize("late", [0, 60, len(TEXT)])
def test_a_turn_goes_on_from_its_snapshot_at_every_event(
    invalid: Any, whitespace: Any, include: frozenset[Any], late: int
) -> None:
    straight, other = Turn(), Turn()
    for event in events(EngineOptions(invalid, whitespace), include, late):
        assert shown(other, event) == shown(straight, event)
        other = reopened(other)
        assert other.snapshot() == straight.snapshot()
        assert (other.status, other.answer()) == (straight.status, straight.answer())


def test_citations_registered_but_not_told_are_told_and_others_are_not() -> None:
    for first, second in (("a", "b"), ("b", "a")):
        turn = Turn(parts=[PartInput("t", 1, first)])
        turn.feed(f"x{A} y{B} z{A} {B} {marker('c')} ")
        turn.register(tool_name="t", data=1, id="c")
        turn.register(tool_name="t", data=1, id=second)
        other = reopened(turn)
        assert other.snapshot() == turn.snapshot()
        told = [event.as_json() for event in turn.finish()]
        assert [event["citation"]["data_part_id"] for event in told[:-2]] == ["c", second, second]
        assert [event.as_json() for event in other.finish()] == told


def test_the_limit_of_sources_goes_on_over_a_snapshot() -> None:
    turn = Turn(parts=[PartInput("t", 1, "a")])
    turn.feed(A * 1999 + "x")
    other = reopened(turn)
    other.feed(A * 2)
    other.finish()
    assert len(other.answer().citations) == 2000
    assert [one.reason for one in other.answer().dropped] == ["limit"]
    assert reopened(other).answer() == other.answer()


def test_a_reset_and_addresses_go_on_over_a_snapshot() -> None:
    turn = Turn(parts=[PartInput("t", "x" * 256 * 1024, "a")], part_href="/parts/")
    other = reopened(turn)
    other.feed(marker("user_data_01") + "\n")
    other.finish()
    other = reopened(other)
    assert other.status == "retry_required"
    other.reset()
    other = reopened(other)
    other.feed(A)
    other.finish()
    assert other.answer().text == "\n"
    assert other.answer().artifact()["parts"][1]["href"] == "/parts/a"


def test_what_grows_is_told_from_any_number_on() -> None:
    turn = Turn(parts=[PartInput("t", 1, "a")])
    turn.feed(f"x{A}{B} y{A} z")
    rows = turn.snapshot()["named"]
    assert len(rows) == 3
    assert [turn.named_rows(first) for first in range(4)] == [rows, rows[1:], rows[2:], []]
    assert turn.state() == turn.snapshot()["state"]
    assert [part.id for part in turn.parts()] == ["a"]


def test_assigned_ids_go_on_over_a_snapshot_and_the_counter_is_its_own() -> None:
    ids = IdCounter({"tool_data_": 4})
    turn = Turn(ids=ids, parts=[PartInput("t", 1)])
    other = reopened(turn)
    assert other.register(tool_name="t", data=2) == "tool_data_06"
    assert ids.counts == {"tool_data_": 5}


@pytest.mark.parametrize(
    ("before", "refused"),
    [
        ([DeltaInput("")], StartInput()),
        ([StartInput()], StartInput()),
        ([EndInput("stopped")], DeltaInput("x")),
        ([EndInput()], EndInput()),
    ],
)
def test_order_is_kept_over_a_snapshot(before: list[InputEvent], refused: InputEvent) -> None:
    turn = Turn()
    for event in before:
        turn.accept(event)
    with pytest.raises(TurnOrderError):
        reopened(turn).accept(refused)
    reopened(Turn()).accept(StartInput())


def test_a_snapshot_shares_nothing_with_its_turn() -> None:
    turn = Turn(parts=[PARTS[0]], include=INCLUDE)
    turn.feed(f"x{A}{START}.")
    snapshot = turn.snapshot()
    before = json.dumps(snapshot)
    other = Turn.restore(snapshot)
    for one in (turn, other):
        one.register(tool_name="t", data=1)
        one.feed(f"{A}{START} y")
    assert json.dumps(snapshot) == before


def test_what_a_snapshot_holds() -> None:
    turn = Turn(parts=[PartInput("t", {"k": 1}, "a")], include=["source", "excerpt"])
    turn.feed(f"x{A} y{HEAD}")
    snapshot = turn.snapshot()
    assert set(snapshot) == {
        *("state", "text", "named", "results", "parts"),
        *("carried", "carried_cited"),
    }
    assert snapshot["text"] == "x y"
    assert snapshot["state"]["semantics"] == 1
    assert snapshot["state"]["include"] == ["excerpt", "source"]
    assert len(snapshot["named"]) == len(snapshot["parts"]) == 1
    assert snapshot["parts"][0]["data"] == {"k": 1}


def test_the_state_of_an_ordinary_turn_is_at_most_4_kib() -> None:
    turn = Turn(include=INCLUDE)
    largest = 0
    for event in events(EngineOptions("keep", "tidy"), INCLUDE, 60):
        turn.accept(event)
        largest = max(largest, len(json.dumps(turn.snapshot()["state"]).encode()))
    assert largest <= 4096
