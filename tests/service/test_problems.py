"""What a caller is told of an error."""

import pytest

from citestream.parts import PartConflictError, PartError
from citestream.service.problems import INPUT_ERRORS, Kind, Problem, problem_of
from citestream.turns import TurnOrderError, TurnOverflowError
from citestream.wire.input.errors import FieldProblem, InputError
from citestream.wire.json_text import JsonInputError
from citestream.wire.ndjson import LineTooLongError

FIELD = FieldProblem("parts[0].id", "1 to 128 characters")
TOLD = [
    (InputError([FIELD]), "invalid-input", 422),
    (JsonInputError("told"), "malformed-json", 400),
    (LineTooLongError("told"), "too-large", 413),
    (PartConflictError("told"), "part-conflict", 409),
    (PartError("told"), "invalid-input", 422),
    (TurnOrderError("told"), "event-order", 422),
    (TurnOverflowError("told"), "too-large", 413),
]


@pytest.mark.parametrize(("error", "slug", "status"), TOLD)
def test_each_error_has_its_problem(error: ValueError, slug: str, status: int) -> None:
    problem = problem_of(error, "line 3: ")
    shown = problem.as_json()
    assert shown["type"] == f"urn:citestream:problem:{slug}"
    assert shown["status"] == status
    assert shown["title"]
    assert shown["detail"] == f"line 3: {error}"
    assert ("errors" in shown) == (slug == "invalid-input")


def test_the_table_is_whole() -> None:
    assert {type(error) for error, _, _ in TOLD} == {*INPUT_ERRORS, PartConflictError}


def test_fields_are_listed() -> None:
    assert problem_of(InputError([FIELD])).as_json()["errors"] == [
        {"field": "parts[0].id", "problem": "1 to 128 characters"}
    ]


def test_headers_are_kept() -> None:
    problem = Problem(Kind("some-kind", "Some kind", 405), "detail", headers={"allow": "GET"})
    assert problem.headers == {"allow": "GET"}
    assert str(problem) == "detail"
