"""What holds for every filter: bytes that are no such stream, own events, breaks, hostile sizes."""

import json

import pytest
from tests.chat_streams import DONE, event, finish, piece
from tests.wire.formats import streams
from tests.wire.formats.streams import make_turn

from citestream.wire.formats import FORMATS

FILTERS = {name: one.filter for name, one in FORMATS.items() if one.filter}
MARKER = "\ue200cite\ue202a\ue201"


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Bad Gateway",
        b'{"error": {"message": "no key"}}\n',
        b"<html>\r\n<p>\r\n\r\n</html>",
        b"data: {broken\n\ndata: [1]\n\ndata: 7\n\n",
        b"event: ping\n\nid: 1\n\nretry: 7\n\n\n\n",
        b"\xff\xfe\x00\n\ndata: \xff\n\n",
        b'data: {"choices": 7, "candidates": 7, "type": 7}\n\n',
        b'data: {"choices": [7], "candidates": [7], "type": "response.output_text.delta"}\n\n',
    ],
)
def test_what_is_no_such_stream_passes_and_is_said(name: str, body: bytes) -> None:
    for chunks in ([body], [bytes([byte]) for byte in body]):
        one = FILTERS[name](make_turn)
        assert b"".join([*map(one.feed, chunks), one.finish()]) == body
        known = b"candidates" in body
        assert one.problem or known


@pytest.mark.parametrize("name", FILTERS)
def test_another_vendors_stream_passes_and_is_said(name: str) -> None:
    other = "gemini" if name != "gemini" else "anthropic"
    body = streams.stream({**streams.cases(other)[0], "parts": []})
    one = FILTERS[name](make_turn)
    assert one.feed(body) + one.finish() == body
    assert one.problem == "the input holds no event of this format" or name == "anthropic"


@pytest.mark.parametrize("name", FILTERS)
def test_an_own_event_never_reaches_the_client(name: str) -> None:
    said = [
        {"type": "custom", "name": "n", "value": 1},
        {"type": "start", "options": {}},
        {"type": "end"},
        {"type": "nothing"},
    ]
    body = b"".join(
        b"event: citestream\ndata: " + json.dumps(one).encode() + b"\n\n" for one in said
    )
    one = FILTERS[name](make_turn)
    assert one.feed(body + b"event: citestream\ndata: {\n\n") + one.finish() == b""
    assert one.problem


def test_the_rest_of_a_broken_stream_holds_no_part_of_a_marker() -> None:
    make = FILTERS["openai-chat"]
    whole = piece("a") + piece(MARKER) + piece("b")
    for at in range(len(whole)):
        out = streams.run(make, [whole[:at]])
        assert not any(sign in out for sign in streams.SIGNS)


def test_a_last_event_without_its_blank_line_is_cleaned() -> None:
    part = b'event: citestream\ndata: {"type":"part","id":"a","tool_name":"t","data":1}\n\n'
    body = part + piece("a" + MARKER) + finish("stop").rstrip(b"\n")
    [*_, last] = streams.events(streams.run(FILTERS["openai-chat"], [body]))
    assert last["citestream"]["citations"][0]["offset"] == 1


def test_an_error_event_passes_and_nothing_is_invented() -> None:
    error = event({"error": {"code": "overloaded"}})
    out = streams.run(FILTERS["openai-chat"], [piece("a \ue200ci") + error])
    assert out.endswith(error)
    assert DONE not in out
    assert b"citestream" not in out
