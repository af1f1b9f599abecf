"""Lines out of bytes, however these are cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.wire.ndjson import LineReader, LineTooLongError


def read(chunks: list[bytes]) -> list[tuple[int, bytes]]:
    reader = LineReader()
    found = [(reader.number, line) for chunk in chunks for line in reader.feed(chunk)]
    return found + [(reader.number, line) for line in reader.finish()]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", []),
        (b"\n", []),
        (b"a", [(1, b"a")]),
        (b"a\n", [(1, b"a")]),
        (b"a\nb", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a\r"), (2, b"b\r")]),
        (b"\n\na\n \t\r\nb\n\n", [(3, b"a"), (5, b"b")]),
        (b"a\rb", [(1, b"a\rb")]),
        ("é\u2028\u0085x\n".encode(), [(1, "é\u2028\u0085x".encode())]),
    ],
)
def test_lines(body: bytes, lines: list[tuple[int, bytes]]) -> None:
    assert read([body]) == lines
    assert read([bytes([one]) for one in body]) == lines
    for at in range(len(body) + 1):
        assert read([body[:at], body[at:]]) == lines


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=4) | st.just(b"\n"), max_size=20))
def test_how_bytes_are_cut_changes_nothing(chunks: list[bytes]) -> None:
    assert read(chunks) == read([b"".join(chunks)])


@pytest.mark.parametrize("cut", [1, 3, 100])
def test_a_line_may_be_so_long_and_not_longer(cut: int) -> None:
    def feed(reader: LineReader, body: bytes) -> list[bytes]:
        return [
            line for at in range(0, len(body), cut) for line in reader.feed(body[at : at + cut])
        ]

    for size in (9, 10):
        assert feed(LineReader(10), b"ab\n" + b"x" * size + b"\n") == [b"ab", b"x" * size]
    reader = LineReader(10)
    with pytest.raises(LineTooLongError, match="10 bytes"):
        feed(reader, b"ab\n" + b"x" * 11)
    assert reader.number == 2


def test_the_lines_before_a_long_one_are_given() -> None:
    reader = LineReader(3)
    lines = reader.feed(b"a\nb\nlong\n")
    assert [next(lines), next(lines)] == [b"a", b"b"]
    with pytest.raises(LineTooLongError):
        next(lines)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
@pytest.mark.parametrize("line", [b"a", b"", b"\r"])
def test_a_byte_order_mark_is_read_past_at_the_head_alone(size: int, line: bytes) -> None:
    body = b"\xef\xbb\xbf" + line + b"\n\xef\xbb\xbfb"
    reader = LineReader()
    found = [one for at in range(0, len(body), size) for one in reader.feed(body[at : at + size])]
    found += reader.finish()
    assert found == [*([line] if line.strip() else []), b"\xef\xbb\xbfb"]
    assert reader.number == 2
