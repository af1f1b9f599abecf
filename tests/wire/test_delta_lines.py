"""The short way by which usual delta lines are read gives what the general way gives."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.turns import DeltaInput, InputEvent
from citestream.wire.formats import native
from citestream.wire.formats.native import NativeReader
from citestream.wire.input import events
from citestream.wire.input.parts import MAX_DELTA

HEADS = ('{"type":"delta","text":"', '{"type": "delta", "text": "')
PIECES = (
    *('"', "\\", '\\"', "\\u", "\\ud83d", "\\ude00", "\\n", "\n", "\r", "\x00", "\x1f", "\u2028"),
    *("}", "{", ",", ":", '"text":"b"', '"type":"end"', "é", "\U0001f600", "a", " ", "NaN"),
)
ENDS = ('"}', '"} ', '"}\r', '"', "}", '","text":"b"}', '","a":1}', '"}{}')


def outcome(line: bytes) -> list[InputEvent] | str:
    """Read a line as the second of a body, in a chunk of its own."""
    reader = NativeReader()
    list(reader.feed(b"\n"))
    try:
        return [*reader.feed(line + b"\n"), *reader.finish()]
    except ValueError as error:
        return f"line {reader.line}: {type(error).__name__}: {error}"


def both_ways(line: bytes) -> tuple[list[InputEvent] | str, list[InputEvent] | str]:
    short = outcome(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_HEADS", ())
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
    assert isinstance(short, list) == (beyond <= 0)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("alone", [True, False])
def test_the_usual_form_is_read_the_short_way(
    head: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "read_event", lambda _: pytest.fail("read the general way"))
    line = f'{head}a\\n\\ud83d\\ude00"}}\n'.encode()
    reader = NativeReader()
    chunks = [line] * 3 if alone else [line * 2 + line[:9], line[9:]]
    read = [event for chunk in chunks for event in reader.feed(chunk)]
    assert read == [DeltaInput("a\n\U0001f600")] * 3
    assert reader.line == 3
