"""What is wrong with an input: places as a caller writes them, and nothing of what was sent."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from citestream.wire.input.errors import FieldProblem, InputError, problems_of


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    number: int = 0


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    inner: list[Inner] = []
    text: str = ""

    @field_validator("text")
    @classmethod
    def _short(cls, text: str) -> str:
        if len(text) > 3:
            raise ValueError("at most 3 characters")
        return text


def found(value: Any, behind: int = 0) -> list[FieldProblem]:
    with pytest.raises(ValidationError) as error:
        Outer.model_validate(value)
    return problems_of(error.value, behind=behind)


@pytest.mark.parametrize(
    ("value", "field", "problem"),
    [
        ([], "body", "must be a JSON object"),
        ({"text": "long text"}, "text", "at most 3 characters"),
        ({"canary": 1}, "body", "has a field that is not known here"),
        ({"inner": [{}, {"canary": 1}]}, "inner[1]", "has a field that is not known here"),
        ({"inner": [{"number": "7"}]}, "inner[0].number", "Input should be a valid integer"),
        ({"inner": ["x"]}, "inner[0]", "must be a JSON object"),
    ],
)
def test_a_problem_names_field_and_rule(value: Any, field: str, problem: str) -> None:
    assert found(value) == [FieldProblem(field, problem)]


def test_the_first_steps_may_be_left_out() -> None:
    assert found({"inner": [{"number": "7"}]}, behind=2)[0].field == "number"


def test_twenty_are_told() -> None:
    assert len(found({"inner": [{"number": "7"}] * 25})) == 20


def test_an_error_says_them_all() -> None:
    problems = [FieldProblem("a", "must be"), FieldProblem("b", "at most 1")]
    error = InputError(problems)
    assert str(error) == "a: must be; b: at most 1"
    assert error.problems == problems
