"""Reading bodies with records: what JSON can say stays, what it cannot spoils its own value."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.api.operation_cases import nested

from citestream.api.transport.lenient_json import read_records
from citestream.context.encoding import write_json
from citestream.wire.json_text import JsonInputError

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.sampled_from('[]{}"\\,:-NaInfity0é\ud83d') | st.characters())
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
UNREADABLE = [
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1E+999", b"1.5e400", b"9" * 4301),
    *(nested(200), nested(5_000), b'{"]":' * 5_000 + b"1" + b"}" * 5_000),
]


@given(values)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert json.dumps(read_records(json.dumps(value).encode())) == json.dumps(value)


@given(st.sampled_from(UNREADABLE), values, values)
def test_what_cannot_be_read_spoils_its_own_value_alone(
    unreadable: bytes, before: Any, behind: Any
) -> None:
    text = b"[%s,[%s],%s]" % (json.dumps(before).encode(), unreadable, json.dumps(behind).encode())
    first, spoiled, last = read_records(text)
    assert json.dumps([first, last]) == json.dumps([before, behind])
    assert write_json(spoiled) is None


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[", b"]", b"[1]]", b"{", b'"a', b"[NaN", b"[NaN,]", b"NaNa", b"[01]", b"[1.]"),
        *(b"[+NaN]", b"[-NaN]", b'{"a":1,"a":2}', b"{NaN:1}", b'"\xff"', b"['NaN']", b"[nan]"),
        *(nested(5_000)[:-1], nested(5_000) + b"]", b"[" * 100_000, b'[{"a' * 100_000),
        nested(200) + b"x",
    ],
    ids=lambda text: text[:12].decode(errors="replace"),
)
def test_what_is_no_json_is_refused_as_it_came(text: bytes) -> None:
    with pytest.raises(JsonInputError):
        read_records(text)


def test_a_mistake_is_told_where_it_stands_in_the_body() -> None:
    with pytest.raises(JsonInputError, match="line 1, column 2"):
        read_records(b"[?, 1e999]")


def test_hostile_text_takes_linear_time() -> None:
    def seconds(text: bytes) -> float:
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            read_records(text)
            best = min(best, time.process_time() - begun)
        return best

    for unit in (b"[", b'{"\\"":', b"[1e999,"):
        close = b"}" if unit.startswith(b"{") else b"]"
        short, long = (unit * n + b"0" + close * n for n in (20_000, 40_000))
        assert seconds(long) < 4 * seconds(short) + 0.05
