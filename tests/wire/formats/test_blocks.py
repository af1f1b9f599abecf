"""Blocks: the bytes stay the very same, whatever the line ends and the cuts."""

import pytest

from citestream.wire.formats import blocks
from citestream.wire.formats.blocks import Block, BlockReader, NotJsonError

STREAM = b'\xef\xbb\xbf: hi\n\nevent: a\nid: 7\ndata: {"x":\ndata: 1}\n\n: ping\ndata: [DONE]\n\n'


def read(*chunks: bytes) -> list[Block]:
    reader = BlockReader()
    found = [block for chunk in chunks for block in reader.feed(chunk)]
    return [*found, *reader.finish()]


def said(found: list[Block]) -> list[tuple[str, bytes]]:
    return [(block.event, block.data) for block in found if block.data is not None]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_cut_gives_the_same_events_and_bytes(end: bytes) -> None:
    stream = STREAM.replace(b"\n", end)
    events = [("a", b'{"x":\n1}'), ("", b"[DONE]")]
    for at in range(len(stream) + 1):
        found = read(stream[:at], stream[at:])
        assert b"".join(block.raw for block in found) == stream
        assert said(found) == events
    single = read(*(bytes([byte]) for byte in stream))
    assert b"".join(block.raw for block in single) == stream
    assert said(single) == events


def test_an_event_is_there_with_its_blank_line() -> None:
    reader = BlockReader()
    assert not list(reader.feed(b"data: 1\r\n\r"[:-1]))
    assert [block.data for block in reader.feed(b"\r")] == [b"1"]
    assert [block.continues for block in reader.feed(b"\n")] == [True]


def test_a_comment_is_not_kept_waiting_for_the_event_after_it() -> None:
    reader = BlockReader()
    assert b"".join(block.raw for block in reader.feed(b": ping\ndata: ")) == b": ping\n"


def test_an_event_without_its_blank_line_is_the_last() -> None:
    assert said(read(b"data: 1\n\ndata: 2")) == [("", b"1"), ("", b"2")]


def test_an_event_is_written_anew_in_its_own_line_ends() -> None:
    [block] = read(b"event: a\r\nid: 7\r\ndata: {}\r\n\r\n")
    assert block.written({"b": "é"}) == 'event: a\r\nid: 7\r\ndata: {"b":"é"}\r\n\r\n'.encode()
    assert block.written({}, "c") == b"event: c\r\nid: 7\r\ndata: {}\r\n\r\n"


def test_what_strict_json_cannot_hold_is_written_as_it_was_read() -> None:
    [block] = read(b'data: {"a":NaN,"b":"\\ud83d"}\n\n')
    assert block.written(block.json()) == b'data: {"a":NaN,"b":"\\ud83d"}\n\n'


@pytest.mark.parametrize("data", [b"{", b"[1]", b"9" * 5000, b"[" * 100_000])
def test_what_is_no_object_is_said(data: bytes) -> None:
    with pytest.raises(NotJsonError):
        Block(b"", data=data).json()


def test_an_endless_event_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_BLOCK", 10)
    reader = BlockReader()
    found = [*reader.feed(b"data: 123456"), *reader.feed(b"\n\ndata: 1\n\n"), *reader.finish()]
    assert reader.overlong
    assert b"".join(block.raw for block in found) == b"data: 123456\n\ndata: 1\n\n"
