"""Turns for the tests: two parts, the markers that cite them, and events as JSON objects."""

from typing import Any

from tests.citations.markers import marker

from citestream.turns import Answer, EndReason, InputEvent, PartInput, Turn

A, B = marker("a"), marker("b", "/x")
PART_A, PART_B = PartInput("search", {"value": "one"}, "a"), PartInput("lookup", {"x": 2}, "b")
Json = dict[str, Any]


def delta(text: str) -> Json:
    return {"type": "delta", "text": text}


def cited(part_id: str, offset: int, locator: str = "") -> Json:
    return {"data_part_id": part_id, "offset": offset, "locator": locator}


def told(part_id: str, offset: int, locator: str = "") -> Json:
    return {"type": "citation", "citation": cited(part_id, offset, locator)}


def accepted(turn: Turn, *events: InputEvent) -> list[list[Json]]:
    return [[output.as_json() for output in turn.accept(event)] for event in events]


def answered(text: str, *parts: PartInput, reason: EndReason = "complete", **fixed: Any) -> Answer:
    turn = Turn(parts=parts, **fixed)
    turn.feed(text)
    turn.finish(reason)
    return turn.answer()
