"""What is wrong with an input: places as a caller writes them, and nothing of what was sent."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from citestream.wire.input.errors import FieldProblem
from citestream.wire.input.validation import problems_of


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    number: int = 0


class First(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    type: Literal["a"]


class Second(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    type: Literal["b"]
    value: int = Field(0, alias="as")


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    inner: list[Inner] = []
    text: str = ""
    options: Inner | None = None
    choice: Annotated[First | Second, Field(discriminator="type")] | None = None

    @field_validator("text")
    @classmethod
    def _short(cls, text: str) -> str:
        if len(text) > 3:
            raise ValueError("at most 3 characters")
        return text


def found(value: Any, skip: int = 0) -> list[FieldProblem]:
    with pytest.raises(ValidationError) as error:
        Outer.model_validate(value)
    return problems_of(error.value, Outer, skip=skip)


@pytest.mark.parametrize(
    ("value", "field", "problem"),
    [
        ([], "body", "must be a JSON object"),
        ({"text": "long text"}, "text", "at most 3 characters"),
        ({"canary": 1}, "body", "unknown field; known fields: inner, text, options, choice"),
        ({"inner": [{}, {"canary": 1}]}, "inner[1]", "unknown field; known fields: number"),
        ({"options": {"canary": 1}}, "options", "unknown field; known fields: number"),
        (
            {"choice": {"type": "b", "canary": 1}},
            "choice.b",
            "unknown field; known fields: type, as",
        ),
        ({"inner": [{"number": "7"}]}, "inner[0].number", "Input should be a valid integer"),
        ({"inner": ["x"]}, "inner[0]", "must be a JSON object"),
    ],
)
def test_a_problem_names_field_and_rule(value: Any, field: str, problem: str) -> None:
    assert found(value) == [FieldProblem(field, problem)]


def test_the_first_steps_may_be_left_out() -> None:
    assert found({"inner": [{"number": "7"}]}, skip=2)[0].field == "number"


def test_twenty_are_told() -> None:
    assert len(found({"inner": [{"number": "7"}] * 25})) == 20
