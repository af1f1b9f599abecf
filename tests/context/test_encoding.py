"""Text and JSON that every encoder behind the room can write."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context.encoding import (
    JSON_DEPTH_LIMIT,
    clean_json,
    encodable,
    json_length,
    lines,
    one_row,
    read_json,
    write_json,
)
from citestream.parts import bounded_json

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
)


@given(st.text(alphabet=st.characters()))
def test_encodable_text_can_be_encoded_and_stays_when_it_could(text: str) -> None:
    cleaned = encodable(text)
    cleaned.encode()
    if not any("\ud800" <= sign <= "\udfff" for sign in text):
        assert cleaned == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\udc00b", "\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\udc00\ud800", "\ufffd\ufffd"),
    ],
)
def test_lone_halves_are_replaced_and_pairs_joined(text: str, cleaned: str) -> None:
    assert encodable(text) == cleaned


@given(JSON_VALUES)
def test_json_reads_back(value: object) -> None:
    written = write_json(value)
    assert written is not None
    assert read_json(written) == value
    assert written == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_limited() -> None:
    assert write_json(nested(JSON_DEPTH_LIMIT)) is not None
    assert write_json(nested(JSON_DEPTH_LIMIT + 1)) is None
    assert write_json({"a": nested(JSON_DEPTH_LIMIT)}) is None


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [float("-inf")], {1, 2}, {"a": object()}]
)
def test_what_json_has_no_form_for_is_none(value: object) -> None:
    assert write_json(value) is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "nan", '{"a":+Infinity}', "[" * 100_000, "\ufeff1", '{"a":1,"a":1}'],
    ids=range(7),
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_json(text)


def test_an_integer_too_long_to_print_has_no_form() -> None:
    assert write_json([10**5_000]) is None


def test_a_number_of_any_length_spoils_itself_alone() -> None:
    value = read_json('{"ok":1,"long":' + "9" * 5_000 + "}")
    assert value["ok"] == 1
    assert write_json(value["long"]) is None


def test_rows_end_at_lf_cr_and_crlf_alone() -> None:
    assert lines("a\nb\r\nc\rd\u2028e\n") == ["a", "b", "c", "d\u2028e", ""]
    assert one_row("a\r\nb\n\nc") == "a b c"


UNREADABLE = st.sampled_from(
    [
        "NaN",
        "-Infinity",
        "1e999",
        "9" * 4301,
        "[" * 300 + "]" * 300,
        '{"a":' * 2_000 + "1" + "}" * 2_000,
    ]
)


@pytest.mark.parametrize("few", [-1, 100_000], ids=["in Python", "in C"])
def test_both_decoders_read_the_same(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "FEW", few)

    @given(JSON_VALUES, UNREADABLE, JSON_VALUES)
    def law(before: object, unreadable: str, after: object) -> None:
        text = f'{{"a": [{json.dumps(before)}], "b": {unreadable}, "b ": {json.dumps(after)}}}'
        found = read_json(text)
        assert json.dumps([found["a"], found["b "]]) == json.dumps([[before], after])
        assert write_json(found["b"]) is None
        for broken in (text[:-1], text + "]", text.replace(",", "", 1) + ","):
            with pytest.raises(ValueError, match=r".+"):
                read_json(broken)

    law()
    for text in ('{"a":1,"a":1}', "[1,]", "[01]", "{1:2}", '"a\nb"', "[" * 300, "]"):
        with pytest.raises(ValueError, match=r".+"):
            read_json(text)
    assert read_json('[{"a":1,"a":2}]') == [{"a": 2}]
    assert read_json('{"b":{"a":1,"a":2}}') == {"b": {"a": 2}}


def test_values_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "FEW", -1)
    monkeypatch.setattr(bounded_json, "MAX_VALUES", 5)
    assert read_json('["[,{,[,",2,{"a":"\\"],"}]') == ["[,{,[,", 2, {"a": '"],'}]
    with pytest.raises(ValueError, match="more than 5 values"):
        read_json('["[,{,[,",2,{"a":"\\"],"},4,5]')


@given(JSON_VALUES)
def test_the_length_is_that_of_the_text(value: object) -> None:
    written = write_json(value) or ""
    assert json_length(clean_json(value)) == len(written)
    assert json_length(clean_json(value), len(written)) == len(written)
    assert json_length(clean_json(value), len(written) - 1) > len(written) - 1


def test_a_long_string_is_written_in_pieces() -> None:
    value = ['"\\\n\u20ac' * 500_000]
    assert write_json(value) == json.dumps(value, ensure_ascii=False)
