"""Results of tools as JSON: three kinds told apart by their keys, each field with its limit."""

from typing import Any

import pytest
from pydantic import ValidationError

from citestream.turns import ResultsInput
from citestream.wire.input.errors import problems_of
from citestream.wire.input.parts import MAX_PART
from citestream.wire.input.results import ResultsFields

FOUND = {"title": "Tides", "url": "https://example.org/tides", "snippet": "High at noon."}
PAGE = {"title": "Buoys", "url": "https://example.org/buoys", "body": "North", "links": ["x"]}
ROWS = {"source": "silvia://your-account/checking", "rows": [{"a": 1}, None, "odd"]}


def read(*results: Any) -> ResultsFields:
    return ResultsFields.model_validate({"tool_name": "t", "results": list(results)})


def refused(*results: Any) -> list[str]:
    with pytest.raises(ValidationError) as error:
        read(*results)
    return [problem.field for problem in problems_of(error.value)]


@pytest.mark.parametrize("result", [FOUND, PAGE, ROWS, {**FOUND, "id": "r1"}])
def test_a_result_comes_through_as_it_was_given(result: dict[str, Any]) -> None:
    assert read(result).value() == ResultsInput("t", (result,))


def test_what_is_left_out_or_null_is_not_there() -> None:
    assert read({**FOUND, "snippet": None}).value().results == (
        {"title": "Tides", "url": "https://example.org/tides"},
    )


@pytest.mark.parametrize(
    ("result", "field"),
    [
        ({"title": "Tides"}, "results[0].url"),
        ({**FOUND, "snippet": 1}, "results[0].snippet"),
        ({**PAGE, "body": None}, "results[0].body"),
        ({**ROWS, "rows": {}}, "results[0].rows"),
        ({**FOUND, "color": "red"}, "results[0]"),
        ({**FOUND, "id": "a b"}, "results"),
        ("text", "results[0]"),
        (None, "results[0]"),
    ],
)
def test_the_field_is_named_without_the_kind(result: Any, field: str) -> None:
    assert refused(result) == [field]


@pytest.mark.parametrize(("count", "taken"), [(255, True), (256, True), (257, False)])
def test_the_number_of_results(count: int, taken: bool) -> None:
    results = [FOUND] * count
    if taken:
        assert len(read(*results).value().results) == count
    else:
        assert refused(*results) == ["results"]


@pytest.mark.parametrize(("over", "taken"), [(-1, True), (0, True), (1, False)])
def test_the_size_of_a_result(over: int, taken: bool) -> None:
    empty = len('{"title":"t","url":"u","body":""}')
    page = {"title": "t", "url": "u", "body": "x" * (MAX_PART - empty + over)}
    if taken:
        assert read(page).value().results == (page,)
    else:
        assert refused(page) == ["results"]
