"""The native stream format, read back by a parser written from the standard."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sse import Reader, events_of

from citestream import PartInput, Turn
from citestream.turns import CustomEvent, ErrorEvent, OutputEvent, TextDelta
from citestream.wire.formats.native import NativeWriter

HOSTILE = "a\r\n\nevent: x\n\nid: 9\r\rdata: y\u0085\u2028\u2029\x00\x1f: z"


def all_events() -> list[OutputEvent]:
    turn = Turn(parts=[PartInput(HOSTILE, {HOSTILE: HOSTILE}, "a")], include=["excerpt", "source"])
    return [
        *turn.feed(f"{HOSTILE}\ue200cite\ue202a\ue201."),
        CustomEvent(HOSTILE, {HOSTILE: [HOSTILE]}),
        *turn.finish(),
        ErrorEvent({"detail": HOSTILE}),
    ]


def frames(events: Iterable[OutputEvent]) -> list[bytes]:
    writer = NativeWriter()
    return [writer.encode(event, number) for number, event in enumerate(events, 1)]


def test_every_event_is_read_as_it_was_written() -> None:
    events = all_events()
    assert {event.type for event in events} == {
        "delta",
        "citation",
        "custom",
        "citations_summary",
        "artifact",
        "error",
    }
    found = events_of(b"".join(frames(events)))
    assert [one.value for one in found] == [event.as_json() for event in events]
    assert [one.type for one in found] == [event.type for event in events]
    assert [one.id for one in found] == [str(n + 1) for n in range(len(events))]


@settings(max_examples=200, deadline=None)
@given(st.text("ax:\r\n\u0085\u2028\u2029\x00\x0b\x0c\x1c\ufeff 😀", min_size=1))
def test_a_frame_has_three_lines_and_one_event(text: str) -> None:
    frame = NativeWriter().encode(TextDelta(text), 7)
    assert frame.decode().splitlines() == [
        "id: 7",
        "event: delta",
        "data: " + frame.decode().split("data: ", 1)[1].rstrip("\n"),
        "",
    ]
    [event] = events_of(frame)
    assert (event.type, event.id) == ("delta", "7")
    assert event.value == {"type": "delta", "text": text}


def test_transport_is_no_event() -> None:
    reader = Reader()
    assert reader.feed(NativeWriter.keepalive + NativeWriter.farewell) == []
    assert reader.comments == ["ping"]
    assert reader.retry == 1000


@pytest.mark.parametrize("size", [1, 3, 7])
def test_how_a_stream_is_cut_changes_nothing(size: int) -> None:
    stream = NativeWriter.keepalive.join(frames(all_events()))
    reader = Reader()
    found = [
        event for at in range(0, len(stream), size) for event in reader.feed(stream[at : at + size])
    ]
    assert found == events_of(stream)
