"""Whole characters, replaced signs, sealed JSON values."""

from decimal import Decimal
from typing import Any

import pytest

from citestream.parts.text import JsonValueError, rewritten, sealed, whole_characters, without_signs


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", ""),
        ("plain", "plain"),
        ("Gr\u00f6\u00dfe \u4e2d\u6587 \U0001f600", "Gr\u00f6\u00dfe \u4e2d\u6587 \U0001f600"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud800\udc00 \udbff\udfff", "\U00010000 \U0010ffff"),
        ("\ud800\udfff \udbff\udc00", "\U000103ff \U0010fc00"),
        ("\ud83d", "\ufffd"),
        ("a\ud83d b", "a\ufffd b"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("a\ude00", "a\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        ("\ud83d\ude00\ude00", "\U0001f600\ufffd"),
        ("\ud7ff\ue000", "\ud7ff\ue000"),
        ("\x00\x7f\uffff", "\x00\x7f\uffff"),
    ],
)
def test_halves_are_joined_and_lone_ones_replaced(text: str, whole: str) -> None:
    assert whole_characters(text) == whole
    whole_characters(text).encode()


@pytest.mark.parametrize("text", ["plain", "Gr\u00f6\u00dfe \U0001f600"])
def test_a_text_without_halves_is_the_same_object(text: str) -> None:
    assert whole_characters(text) is text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("", ("", 0)),
        ("cite", ("cite", 0)),
        ("\ue200cite\ue202a\ue201", ("\ufffdcite\ufffda\ufffd", 3)),
        ("\ue1ff\ue203\ufffd", ("\ue1ff\ue203\ufffd", 0)),
    ],
)
def test_each_sign_becomes_a_replacement_character(text: str, clean: tuple[str, int]) -> None:
    assert without_signs(text) == clean


def nest(levels: int, kind: str = "list") -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value] if kind == "list" else {"k": value}
    return value


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, 1, -7, 10**30, 1.5, -0.0, "", "text", [], {}, [[], {}], {"a": [1, {}]}],
)
def test_a_clean_value_is_sealed_as_it_is(value: object) -> None:
    copy, signs = sealed(value, depth_limit=64)
    assert repr(copy) == repr(value)
    assert signs == 0


def test_strings_and_keys_are_made_whole_and_free_of_signs() -> None:
    value = {
        "\ue200key": ["\ue201", {"in\ud83d": "\ud83d\ude00\ue202\ue202"}],
        "plain": "\x00\ue203",
    }
    assert sealed(value, depth_limit=64) == (
        {"\ufffdkey": ["\ufffd", {"in\ufffd": "\U0001f600\ufffd\ufffd"}], "plain": "\x00\ue203"},
        4,
    )


def test_the_order_of_keys_and_items_stays() -> None:
    copy, _ = sealed({"z": [3, 1, 2], "a": {"y": 1, "b": 2}, "m": 0}, depth_limit=64)
    assert list(copy) == ["z", "a", "m"]
    assert list(copy["a"]) == ["y", "b"]
    assert copy["z"] == [3, 1, 2]


def test_a_tuple_becomes_an_array() -> None:
    copy, _ = sealed({"a": (1, ("b",))}, depth_limit=64)
    assert copy == {"a": [1, ["b"]]}


def test_the_copy_shares_nothing_with_the_value() -> None:
    value = {"list": [1], "object": {"a": 1}}
    copy, _ = sealed(value, depth_limit=64)
    value["list"].append(2)  # type: ignore[attr-defined]
    value["object"]["a"] = 2  # type: ignore[index]
    assert copy == {"list": [1], "object": {"a": 1}}


@pytest.mark.parametrize("kind", ["list", "dict"])
@pytest.mark.parametrize("limit", [1, 2, 64])
def test_depth_is_allowed_up_to_the_limit(kind: str, limit: int) -> None:
    for levels in (limit - 1, limit):
        assert sealed(nest(levels, kind), depth_limit=limit) == (nest(levels, kind), 0)
    with pytest.raises(ValueError, match=f"^nested more than {limit} deep$"):
        sealed(nest(limit + 1, kind), depth_limit=limit)


def test_depth_costs_no_recursion() -> None:
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        sealed(nest(100_000), depth_limit=64)
    assert sealed(nest(20_000), depth_limit=20_000)[1] == 0


def test_a_value_that_holds_itself_is_too_deep() -> None:
    ring: list[object] = []
    ring += [ring, ring]
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        sealed(ring, depth_limit=64)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_are_finite(number: float) -> None:
    with pytest.raises(JsonValueError, match=r"^numbers must be finite$") as refused:
        sealed({"a": [number]}, depth_limit=64)
    assert refused.value.place == "/a/0"


@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_is_short_enough_to_be_written(sign: int) -> None:
    for number in (10**4000 - 1, 1 - 10**4000):
        assert sealed([sign * number], depth_limit=64) == ([sign * number], 0)
    for number in (10**4000, -(10**4000), 10**4300):
        with pytest.raises(ValueError, match=r"^numbers must have at most 4,000 digits$"):
            sealed({"a": [sign * number]}, depth_limit=64)


@pytest.mark.parametrize("value", [{1}, b"bytes", Decimal(1), object(), range(3), 1j])
def test_what_is_no_json_value_is_refused_with_its_place(value: object) -> None:
    name = type(value).__name__
    with pytest.raises(JsonValueError, match=f"^a {name} is not a JSON value$") as refused:
        sealed({"a": [0, {"b/c~": value}]}, depth_limit=64)
    assert refused.value.place == "/a/1/b~1c~0"
    with pytest.raises(JsonValueError) as refused:
        sealed(value, depth_limit=64)
    assert refused.value.place == ""


@pytest.mark.parametrize("key", [1, None, True, 1.5, ("a",)])
def test_a_key_is_a_string(key: object) -> None:
    name = type(key).__name__
    with pytest.raises(
        JsonValueError, match=f"^a {name} is not the key of a JSON object$"
    ) as refused:
        sealed([1, {key: 1}], depth_limit=64)
    assert refused.value.place == "/1"


def test_every_string_and_key_is_rewritten_once() -> None:
    value = {"a": ["b", {"c": "d"}], "e": 1}
    found = rewritten(value, lambda text: text + text, depth_limit=64)
    assert found == {"aa": ["bb", {"cc": "dd"}], "ee": 1}
    assert rewritten("a", str.upper, depth_limit=0) == "A"
    with pytest.raises(ValueError, match="nested more than 0 deep"):
        rewritten([], str.upper, depth_limit=0)
