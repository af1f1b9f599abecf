"""What a caller learns of an error."""

import pytest

from citestream.parts import PartConflictError, PartError
from citestream.service.problems import INVALID_INPUT, Problem, problem_of
from citestream.turns import TurnOrderError, TurnOverflowError
from citestream.wire.input.errors import INPUT_ERRORS, FieldProblem, InputError
from citestream.wire.json_text import JsonInputError, JsonSizeError
from citestream.wire.ndjson import LineTooLongError

FIELD = FieldProblem("parts[0].id", "1 to 128 characters")
TYPES = [
    (InputError([FIELD]), "invalid-input"),
    (JsonInputError("said"), "malformed-json"),
    (JsonSizeError("said"), "too-large"),
    (LineTooLongError("said"), "too-large"),
    (PartConflictError("said"), "part-conflict"),
    (PartError("said"), "invalid-input"),
    (TurnOrderError("said"), "event-order"),
    (TurnOverflowError("said"), "too-large"),
]


@pytest.mark.parametrize(("error", "slug"), TYPES)
def test_each_error_has_its_problem(error: ValueError, slug: str) -> None:
    problem = problem_of(error, "line 3: ")
    assert problem.type.urn == f"urn:citestream:problem:{slug}"
    assert problem.type.title
    assert problem.detail == f"line 3: {error}"


def test_the_table_is_whole() -> None:
    assert {type(error) for error, _ in TYPES} == {*INPUT_ERRORS, JsonSizeError, PartConflictError}


def test_fields_are_listed() -> None:
    assert problem_of(InputError([FIELD])).fields == (FIELD,)


def test_headers_are_kept() -> None:
    problem = Problem(INVALID_INPUT, "detail", headers={"allow": "GET"})
    assert problem.headers == {"allow": "GET"}
    assert str(problem) == "detail"
