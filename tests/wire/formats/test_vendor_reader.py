"""Readers of vendors' streams: our own events between the vendor's, and ways to end."""

import pytest
from tests.chat_streams import DONE, piece
from tests.wire.formats import vendor_streams

from citestream.turns import DeltaInput, EndInput, InputEvent, PartInput
from citestream.wire.formats.anthropic import AnthropicReader
from citestream.wire.formats.gemini import GeminiReader
from citestream.wire.formats.openai_chat import ChatReader
from citestream.wire.formats.openai_responses import ResponsesReader
from citestream.wire.formats.vendor_reader import MixedReader, VendorReader
from citestream.wire.input.errors import InputError

PART = b'event: citestream\ndata: {"type":"part","tool_name":"t","data":1}\n\n'


def read(reader: MixedReader, *chunks: bytes) -> list[InputEvent]:
    return [*(event for chunk in chunks for event in reader.feed(chunk)), *reader.finish()]


def test_own_events_stand_where_they_were_said() -> None:
    body = PART + piece("a") + PART + piece("b") + DONE
    for at in range(len(body) + 1):
        events = read(MixedReader(ChatReader()), body[:at], body[at:])
        kinds = [event.type for event in events]
        assert kinds == ["part", "delta", "part", "delta", "end"]
        assert isinstance(events[0], PartInput)


def test_text_of_our_own_is_refused() -> None:
    body = b'event: citestream\ndata: {"type":"delta","text":"x"}\n\n'
    with pytest.raises(InputError, match="vendor's stream"):
        read(MixedReader(ChatReader()), body)


def test_why_the_vendors_stream_failed_is_said() -> None:
    reader = MixedReader(ChatReader())
    assert read(reader, piece("a"))[-1] == EndInput("failed")
    assert reader.problem == "the stream broke off before its end"


@pytest.mark.parametrize(
    ("reader", "body", "reason"),
    [
        (ResponsesReader, {"type": "response.completed"}, "complete"),
        (ResponsesReader, {"type": "response.failed"}, "failed"),
        (ResponsesReader, {"type": "response.incomplete"}, "length"),
        (
            ResponsesReader,
            {
                "type": "response.incomplete",
                "response": {"incomplete_details": {"reason": "content_filter"}},
            },
            "stopped",
        ),
        (AnthropicReader, {"type": "message_stop"}, "complete"),
        (
            AnthropicReader,
            {"type": "message_delta", "delta": {"stop_reason": "refusal"}},
            "stopped",
        ),
        (
            AnthropicReader,
            {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
            "length",
        ),
        (AnthropicReader, {"type": "error", "error": {"type": "overloaded_error"}}, "failed"),
        (GeminiReader, {"type": "", "candidates": [{"finishReason": "MAX_TOKENS"}]}, "length"),
        (GeminiReader, {"type": "", "candidates": [{"finishReason": "SAFETY"}]}, "stopped"),
        (GeminiReader, {"type": "", "error": {"code": 503}}, "failed"),
    ],
)
def test_why_an_answer_ends(
    reader: type[VendorReader], body: dict[str, object], reason: str
) -> None:
    one = reader()
    found = [*one.feed(vendor_streams.named(body)), *one.finish()]
    assert [event.reason for event in found if isinstance(event, EndInput)] == [reason]
    assert bool(one.problem) == (reason == "failed")


def test_thoughts_and_other_candidates_are_no_answer() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "a"}, {"functionCall": {}}]
    other = {"index": 1, "content": {"parts": [{"text": "b"}]}}
    body = {"type": "", "candidates": [{"content": {"parts": parts}}, other]}
    assert [*GeminiReader().feed(vendor_streams.named(body))] == [DeltaInput("a")]
