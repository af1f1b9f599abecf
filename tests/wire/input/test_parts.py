"""Sizes as they will travel, halves of surrogate pairs, and the fields that all inputs share."""

import pytest
from pydantic import ValidationError

from citestream import turns
from citestream.wire.input.parts import (
    OptionsInput,
    PartFields,
    json_size,
    replace_surrogates_in,
    utf8_size,
)


def test_sizes() -> None:
    assert utf8_size("aé€😀") == 1 + 2 + 3 + 4
    assert utf8_size("\ud83d\ude00") == 4
    assert utf8_size("\ud83d") == 3  # it will stand there as U+FFFD
    assert json_size({"a": "é"}) == len('{"a":"é"}'.encode())
    assert json_size(["\ud83d\ude00", "\ud83d"]) == len('["😀","\ufffd"]'.encode())
    assert json_size([2**70, "\ud83d"]) == len(f'[{2**70},"\ufffd"]'.encode())


def test_halves_are_mended_at_every_place() -> None:
    assert replace_surrogates_in({"\ud83d\ude00": ["\ude00", {"a": "\ud83d"}]}) == {
        "😀": ["\ufffd", {"a": "\ufffd"}]
    }


def test_a_part_becomes_what_the_turn_takes() -> None:
    given = {"tool_name": "t", "data": [1], "target": {"kind": "market_data", "ticker": "AAPL"}}
    assert PartFields.model_validate(given).value() == turns.PartInput(
        "t", [1], target={"kind": "market_data", "ticker": "AAPL"}
    )


def test_options_are_what_the_engine_takes() -> None:
    assert OptionsInput().value().as_json() == {
        "invalid_markers": "keep",
        "whitespace": "keep",
        "dialect": "guide",
    }


def test_halves_of_surrogate_pairs_are_replaced_in_every_text() -> None:
    odd = "a\ud83d\ude00\ud83d"
    given = {"tool_name": odd, "data": odd, "title": odd, "url": odd}
    value = PartFields.model_validate(given).value()
    assert (value.tool_name, value.title, value.url) == ("a😀\ufffd",) * 3


@pytest.mark.parametrize("length", [299, 300, 301])
def test_the_length_of_a_name_is_counted_when_it_is_whole(length: int) -> None:
    name = "\ud83d\ude00" * length
    if length <= 300:
        assert PartFields.model_validate({"tool_name": name, "data": 1}).tool_name == "😀" * length
    else:
        with pytest.raises(ValidationError, match="at most 300 characters"):
            PartFields.model_validate({"tool_name": name, "data": 1})
