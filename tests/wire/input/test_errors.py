"""The errors of an input: places as a caller writes them, and nothing of what was sent."""

from citestream.wire.input.errors import FieldProblem, InputError, place_of


def test_an_error_says_them_all() -> None:
    problems = [FieldProblem("a", "must be"), FieldProblem("b", "at most 1")]
    error = InputError(problems)
    assert str(error) == "a: must be; b: at most 1"
    assert error.problems == problems


def test_places_as_a_caller_reads_them() -> None:
    assert place_of(("parts", 0, "id")) == "parts[0].id"
    assert place_of((0, "id")) == "[0].id"
    assert place_of(()) == "body"
