"""Every row of the claim vectors through a turn: as given, whole, by characters, cut in two."""

from collections.abc import Iterable
from typing import Any

import pytest
from tests.chunking import every_cut
from tests.vectors import rows

from citestream import Options, PartInput, Turn, parse

ROWS = rows("claims.json")


def turn_of(row: dict[str, Any]) -> Turn:
    return Turn(options=Options(**row["options"]), include=row["include"], parts=parts_of(row))


def parts_of(row: dict[str, Any]) -> list[PartInput]:
    return [PartInput(tool_name=p["tool_name"], data=p["data"], id=p["id"]) for p in row["parts"]]


def outcome(turn: Turn, row: dict[str, Any]) -> dict[str, Any]:
    answer = turn.answer().as_json()
    return {key: answer[key] for key in row["expect"]}


def fed(row: dict[str, Any], deltas: Iterable[str], *, again: bool = False) -> dict[str, Any]:
    turn = turn_of(row)
    for delta in deltas:
        turn.feed(delta)
        if again:
            turn = Turn.restore(turn.snapshot())
    turn.finish()
    return outcome(turn, row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_rows(row: dict[str, Any]) -> None:
    raw = "".join(row["deltas"])
    assert fed(row, row["deltas"]) == row["expect"]
    assert fed(row, raw) == row["expect"]
    assert fed(row, raw, again=True) == row["expect"]
    for cut in every_cut(raw):
        assert fed(row, cut) == row["expect"]
    whole = parse(raw, parts_of(row), options=Options(**row["options"]), include=row["include"])
    assert {key: whole.as_json()[key] for key in row["expect"]} == row["expect"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_claims_read_as_people_read_them(row: dict[str, Any]) -> None:
    turn = turn_of(row)
    turn.feed("".join(row["deltas"]))
    turn.finish()
    answer = turn.answer().as_json()
    claims = [one["claim"] for one in answer["citations"]]
    assert [answer["text"][one["start"] : one["end"]] for one in claims] == row["reads"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_claim_is_sent_with_its_citation(row: dict[str, Any]) -> None:
    turn = turn_of(row)
    events = [event for delta in row["deltas"] for event in turn.feed(delta)] + turn.finish()
    sent = [event.citation.as_json() for event in events if event.type == "citation"]
    summary = next(event for event in events if event.type == "citations_summary")
    assert sorted(sent, key=lambda one: one["offset"]) == [
        one.as_json() for one in summary.citations
    ]
    closing = events[-1].answer.closing_json()
    assert closing.get("unsupported") == row["expect"].get("unsupported")
