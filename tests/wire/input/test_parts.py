"""Sizes as they will travel, halves of surrogate pairs, and the fields that all inputs share."""

from citestream import turns
from citestream.wire.input.parts import OptionsInput, PartFields, json_size, mended, utf8_size


def test_sizes() -> None:
    assert utf8_size("aé€😀") == 1 + 2 + 3 + 4
    assert utf8_size("\ud83d\ude00") == 4
    assert utf8_size("\ud83d") == 3  # it will stand there as U+FFFD
    assert json_size({"a": "é"}) == len('{"a":"é"}'.encode())
    assert json_size(["\ud83d\ude00", "\ud83d"]) == len('["😀","\ufffd"]'.encode())
    assert json_size([2**70, "\ud83d"]) == len(f'[{2**70},"\ufffd"]'.encode())


def test_halves_are_mended_at_every_place() -> None:
    assert mended({"\ud83d\ude00": ["\ude00", {"a": "\ud83d"}]}) == {
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
