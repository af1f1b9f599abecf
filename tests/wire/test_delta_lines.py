"""The short way by which usual delta lines are read gives what the general way gives."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.turns import DeltaInput, InputEvent
from citestream.wire.input import events as input_lines
from citestream.wire.input.events import read_event
from citestream.wire.input.parts import MAX_DELTA

HEADS = ('{"type":"delta","text":"', '{"type": "delta", "text": "')
PIECES = (
    *('"', "\\", '\\"', "\\u", "\\ud83d", "\\ude00", "\\n", "\n", "\r", "\x00", "\x1f", "\u2028"),
    *("}", "{", ",", ":", '"text":"b"', '"type":"end"', "é", "\U0001f600", "a", " ", "NaN"),
)
ENDS = ('"}', '"} ', '"}\r', '"', "}", '","text":"b"}', '","a":1}', '"}{}')


def outcome(line: bytes) -> InputEvent | str:
    try:
        return read_event(line)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def both_ways(line: bytes) -> tuple[InputEvent | str, InputEvent | str]:
    short = outcome(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_lines, "_DELTA_HEADS", ())
        return short, outcome(line)


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(HEADS), st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(ENDS))
def test_lines_near_the_usual_form(head: str, pieces: list[str], end: str) -> None:
    short, general = both_ways((head + "".join(pieces) + end).encode())
    assert short == general


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(HEADS), st.binary(max_size=8))
def test_bytes_that_may_be_no_text(head: str, content: bytes) -> None:
    short, general = both_ways(head.encode() + content + b'"}')
    assert short == general


@pytest.mark.parametrize("character", ["a", "é", "\U0001f600"])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_the_limit_of_a_delta(character: str, beyond: int) -> None:
    size = MAX_DELTA + beyond
    text = character * (size // len(character.encode()))
    text += "a" * (size - len(text.encode()))
    line = json.dumps({"type": "delta", "text": text}, ensure_ascii=False).encode()
    short, general = both_ways(line)
    assert short == general
    assert isinstance(short, DeltaInput) == (beyond <= 0)


@pytest.mark.parametrize("head", HEADS)
def test_the_usual_form_is_read_the_short_way(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        input_lines, "read_as", lambda *_, **__: pytest.fail("read the general way")
    )
    assert read_event(f'{head}a\\n\\ud83d\\ude00"}}'.encode()) == DeltaInput("a\n\U0001f600")
