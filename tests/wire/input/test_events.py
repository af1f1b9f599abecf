"""Input events as JSON: what they become, and what is said of what they may not be."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream import turns
from citestream.citations import EngineOptions
from citestream.wire.input.errors import FieldProblem, InputError
from citestream.wire.input.events import read_event
from citestream.wire.json_text import JsonInputError


def event(value: Any) -> turns.InputEvent:
    return read_event(json.dumps(value).encode())


def refused(value: Any) -> list[FieldProblem]:
    with pytest.raises(InputError) as error:
        event(value)
    return error.value.problems


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"type": "start"}, turns.StartInput(EngineOptions(), frozenset())),
        (
            {
                "type": "start",
                "options": {"invalid_markers": "drop", "whitespace": "tidy"},
                "include": ["offsets", "excerpt", "offsets"],
            },
            turns.StartInput(EngineOptions("drop", "tidy"), frozenset(["excerpt", "offsets"])),
        ),
        ({"type": "delta", "text": ""}, turns.DeltaInput("")),
        ({"type": "delta", "text": "a\0\ud83d"}, turns.DeltaInput("a\0\ud83d")),
        ({"type": "end"}, turns.EndInput("complete")),
        *(
            ({"type": "end", "reason": reason}, turns.EndInput(reason))
            for reason in ("complete", "length", "stopped", "failed", "timeout")
        ),
        (
            {"type": "part", "tool_name": "t", "data": None},
            turns.PartInput("t", None, None, "tool", None, None),
        ),
        (
            {
                "type": "part",
                "id": "a",
                "tool_name": "",
                "data": {"a": [1.5]},
                "origin": "user",
                "title": "T",
                "url": "javascript:x",
            },
            turns.PartInput("", {"a": [1.5]}, "a", "user", "T", "javascript:x"),
        ),
        (
            {"type": "custom", "name": "n", "value": {"\ud83d": ["\ud83d\ude00", "\ude00"]}},
            turns.CustomInput("n", {"\ufffd": ["😀", "\ufffd"]}),
        ),
        ({"type": "custom", "name": "", "value": None}, turns.CustomInput("", None)),
    ],
)
def test_events(value: dict[str, Any], found: turns.InputEvent) -> None:
    assert event(value) == found


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (1, "body"),
        ([], "body"),
        ({}, "type"),
        ({"type": None}, "type"),
        ({"type": "Delta"}, "type"),
        ({"type": "delta"}, "text"),
        ({"type": "delta", "text": None}, "text"),
        ({"type": "delta", "text": "a", "extra": 1}, "body"),
        ({"type": "end", "reason": ""}, "reason"),
        ({"type": "start", "include": ["everything"]}, "include[0]"),
        ({"type": "start", "options": {"whitespace": "trim"}}, "options.whitespace"),
        ({"type": "start", "options": {"white_space": "tidy"}}, "options"),
        ({"type": "part", "tool_name": "t", "data": 1, "id": "a b"}, "id"),
        ({"type": "part", "tool_name": "t", "data": 1, "origin": "model"}, "origin"),
        ({"type": "part", "data": 1, "tool_name": 1}, "tool_name"),
        ({"type": "custom", "name": "n"}, "value"),
        ({"type": "custom", "value": 1}, "name"),
    ],
)
def test_the_field_is_named(value: Any, field: str) -> None:
    [problem] = refused(value)
    assert problem.field == field


def test_all_fields_are_named() -> None:
    problems = refused({"type": "part", "tool_name": 1, "id": "", "title": 2})
    assert {problem.field for problem in problems} == {"tool_name", "id", "title", "data"}


def test_what_is_no_json_is_no_event() -> None:
    with pytest.raises(JsonInputError):
        read_event(b"{")


def problems(value: Any) -> list[FieldProblem]:
    try:
        event(value)
    except InputError as error:
        return error.problems
    return []


CANARY = "kanari"
SOMETHING = st.recursive(
    st.sampled_from([None, True, 1, 1.5, CANARY, CANARY + "\ud83d", "delta", "part", "tool"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "text",
                    "data",
                    "id",
                    "options",
                    "include",
                    "value",
                    CANARY,
                    CANARY + "\udc00",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
TYPES = st.sampled_from(["start", "part", "delta", "custom", "end", CANARY])


@settings(max_examples=250, deadline=None)
@given(TYPES, st.dictionaries(st.text("ab"), SOMETHING, max_size=2), SOMETHING)
def test_nothing_is_repeated_whatever_comes(kind: str, more: dict[str, Any], value: Any) -> None:
    fields = value if isinstance(value, dict) else {"text": value, "tool_name": value}
    for tried in (value, {**fields, **more, "type": kind}):
        told = problems(tried)
        assert CANARY not in str(told)
        assert len(told) <= 20
