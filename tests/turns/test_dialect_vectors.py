"""Every row of ``conformance/dialects.json``: whole, by character, cut in two at every place."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from tests.vectors import rows

from citestream import PartInput, TextDelta, Turn
from citestream.citations import EngineOptions
from citestream.turns.events import ResultsInput

ALL = rows("dialects.json")
ROWS = [row for row in ALL if "expect" in row]
REFUSED = [row for row in ALL if "refused" in row]


def begun(row: dict[str, Any]) -> Turn:
    turn = Turn(
        options=EngineOptions(**row["options"]),
        include=["diagnostics"],
        parts=[PartInput("t", {"value": 1}, id=part) for part in row["parts"]],
    )
    for event in row.get("results", ()):
        turn.accept(ResultsInput(event["tool_name"], tuple(event["results"])))
    return turn


def came_to(turn: Turn) -> dict[str, Any]:
    answer = turn.answer().as_json()
    found = {key: answer[key] for key in ("text", "citations", "dropped", "invalid_markers")}
    for citation in found["citations"]:
        citation.pop("target", None)
    if "widgets" in answer["diagnostics"]:
        found["widgets"] = answer["diagnostics"]["widgets"]
    return found


def told(row: dict[str, Any], deltas: Iterable[str], *, carried: bool = False) -> dict[str, Any]:
    turn = begun(row)
    for delta in deltas:
        turn.feed(delta)
        if carried:
            turn = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    turn.finish()
    return came_to(turn)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row(row: dict[str, Any]) -> None:
    turn = begun(row)
    shown, visible = "", []
    for delta in row["deltas"]:
        events = turn.feed(delta)
        shown += "".join(event.text for event in events if isinstance(event, TextDelta))
        visible.append(shown)
    turn.finish()
    assert came_to(turn) == row["expect"]
    if "visible_after" in row:
        assert visible == row["visible_after"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_no_cut_makes_a_difference(row: dict[str, Any]) -> None:
    text = "".join(row["deltas"])
    assert told(row, [text]) == row["expect"]
    assert told(row, text) == row["expect"]
    # The few long rows hold runs of one character: every place near an end, and some between.
    step = max(1, len(text) // 200)
    for place in sorted({*range(0, len(text) + 1, step), *range(20), len(text) - 5}):
        assert told(row, [text[:place], text[place:]]) == row["expect"], place


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_no_snapshot_makes_a_difference(row: dict[str, Any]) -> None:
    text = "".join(row["deltas"])
    size = max(1, len(text) // 200)
    deltas = [text[at : at + size] for at in range(0, len(text), size)]
    assert told(row, deltas, carried=True) == row["expect"]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row["id"])
def test_options_that_may_not_be(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^(dialect|numbers)"):
        EngineOptions(**row["options"])
