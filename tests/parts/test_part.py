"""Data parts: what is made of what a caller brings."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from citestream.parts import MAX_PARTS
from citestream.parts.part import DataPart, PartError, make_part


def nest(levels: int) -> Any:
    value: Any = "leaf"
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


def test_a_part_of_clean_fields() -> None:
    made = make_part(
        "tool_data_01",
        "search",
        {"value": [1]},
        origin="user",
        title="A title",
        url="https://example.org/a",
        target={"kind": "page"},
    )
    assert made == DataPart(
        id="tool_data_01",
        tool_name="search",
        data={"value": [1]},
        origin="user",
        title="A title",
        url="https://example.org/a",
        target={"kind": "page"},
        signs=0,
    )


def test_what_is_left_out() -> None:
    made = make_part("a", "search", None)
    assert made == DataPart("a", "search", None, "tool", None, None, None, 0)
    assert make_part("a", "", "", title="", url="") == DataPart("a", "", "", "tool", "", "")


def test_a_part_is_a_value() -> None:
    part = make_part("a", "search", {})
    with pytest.raises(FrozenInstanceError):
        part.data = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("data", "root"),
    [
        ({"value": 1, "other": 2}, {"value": 1, "other": 2}),
        ({"value": None}, None),
        ({"value": {"value": 1}}, {"value": 1}),
        ({"Value": 1}, {"Value": 1}),
        ({}, {}),
        (["value"], ["value"]),
        ("value", "value"),
        (None, None),
    ],
)
def test_locators_are_read_against_the_value_where_there_is_one(data: Any, root: object) -> None:
    assert make_part("a", "search", data).root == root


def test_the_caller_keeps_its_data() -> None:
    data = {"rows": [1]}
    made = make_part("a", "search", data)
    data["rows"].append(2)
    assert made.data == {"rows": [1]}


def test_signs_are_replaced_and_counted_in_every_field() -> None:
    made = make_part(
        "a",
        "\ue200tool",
        {"\ue202": "\ue201\ue201"},
        title="ti\ue202tle\ue200",
        url="https://example.org/\ue201",
    )
    assert made.tool_name == "\ufffdtool"
    assert made.data == {"\ufffd": "\ufffd\ufffd"}
    assert made.title == "ti\ufffdtle\ufffd"
    assert made.url == "https://example.org/\ufffd"
    assert made.signs == 7


def test_halves_are_mended_in_every_field() -> None:
    made = make_part("a", "\ud83d\ude00\ud83d", ["\ude00"], title="\ud83d", url="\ud83d\ude00")
    assert made == DataPart(
        "a", "\U0001f600\ufffd", ["\ufffd"], "tool", "\ufffd", "\U0001f600", None, 0
    )


def test_nul_is_replaced_in_names_and_stays_in_data() -> None:
    made = make_part("a", "to\x00ol", {"\x00": "\x00"}, title="\x00", url="\x00")
    assert made == DataPart("a", "to\ufffdol", {"\x00": "\x00"}, "tool", "\ufffd", "\ufffd")


@pytest.mark.parametrize("part_id", ["", "a b", "/a", "a\x00", "a\ue200", "\ud83d", "i" * 129])
def test_an_id_outside_the_grammar_names_field_and_limit(part_id: str) -> None:
    with pytest.raises(PartError, match=r"^id: 1 to 128 characters, no white space, ") as caught:
        make_part(part_id, "search", {})
    assert str(caught.value) == (
        "id: 1 to 128 characters, no white space, control character or marker sign, "
        "not starting with '/'"
    )


def test_data_is_nested_at_most_64_deep() -> None:
    for levels in (63, 64):
        assert make_part("a", "search", nest(levels)).data == nest(levels)
    with pytest.raises(PartError, match=r"^data: nested more than 64 deep$"):
        make_part("a", "search", nest(65))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_of_data_are_finite(number: float) -> None:
    with pytest.raises(PartError, match=r"^data/0: numbers must be finite$"):
        make_part("a", "search", [number])


def test_data_is_a_json_value() -> None:
    with pytest.raises(PartError, match=r"^data/a: a set is not a JSON value$"):
        make_part("a", "search", {"a": {1}})
    with pytest.raises(PartError, match=r"^data: a int is not the key of a JSON object$"):
        make_part("a", "search", {1: "a"})


def test_a_mistake_in_a_part_is_a_mistake_in_a_value() -> None:
    assert issubclass(PartError, ValueError)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (None, 4),
        ("", 2),
        ({"a": [1, "b"], "c": {}}, len('{"a":[1,"b"],"c":{}}')),
        ("\u00e9\u4e2d\U0001f600", 2 + 2 + 3 + 4),
        ('"\x00', len('"') * 2 + len('\\"') + len("\\u0000")),
    ],
)
def test_the_size_of_data_is_bytes_of_compact_json(data: Any, size: int) -> None:
    assert make_part("a", "search", data).json_size() == size


def test_the_limit_of_parts() -> None:
    assert MAX_PARTS == 2000
