"""The routes of the pure operations as one: their names, their examples, their refusals."""

import importlib
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, ValidationError
from tests.api.operation_cases import CANARY, DOCUMENT

from citestream.api.operations import example_of, read_strictly
from citestream.api.routes import context, rendering, sources, targets
from citestream.api.schemas.base import OwnKeys
from citestream.wire.input.errors import problems_of
from citestream.wire.json_text import JsonInputError

OPERATIONS = [*sources.OPERATIONS, *targets.OPERATIONS, *context.OPERATIONS, *rendering.OPERATIONS]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.operation_id())
def test_the_document_names_the_same_in_python(operation: Any) -> None:
    room, _, name = operation.function.rpartition(".")
    assert callable(getattr(importlib.import_module(room), name))
    described = DOCUMENT["paths"][operation.path]["post"]
    assert described["operationId"] == operation.operation_id()
    assert described["description"].endswith(
        f" Pure, safe to repeat, the same as `{operation.function}`."
    )


def test_operation_ids_read_well_in_code() -> None:
    names = {operation.operation_id() for operation in OPERATIONS}
    assert len(names) == len(OPERATIONS) == 32
    assert {"render", "sources_link", "targets_humanize_url", "context_fragment_encode"} <= names


class Body(BaseModel):
    numbers: Annotated[dict[str, int], OwnKeys] = Field(examples=[{"a": 1}, {}])
    from_: str = Field("x", alias="from", examples=["here"])
    silent: int = 1


def test_an_example_is_made_of_those_of_the_fields() -> None:
    assert example_of(Body) == {"numbers": {"a": 1}, "from": "here"}


@pytest.mark.parametrize("value", [{CANARY: CANARY}, CANARY, [CANARY], {CANARY: None}])
def test_keys_of_the_caller_s_own_are_not_told(value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Body.model_validate({"numbers": value})
    [problem] = problems_of(refused.value)
    assert problem.field == "numbers"
    assert CANARY not in problem.problem


@pytest.mark.parametrize("text", [b"NaN", b"1e999", b"[" * 69 + b"]" * 69, b'{"a":1,"a":1}'])
def test_a_body_is_read_strictly(text: bytes) -> None:
    with pytest.raises(JsonInputError):
        read_strictly(text)
