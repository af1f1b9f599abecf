"""A written Messages stream: blocks are cut behind cited claims."""

from tests.wire.formats import streams
from tests.wire.formats.test_anthropic_filter import blocks

from citestream import Turn
from citestream.turns import ErrorEvent, PartInput
from citestream.wire.formats.anthropic_writer import AnthropicWriter

MARKER = "\ue200cite\ue202a\ue201"


def test_a_block_ends_with_its_claim() -> None:
    part = PartInput("t", 1, "a", title="T", url="https://example.org/a")
    turn, writer = Turn(parts=[part], include=["source"]), AnthropicWriter()
    pieces = ["One", MARKER, ".", " ", "Two", MARKER, " "]
    events = [made for piece in pieces for made in turn.feed(piece)]
    body = b"".join(writer.encode(one, 0) for one in [*events, *turn.finish()])
    made = blocks(body)
    assert [block["text"] for block in made] == ["One. ", "Two "]
    assert [[one["source"] for one in block["cited"]] for block in made] == [
        ["https://example.org/a"],
        ["https://example.org/a"],
    ]
    *_, stop = streams.events(body)
    assert len(stop["citestream"]["citations"]) == 2


def test_an_error_closes_what_is_open() -> None:
    writer = AnthropicWriter()
    out = [writer.encode(one, 0) for one in Turn().feed("a")]
    out.append(writer.encode(ErrorEvent({"title": "Broken"}), 2))
    kinds = [one["type"] for one in streams.events(b"".join(out))]
    assert kinds[-2:] == ["content_block_stop", "error"]
