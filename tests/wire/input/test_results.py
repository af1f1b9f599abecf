"""Results of tools as JSON: the list is ours, its items are taken as they are."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from citestream.turns import ResultsInput
from citestream.wire.input.errors import InputError
from citestream.wire.input.parts import MAX_PART
from citestream.wire.input.reading import read_as
from citestream.wire.input.results import MAX_RESULTS, ResultItem, ResultsFields

FOUND = {"title": "Tides", "url": "https://example.org/tides", "snippet": "High at noon."}
PAGE = {"title": "Buoys", "url": "https://example.org/buoys", "body": "North", "links": ["x"]}
ROWS = {"source": "silvia://your-account/checking", "rows": [{"a": 1}, None, "odd"]}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*ResultItem.model_fields, "score"]) | st.text(), inner)
    ),
    max_leaves=15,
)


def read(*results: Any, **fields: Any) -> ResultsInput:
    body = {"tool_name": "t", "results": list(results), **fields}
    return read_as(json.dumps(body).encode(), ResultsFields).value()


def read_text(items: str) -> ResultsInput:
    return read_as(b'{"tool_name": "t", "results": [%s]}' % items.encode(), ResultsFields).value()


@pytest.mark.parametrize(
    "result",
    [
        *(FOUND, PAGE, ROWS, {**FOUND, "id": "r1"}, {"url": None}, {**FOUND, "score": 0.5}),
        *({**FOUND, "id": 7}, {"rows": {}}, {"body": None}, "text", None, 5, [], {}),
    ],
)
def test_a_result_is_taken_as_it_is(result: Any) -> None:
    assert read(result) == ResultsInput("t", (result,))


@settings(max_examples=2000, deadline=None)
@given(JSON)
def test_any_json_is_a_result(result: Any) -> None:
    taken = read(result)
    assert taken.unreadable == ()
    assert json.dumps(taken.results) == json.dumps([result])


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("1e999", "a number is too large"),
        ('{"a": [1, {"b": -1e400}]}', "a number is too large"),
        ("9" * 5000, "a number has too many digits"),
        ('{"a":' * 70 + "1" + "}" * 70, "nested more than 64 deep"),
        ("[" * 100_000 + "]" * 100_000, "nested more than 64 deep"),
    ],
    ids=lambda text: text[:20],
)
def test_one_that_cannot_be_held_is_named_and_the_others_are_taken(item: str, problem: str) -> None:
    taken = read_text(f'{{"a": 1}}, {item}, "b"')
    assert taken.results == ({"a": 1}, None, "b")
    assert taken.unreadable == ((1, problem),)


def test_of_a_key_given_twice_the_last_value_counts() -> None:
    assert read_text('{"title": "a", "title": "b", "c": {"d": 1, "d": 2}}').results == (
        {"title": "b", "c": {"d": 2}},
    )


@pytest.mark.parametrize("web", [True, False, None])
def test_a_call_says_whether_it_is_of_the_web(web: bool | None) -> None:
    assert read(FOUND, web=web).web is web


def test_halves_of_surrogate_pairs_in_the_name_of_a_tool_are_replaced() -> None:
    assert read(tool_name="a\ud83d\ude00\ud83d").tool_name == "a😀\ufffd"


def test_the_number_and_the_size_of_results() -> None:
    assert len(read(*[1] * MAX_RESULTS).results) == MAX_RESULTS
    with pytest.raises(InputError, match=f"^results: List should have at most {MAX_RESULTS}"):
        read(*[1] * (MAX_RESULTS + 1))
    assert len(read("x" * (MAX_PART - 2)).results) == 1
    with pytest.raises(InputError, match=rf"^results\[0\]: at most {MAX_PART} bytes of JSON$"):
        read("x" * (MAX_PART - 1))


def test_the_document_shows_what_a_result_may_say() -> None:
    schema = TypeAdapter(ResultsFields).json_schema()
    assert schema["properties"]["results"]["items"] == {"$ref": "#/$defs/ResultItem"}
    assert schema["$defs"]["ResultItem"]["additionalProperties"] is True
