"""The vocabulary: what each event is called, holds, and looks like as JSON."""

from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest

from citestream.citations import EngineOptions
from citestream.parts import PartError
from citestream.sources import Source
from citestream.turns import (
    Answer,
    ArtifactEvent,
    Citation,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    Refused,
    RegisteredEvent,
    SourceEvent,
    StartInput,
    TextDelta,
    input_event,
    part_input,
)

CITATION = Citation("a", 3, "/x")
SHOWN = {"data_part_id": "a", "offset": 3, "locator": "/x"}
ANSWER = Answer("interrupted", "stopped", "x", (), (), (), 1)


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (TextDelta("x"), {"type": "delta", "text": "x"}),
        (CitationEvent(CITATION), {"type": "citation", "citation": SHOWN}),
        (CustomEvent("usage", {"n": 1}), {"type": "custom", "name": "usage", "value": {"n": 1}}),
        (CustomEvent("", None), {"type": "custom", "name": "", "value": None}),
        (CitationsSummary(()), {"type": "citations_summary", "citations": []}),
        (
            CitationsSummary((CITATION, CITATION)),
            {"type": "citations_summary", "citations": [SHOWN, SHOWN]},
        ),
        (
            ArtifactEvent(ANSWER),
            {
                "type": "artifact",
                "artifact": {"parts": [{"text": "x", "metadata": {"citations": []}}]},
                "status": "interrupted",
                "reason": "stopped",
                "dropped": [],
                "invalid_markers": 1,
            },
        ),
        (ErrorEvent({"title": "t"}), {"type": "error", "error": {"title": "t"}}),
        (
            RegisteredEvent((("a", "t"),), (("t", "text"),)),
            {
                "type": "registered",
                "parts": [{"id": "a", "tool_name": "t"}],
                "tool_output": [{"tool_name": "t", "text": "text"}],
            },
        ),
        (
            RegisteredEvent((), (), (Refused(None, "t", "data: nested"),)),
            {
                "type": "registered",
                "parts": [],
                "tool_output": [],
                "refused": [{"id": None, "tool_name": "t", "problem": "data: nested"}],
            },
        ),
        (
            SourceEvent(Source(2, "Tides", "https://e.org")),
            {"type": "source", "index": 2, "title": "Tides", "url": "https://e.org"},
        ),
    ],
)
def test_an_output_event_as_json(event: OutputEvent, shown: dict[str, Any]) -> None:
    assert event.as_json() == shown
    assert event.type == shown["type"]
    assert next(iter(event.as_json())) == "type"


def test_the_input_events_and_what_they_hold_by_default() -> None:
    start, part, delta = StartInput(), PartInput("tool", {"a": 1}), DeltaInput("x")
    custom, end = CustomInput("usage", 1), EndInput()
    assert [event.type for event in (start, part, delta, custom, end)] == [
        "start",
        "part",
        "delta",
        "custom",
        "end",
    ]
    assert (start.options, start.include) == (EngineOptions(), frozenset())
    assert part == PartInput(
        tool_name="tool", data={"a": 1}, id=None, origin="tool", title=None, url=None, target=None
    )
    assert delta.text == "x"
    assert (custom.name, custom.value) == ("usage", 1)
    assert end.reason == "complete"


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (
            StartInput(),
            {
                "type": "start",
                "options": {"invalid_markers": "keep", "whitespace": "keep", "dialect": "guide"},
                "include": [],
            },
        ),
        (
            StartInput(EngineOptions("drop", "tidy"), frozenset({"source", "excerpt"})),
            {
                "type": "start",
                "options": {"invalid_markers": "drop", "whitespace": "tidy", "dialect": "guide"},
                "include": ["excerpt", "source"],
            },
        ),
        (
            PartInput("tool", {"a": [1]}),
            {
                "type": "part",
                "tool_name": "tool",
                "data": {"a": [1]},
                "id": None,
                "origin": "tool",
                "title": None,
                "url": None,
                "target": None,
            },
        ),
        (
            PartInput("tool", None, "a", "user", "Title", "https://e.org"),
            {
                "type": "part",
                "tool_name": "tool",
                "data": None,
                "id": "a",
                "origin": "user",
                "title": "Title",
                "url": "https://e.org",
                "target": None,
            },
        ),
        (DeltaInput("\ud83d"), {"type": "delta", "text": "\ud83d"}),
        (CustomInput("n", [1]), {"type": "custom", "name": "n", "value": [1]}),
        (EndInput(), {"type": "end", "reason": "complete"}),
        (EndInput("timeout"), {"type": "end", "reason": "timeout"}),
    ],
)
def test_an_input_event_as_json_and_back(event: InputEvent, shown: dict[str, Any]) -> None:
    assert event.as_json() == shown
    assert input_event(shown) == event


def test_the_vocabulary_is_whole() -> None:
    assert [event.type for event in get_args(InputEvent)] == [
        "start",
        "part",
        "results",
        "results",
        "delta",
        "custom",
        "end",
    ]
    assert [event.type for event in get_args(OutputEvent)] == [
        "delta",
        "citation",
        "registered",
        "source",
        "custom",
        "citations_summary",
        "artifact",
        "error",
    ]


def test_a_part_may_be_a_dict() -> None:
    given = {"tool_name": "t", "data": 1, "id": "a", "title": None, "target": None}
    assert part_input(given) == PartInput("t", 1, "a")
    assert part_input(PartInput("t", 1)) == PartInput("t", 1)


KNOWN = "unknown field; known fields: tool_name, data, id, origin, title, url, target"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tool_name": "t", "data": 1, "canary": 2}, KNOWN),
        ({"tool_name": "t", "data": None, "unreadable": "x"}, KNOWN),
        ({"data": 1}, "tool_name: field required"),
        ({"tool_name": "t"}, "data: field required"),
        ({"tool_name": None, "data": 1}, "tool_name: must be a string"),
        ({"tool_name": "t", "data": 1, "id": 5}, "id: must be a string"),
        ({"tool_name": "t", "data": 1, "url": b"x"}, "url: must be a string"),
        ({"tool_name": "t", "data": 1, "origin": "web"}, "origin: must be one of tool, user"),
        ("part", "must be a PartInput or a dict of its fields"),
    ],
)
def test_a_dict_that_is_no_part(given: Any, message: str) -> None:
    with pytest.raises(PartError) as refused:
        part_input(given)
    assert str(refused.value) == message


def test_an_event_is_a_value() -> None:
    event = TextDelta("x")
    assert event == TextDelta("x")
    with pytest.raises(FrozenInstanceError):
        event.text = "y"  # type: ignore[misc]
