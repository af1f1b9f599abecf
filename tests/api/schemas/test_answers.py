"""The shapes of bodies: what they become."""

import pytest
from pydantic import ValidationError

from citestream.api.schemas.answers import AnswerBody, PromptBody, StreamEvent
from citestream.service.problems import Problem
from citestream.turns import DeltaInput, EndInput


def test_a_text_is_one_delta() -> None:
    assert AnswerBody(text="ab").events() == [DeltaInput("ab"), EndInput()]
    assert AnswerBody(deltas=["a", "b"]).events() == [DeltaInput("a"), DeltaInput("b"), EndInput()]
    assert AnswerBody(deltas=[]).events() == [EndInput()]


def test_parts_options_and_include_are_the_turn_s() -> None:
    body = AnswerBody.model_validate(
        {
            "text": "Fact \ue200cite\ue202tool_data_01\ue201.",
            "parts": [{"tool_name": "t", "data": "x"}],
            "options": {"whitespace": "tidy"},
            "include": ["excerpt"],
        }
    )
    turn, _ = body.turn()
    for event in body.events():
        turn.accept(event)
    assert turn.answer().text == "Fact."
    assert turn.answer().as_json()["citations"][0]["excerpt"]["text"] == "x"


def test_a_part_that_cannot_stand_is_named() -> None:
    part = {"tool_name": "t", "data": 1, "id": "a"}
    body = AnswerBody.model_validate({"text": "", "parts": [part, part, {**part, "data": 1.0}]})
    with pytest.raises(Problem, match=r"^parts\[2\]\.id: "):
        body.turn()


def test_either_deltas_or_text() -> None:
    for wrong in ({}, {"text": "", "deltas": []}):
        with pytest.raises(ValidationError, match="give either deltas or text"):
            AnswerBody.model_validate(wrong)


def test_a_prompt_may_be_empty() -> None:
    assert PromptBody().parts == []


def test_an_event_is_told_by_its_type() -> None:
    with pytest.raises(ValidationError):
        StreamEvent.model_validate({"type": "delta", "text": ""})
    with pytest.raises(ValidationError):
        StreamEvent.model_validate({"type": "other"})
