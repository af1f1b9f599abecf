"""JSON in which a value that cannot be held costs only itself."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.wire.json_text import JsonInputError, dumps
from citestream.wire.lenient_json import (
    RepeatedKeys,
    holds_irregular,
    loads_leniently,
    unreadable_in,
)

DEEP = "too deep"
LARGE = "a number is too large"
LONG = "a number has too many digits"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.sampled_from('[]{}"\\,:-NaInfity0é\ud83d') | st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def read(body: bytes) -> Any:
    return loads_leniently(body, depth_limit=30, too_deep="too deep")


@given(VALUES)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert json.dumps(read(json.dumps(value).encode())) == json.dumps(value)


@given(
    st.sampled_from(
        [
            *((b"1e999", LARGE), (b"-1E+999", LARGE), (b"1.5e400", LARGE)),
            *((b"9" * 4301, LONG), (b"-" + b"9" * 4301, LONG)),
            *((nested(29), DEEP), (nested(5_000), DEEP)),
        ]
    ),
    VALUES,
    VALUES,
)
def test_what_cannot_be_held_costs_only_itself(
    unreadable: tuple[bytes, str], before: Any, behind: Any
) -> None:
    text, problem = unreadable
    body = b"[%s,[%s],%s]" % (json.dumps(before).encode(), text, json.dumps(behind).encode())
    first, found, last = read(body)
    assert json.dumps([first, last]) == json.dumps([before, behind])
    assert problem_in(found) == problem


def problem_in(value: Any) -> str | None:
    found = unreadable_in(value)
    return found and found.problem


def test_depth_is_counted_from_the_top() -> None:
    assert read(nested(30)) == json.loads(nested(30))
    assert problem_in(read(nested(31))) == DEEP
    assert problem_in(read(nested(30))) is None


def test_of_a_key_given_twice_the_last_value_stays_and_the_object_says_so() -> None:
    found = read(b'{"a": {"b": 1, "b": 2, "c": 3}, "d": {}}')
    assert found == {"a": {"b": 2, "c": 3}, "d": {}}
    assert type(found["a"]) is RepeatedKeys
    assert type(found) is type(found["d"]) is dict
    assert holds_irregular(found)
    assert holds_irregular([read(b"[1e999]")])
    assert not holds_irregular({"a": [1, {}]})


@pytest.mark.parametrize("write", [dumps, json.dumps])
def test_no_writer_writes_what_could_not_be_held(write: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        write(read(b"[1e999]"))


def test_the_first_in_the_order_of_the_text_is_named() -> None:
    assert problem_in(read(b'{"a": [0, 1e999], "b": %s}' % (b"9" * 5000))) == LARGE
    assert problem_in(read(b'{"b": [%s], "a": 1e999}' % (b"9" * 5000))) == LONG
    assert problem_in({"a": [1, "b"]}) is None


def test_digits_up_to_the_limit() -> None:
    assert read(b"9" * 4300) == int("9" * 4300)


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[", b"]", b"[1]]", b"{", b'"a', b"[NaN", b"[NaN]", b"NaN", b"-Infinity", b"NaNa"),
        *(b"[01]", b"[1.]", b"[+1]", b"{1:1}", b'"\xff"', b"['a']", b"[1,]", b"?", b"[-]"),
        *(nested(5_000)[:-1], nested(5_000) + b"]", b"[" * 100_000, b'[{"a' * 100_000),
        nested(200) + b"x",
    ],
    ids=lambda text: text[:12].decode(errors="replace"),
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(JsonInputError):
        read(text)
