"""Every row of the marker vectors: as recorded, whole, one character at a time, cut in two."""

from collections.abc import Iterable
from typing import Any

import pytest
from tests.chunking import every_cut
from tests.vectors import marker_rows

from citestream import Include, Options, PartInput, TextDelta, Turn, parse
from citestream.parts import is_part_id


def parts_of(row: dict[str, Any]) -> list[PartInput]:
    """A row of the marker file names its parts, a recorded stream brings them.

    A name past the limit of ids is none that a caller could have given.
    """
    return [
        PartInput(tool_name="tool", data=None, id=part)
        if isinstance(part, str)
        else PartInput(
            tool_name=part["tool_name"],
            data=part["data"],
            id=part["id"],
            origin=part.get("origin", "tool"),
        )
        for part in row["parts"]
        if not isinstance(part, str) or is_part_id(part)
    ]


def options_of(row: dict[str, Any]) -> Options:
    return Options(**row.get("options", {}))


def outcome(turn: Turn, row: dict[str, Any]) -> dict[str, Any]:
    """Return of an answer what the row says of it."""
    answer = turn.answer().as_json()
    found = {key: answer[key] for key in ("text", "citations", "dropped", "invalid_markers")}
    assert answer["status"] == row["expect"].get("status", "completed")
    if "status" in row["expect"]:
        found["status"] = answer["status"]
        assert answer["artifact"] == {"parts": []}
    if "artifact_parts" in row["expect"]:
        found["artifact_parts"] = answer["artifact"]["parts"][1:]
    if "excerpts" in row["expect"]:
        found["excerpts"] = [
            {key: one.pop(key) for key in ("resolution", "excerpt")} for one in found["citations"]
        ]
    return found


def run(row: dict[str, Any], deltas: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """Feed the deltas; return the outcome and all the text visible after each."""
    include: list[Include] = ["excerpt"] if "excerpts" in row["expect"] else []
    turn = Turn(options=options_of(row), parts=parts_of(row), include=include)
    visible = ""
    after = []
    for delta in deltas:
        visible += "".join(e.text for e in turn.feed(delta) if isinstance(e, TextDelta))
        after.append(visible)
    visible += "".join(e.text for e in turn.finish() if isinstance(e, TextDelta))
    assert visible == turn.answer().text
    return outcome(turn, row), after


ROWS = [pytest.param(row, id=row["id"]) for row in marker_rows()]


@pytest.mark.parametrize("row", ROWS)
def test_the_answer_as_it_was_cut(row: dict[str, Any]) -> None:
    found, after = run(row, row["deltas"])
    assert found == row["expect"]
    if "visible_after" in row:
        assert after == row["visible_after"]


@pytest.mark.parametrize("row", ROWS)
def test_every_other_cut_gives_the_same(row: dict[str, Any]) -> None:
    for deltas in every_cut("".join(row["deltas"])):
        found, _ = run(row, deltas)
        assert found == row["expect"], deltas


@pytest.mark.parametrize("row", ROWS)
def test_the_plain_answer_is_the_streamed_one(row: dict[str, Any]) -> None:
    answer = parse("".join(row["deltas"]), parts_of(row), options=options_of(row)).as_json()
    expected = {key: row["expect"][key] for key in row["expect"].keys() & answer.keys()}
    assert {key: answer[key] for key in expected} == expected
