"""What all writers share: the field, and the vendor's own types, strictly."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.wire.formats import streams

from citestream import Turn
from citestream.turns import DeltaInput, EndInput, OutputEvent, PartInput
from citestream.wire.formats.clean_text import View
from citestream.wire.formats.openai_chat_writer import ChatWriter
from citestream.wire.formats.openai_responses_writer import ResponsesWriter
from citestream.wire.formats.vendor_writer import VendorWriter

MARKER = "\ue200cite\ue202a\ue201"
PART = PartInput("search", {"value": "a fact"}, "a", title="T", url="https://example.org/a")


def written(make: Callable[..., VendorWriter], **options: Any) -> list[dict[str, Any]]:
    turn = Turn(parts=[PART], include=["source", "claim", "offsets"])
    inputs = [DeltaInput("🗼 one"), DeltaInput(f"{MARKER}. Two"), EndInput()]
    events: list[OutputEvent] = [made for one in inputs for made in turn.accept(one)]
    writer = make(**options)
    return list(streams.events(b"".join(writer.encode(one, 0) for one in events)))


def test_chat_has_all_annotations_in_one_delta_and_the_field_in_the_finish_chunk() -> None:
    *_, listed, finish, done = written(ChatWriter, view=View(turn_id="t1"))
    [annotation] = listed["choices"][0]["delta"]["annotations"]
    assert annotation["url_citation"] == {
        "start_index": 0,
        "end_index": 6,
        "url": "https://example.org/a",
        "title": "T",
    }
    assert finish["id"] == "chatcmpl-t1"
    assert finish["citestream"]["citations"][0]["data_part_id"] == "a"
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert done == {"done": True}


def test_responses_repeats_its_annotations_in_every_snapshot() -> None:
    found = written(ResponsesWriter)
    assert [one["sequence_number"] for one in found] == list(range(len(found)))
    live = [one["annotation"] for one in found if one["type"].endswith("annotation.added")]
    part, item, end = found[-3]["part"], found[-2]["item"], found[-1]["response"]
    assert part["annotations"] == live
    assert item["content"] == [part]
    assert end["output"] == [item]
    assert end["citestream"]["parts"][0]["metadata"]["dataPartId"] == "a"


@pytest.mark.parametrize("unit", ["rune", "utf16", "utf8"])
def test_places_are_in_the_unit_that_was_asked_for(unit: Any) -> None:
    found = written(ResponsesWriter, view=View(offset_unit=unit))
    [live] = [one["annotation"] for one in found if one["type"].endswith("annotation.added")]
    assert live["end_index"] == {"rune": 6, "utf16": 7, "utf8": 9}[unit]
