"""JSON as it goes over a wire: one line, exact, strict."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.wire.json_text import JsonInputError, dumps, loads

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)
BREAKS = "\r\n\u0085\u2028\u2029\x0b\x0c\x1c\x1d\x1e\x00\x1f"


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_what_is_written_is_read_again(value: Any) -> None:
    text = dumps(value)
    assert loads(text, depth_limit=68) == value
    assert json.loads(text) == value


@settings(max_examples=200, deadline=None)
@given(st.text('a"\\é😀' + BREAKS, max_size=30))
def test_no_reader_finds_a_line_end_in_it(text: str) -> None:
    for value in (text, {text: text}, [text, 2**70]):
        written = dumps(value)
        assert len(written.decode().splitlines()) == 1
        assert min(written) >= 0x20
        assert json.loads(written) == value


def test_what_need_not_be_escaped_is_not() -> None:
    assert dumps("é\u00a0\u200b\u2027\u202a😀\x7f") == '"é\u00a0\u200b\u2027\u202a😀\x7f"'.encode()


@pytest.mark.parametrize("number", [2**63 - 1, 2**64 - 1, 2**64, -(2**63) - 1, 10**100])
def test_large_integers_are_exact(number: int) -> None:
    assert dumps([number]) == b"[%d]" % number
    assert loads(b"%d" % number, depth_limit=1) == number


def test_kinds_of_numbers_stay_apart() -> None:
    found = loads(b"[1, 1.0, -0.0, 1e2, true]", depth_limit=1)
    assert [type(one) for one in found] == [int, float, float, float, bool]
    assert math.copysign(1, found[2]) == -1
    assert dumps(found) == b"[1,1.0,-0.0,100.0,true]"


def test_halves_of_surrogate_pairs_are_read() -> None:
    assert loads(rb'["\ud83d", "\ude00", "\ud83d\ude00"]', depth_limit=1) == [
        "\ud83d",
        "\ude00",
        "😀",
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON at line 1, column 1"),
        (b"[1,\n2", "not JSON at line 2, column 2"),
        (b"{} {}", "not JSON at line 1, column 4"),
        (b"'a'", "not JSON at line 1, column 1"),
        (b'"\t"', "not JSON at line 1, column 2"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "not JSON at line 1, column 1"),
        (b"ab\xff", "not UTF-8 at byte 2"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b"[NaN]", "NaN and Infinity are not JSON"),
        (b"-Infinity", "NaN and Infinity are not JSON"),
        (b"1e999", "a number is too large"),
        (b"-1e999", "a number is too large"),
        (b"9" * 5000, "a number has too many digits"),
        (b'{"a":{"b":1,"b":1}}', "a key is given twice in one object"),
        (b"[" * 200_000, "nested more than 5 deep"),
    ],
)
def test_what_is_not_acceptable(body: bytes, message: str) -> None:
    with pytest.raises(JsonInputError) as refused:
        loads(body, depth_limit=5)
    assert str(refused.value) == message


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_depth(beyond: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        depth = 5 + beyond
        body = (opening * depth + "0" + closing * depth).encode()
        beside = b'[1, "x", {}, %s]' % body
        if beyond > 0:
            with pytest.raises(JsonInputError, match="nested more than 5 deep"):
                loads(body, depth_limit=5)
        else:
            loads(body, depth_limit=5)
            loads(beside, depth_limit=6)


def test_a_byte_order_mark_is_read_past_once() -> None:
    mark = b"\xef\xbb\xbf"
    assert loads(mark + b'{"a": "\xef\xbb\xbf"}', depth_limit=1) == {"a": "\ufeff"}
    with pytest.raises(JsonInputError):
        loads(mark + mark + b"{}", depth_limit=1)
