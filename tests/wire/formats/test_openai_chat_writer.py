"""The chunks of a written chat stream: order, early ends, an error."""

import pytest
from tests.wire.formats import streams

from citestream import Turn
from citestream.turns import EndReason, ErrorEvent
from citestream.wire.formats.openai_chat_writer import ChatWriter


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("complete", "stop"),
        ("length", "length"),
        ("failed", "length"),
        ("stopped", "content_filter"),
    ],
)
def test_why_it_ends(reason: EndReason, finish: str) -> None:
    turn, writer = Turn(), ChatWriter()
    out = [writer.encode(one, 0) for one in [*turn.feed("a"), *turn.finish(reason)]]
    *_, last, done = streams.events(b"".join(out))
    assert last["choices"][0]["finish_reason"] == finish
    assert done == {"done": True}


def test_an_error_is_the_last_and_says_what_happened() -> None:
    error = ErrorEvent({"title": "Broken", "detail": "it broke"})
    [only] = streams.events(ChatWriter().encode(error, 1))
    assert only["error"]["message"] == "it broke"
