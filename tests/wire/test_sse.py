"""Server-sent events from bytes: the standard's examples, every cut, the limits."""

import re
from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.wire.ndjson import LineTooLongError
from citestream.wire.sse import EventReader


def read(chunks: Iterable[bytes], limit: int = 1024) -> list[str]:
    reader = EventReader(limit)
    return [data for chunk in chunks for data in reader.feed(chunk)]


def by_the_standard(body: bytes) -> list[str]:
    """The data of each event of a whole body, in the order of the standard's own steps."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    *lines, _ = re.split("\r\n|\n|\r", text)
    found, buffer = [], ""
    for line in lines:
        if not line:
            if buffer:
                found.append(buffer[:-1])
            buffer = ""
        elif not line.startswith(":"):
            field, _, value = line.partition(":")
            if field == "data":
                buffer += value.removeprefix(" ") + "\n"
    return found


# HTML standard, 9.2.6 "Interpreting an event stream": the examples there.
EXAMPLES = [
    (b"data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]),
    (
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
        ["first event", "second event"],
    ),
    (b"data\n\ndata\ndata\n\ndata:", ["", "\n"]),
    (b"data:test\n\ndata: test\n\n", ["test", "test"]),
]


@pytest.mark.parametrize(("body", "found"), EXAMPLES)
def test_the_examples_of_the_standard(body: bytes, found: list[str]) -> None:
    assert read([body]) == found


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_line_end_at_every_cut(end: bytes) -> None:
    body = "\ufeffdata: é🗼\n:\nevent: x\ndata:\u2028\u0085\x0b\x1cb\n\n\ndata: 2\n\n".encode()
    body = body.replace(b"\n", end)
    whole = ["é🗼\n\u2028\u0085\x0b\x1cb", "2"]
    assert read([body]) == whole
    assert read(bytes([byte]) for byte in body) == whole
    for at in range(len(body) + 1):
        assert read([body[:at], b"", body[at:]]) == whole


def test_every_short_body_reads_as_the_standard_says() -> None:
    for count in range(6):
        for tokens in product((b"data:x", b"\r", b"\n", b":", b"\xef\xbb\xbf"), repeat=count):
            body = b"".join(tokens)
            expected = by_the_standard(body)
            assert read([body]) == expected, body
            assert read(bytes([byte]) for byte in body) == expected, body


@given(
    st.lists(st.sampled_from([b"data: ", b"\r", b"\n", b"\xf0\x9f", b"\x97\xbc", b":", b"\xff"]))
)
def test_bytes_that_are_no_text_are_replaced(pieces: list[bytes]) -> None:
    assert read(pieces) == by_the_standard(b"".join(pieces))


def test_a_line_is_bounded_and_what_came_before_stands() -> None:
    found: list[str] = []
    with pytest.raises(LineTooLongError, match="longer than 10 bytes"):
        found.extend(EventReader(10).feed(b"data: 1234\n\n:23456789ab\n"))
    assert found == ["1234"]


def test_a_line_without_an_end_is_refused_while_it_grows() -> None:
    reader = EventReader(10)
    assert not list(reader.feed(b"data: 12"))
    assert not list(reader.feed(b"34"))
    with pytest.raises(LineTooLongError):
        list(reader.feed(b"5"))


def test_the_data_of_one_event_is_bounded_and_comments_are_not() -> None:
    assert read([b"data: 1\n"] * 5 + [b"\n"], limit=10) == ["1\n1\n1\n1\n1"]
    with pytest.raises(LineTooLongError, match="data of an event"):
        read([b"data: 1\n"] * 6, limit=10)
    assert read([b": ping\n"] * 100 + [b"data: 1\n\n"] * 2, limit=10) == ["1", "1"]
