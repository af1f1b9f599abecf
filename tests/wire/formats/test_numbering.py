"""Numbers of events: only their digits change."""

from citestream.wire.formats.blocks import BlockReader
from citestream.wire.formats.numbering import renumbered


def changed(data: bytes) -> bytes:
    [block] = BlockReader().feed(b"event: e\ndata: " + data + b"\n\n")
    return renumbered(block, {**block.json(), "index": 7}, "index", 7)


def test_only_the_digits_change() -> None:
    made = changed(b'{ "a" :1.50, "index" : 3,"s":"\\"index\\": 4"}')
    assert made == b'event: e\ndata: { "a" :1.50, "index" : 7,"s":"\\"index\\": 4"}\n\n'


def test_a_name_that_stands_twice_is_written_anew() -> None:
    made = changed(b'{"index": 3, "in": {"index": 4}}')
    assert made == b'event: e\ndata: {"index":7,"in":{"index":4}}\n\n'
