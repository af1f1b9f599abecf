"""The shapes of bodies: what they become."""

import pytest
from pydantic import ValidationError

from citestream.api.schemas.answers import AnswerBody
from citestream.api.schemas.events import StreamEvent
from citestream.api.schemas.prompts import PromptBody
from citestream.turns import DeltaInput, EndInput


def test_a_text_is_one_delta() -> None:
    assert AnswerBody(text="ab").events() == [DeltaInput("ab"), EndInput()]
    assert AnswerBody(deltas=["a", "b"]).events() == [DeltaInput("a"), DeltaInput("b"), EndInput()]
    assert AnswerBody(deltas=[]).events() == [EndInput()]


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
