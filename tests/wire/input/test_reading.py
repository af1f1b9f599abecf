"""Reading JSON as a model: strict where it is ours, lenient where others made it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.api.schemas.answers import AnswerBody
from citestream.api.schemas.turns import PushBody
from citestream.wire.input.errors import InputError
from citestream.wire.input.events import InputLine
from citestream.wire.input.parts import PartsFile
from citestream.wire.input.reading import read_as
from citestream.wire.json_text import JsonInputError

ODD = ("1e999", "-1E400", "9" * 5000, "[" * 100 + "]" * 100, '{"a":' * 100 + "1" + "}" * 100)


TWICE = ', "data": 3'


def part(data: str, more: str = "") -> str:
    return f'{{"tool_name": "t", "data": {data}{more}}}'


@pytest.mark.parametrize("data", ODD, ids=lambda data: data[:9])
def test_a_part_that_cannot_be_held_costs_only_itself(data: str) -> None:
    parts = read_as(f"[{part('1')}, {part(data)}, {part('[2]')}]".encode(), PartsFile).root
    first, odd, last = (one.value() for one in parts)
    assert (first.data, first.unreadable) == (1, None)
    assert (last.data, last.unreadable) == ([2], None)
    assert odd.data is None
    assert odd.unreadable in (
        "a number is too large",
        "a number has too many digits",
        "nested more than 64 deep",
    )


def test_of_a_key_given_twice_in_data_the_last_value_counts() -> None:
    data = '{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}'
    body = f'{{"seq": 1, "events": [{{"type": "part", "tool_name": "t", "data": {data}}}]}}'
    [line] = read_as(body.encode(), PushBody).events
    assert line.root.value().data == {"a": 3, "b": {"c": 2}}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("model", "body", "message"),
    [
        (AnswerBody, '{"text": "a", "text": "b"}', "body: a key is given twice in one object"),
        (
            AnswerBody,
            f'{{"text": "a", "parts": [{part("1")}, {part("2", TWICE)}]}}',
            "parts[1]: a key is given twice in one object",
        ),
        (
            AnswerBody,
            '{"text": "a", "options": {"whitespace": "keep", "whitespace": "tidy"}}',
            "options: a key is given twice in one object",
        ),
        (
            PushBody,
            '{"seq": 1, "events": [{"type": "delta", "text": "a", "text": "b"}]}',
            "events[0]: a key is given twice in one object",
        ),
        (InputLine, '{"type": "end", "type": "end"}', "body: a key is given twice in one object"),
        (PushBody, '{"seq": 1e999, "events": []}', "a number is too large"),
        (PushBody, '{"seq": 1, "events": [1e999]}', "a number is too large"),
        (AnswerBody, "[" * 100 + "]" * 100, "nested more than 68 deep"),
        (InputLine, '{"type": "custom", "name": "n", "value": 1e999}', "a number is too large"),
        (AnswerBody, '{"text": NaN}', "NaN and Infinity are not JSON"),
        (AnswerBody, f'{{"text": "a", "parts": [{part("NaN")}]}}', "NaN and Infinity are not JSON"),
    ],
)
def test_our_own_objects_are_read_strictly(model: type[Any], body: str, message: str) -> None:
    with pytest.raises(JsonInputError) as refused:
        read_as(body.encode(), model)
    assert str(refused.value) == message


def test_what_a_model_refuses_is_named_beside_a_part_that_cannot_be_held() -> None:
    body = f'{{"text": 5, "parts": [{part("1e999")}]}}'
    with pytest.raises(InputError) as refused:
        read_as(body.encode(), AnswerBody)
    assert [problem.field for problem in refused.value.problems] == ["text"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=2000, deadline=None)
@given(JSON, st.sampled_from(ODD), st.booleans())
def test_any_json_is_the_data_of_a_part(value: Any, odd: str, inside: bool) -> None:
    data = json.dumps(value)
    [plain, mixed] = (
        one.value()
        for one in read_as(
            f"[{part(data)}, {part(f'[{data}, {odd}]' if inside else data)}]".encode(), PartsFile
        ).root
    )
    assert json.dumps(plain.data) == data
    assert (mixed.unreadable is None) != inside
