"""The events of a written Responses stream: order, early ends, an error."""

import pytest
from tests.wire.formats import streams

from citestream import Turn
from citestream.turns import EndReason, ErrorEvent
from citestream.wire.formats.openai_responses_writer import ResponsesWriter

OPENED = ["response.created", "response.output_item.added", "response.content_part.added"]
CLOSED = ["response.output_text.done", "response.content_part.done", "response.output_item.done"]


@pytest.mark.parametrize(
    ("reason", "end", "why"),
    [
        ("complete", "completed", None),
        ("length", "incomplete", "max_output_tokens"),
        ("stopped", "incomplete", "content_filter"),
    ],
)
def test_the_order_of_events(reason: EndReason, end: str, why: str | None) -> None:
    turn, writer = Turn(), ResponsesWriter()
    out = [writer.encode(one, 0) for one in [*turn.feed("a"), *turn.finish(reason)]]
    found = list(streams.events(b"".join(out)))
    delta = "response.output_text.delta"
    assert [one["type"] for one in found] == [*OPENED, delta, *CLOSED, f"response.{end}"]
    assert (found[-1]["response"].get("incomplete_details") or {}).get("reason") == why


def test_an_error_closes_what_is_open() -> None:
    writer = ResponsesWriter()
    out = [writer.encode(one, 0) for one in Turn().feed("a")]
    out.append(writer.encode(ErrorEvent({"title": "Broken"}), 2))
    kinds = [one["type"] for one in streams.events(b"".join(out))]
    assert kinds[-4:] == [*CLOSED, "error"]
