"""Fields that a reader adds: places of a growing text, and citations in events."""

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citestream.parts import DataPart
from citestream.service.stored import including
from citestream.service.stored.including import Including, Places
from citestream.stores.port import EventRow
from citestream.turns.offsets import Offsets

PARTS = {name: DataPart(name, "search", f"{name} one\n{name} two") for name in "abc"}
DELTAS = st.lists(st.text(alphabet="aé漢🎉\n", max_size=3000), max_size=4)


@given(DELTAS, st.data())
def test_a_place_is_what_counting_from_the_beginning_gives(
    deltas: list[str], data: st.DataObject
) -> None:
    places, text = Places(), "".join(deltas)
    for delta in deltas:
        places.add(delta)
    for _ in range(5):
        offset = data.draw(st.integers(0, len(text)))
        assert places.at(offset) == Offsets(0, 0, 0).after(text[:offset])


def row(**event: Any) -> EventRow:
    return EventRow(event["type"], json.dumps(event).encode())


def citation(part: str, locator: str = "L1") -> dict[str, Any]:
    return {"data_part_id": part, "offset": 1, "locator": locator}


def added(include: set[str], *rows: EventRow) -> tuple[list[dict[str, Any]], list[str]]:
    """The events as a reader gets them, and the ids of the parts that were read."""
    read: list[str] = []

    async def part(part_id: str) -> tuple[DataPart, int]:
        read.append(part_id)
        return PARTS[part_id], 10

    async def run() -> list[dict[str, Any]]:
        reader = Including(frozenset(include), part)  # type: ignore[arg-type]
        return [json.loads((await reader.event(one)).data) for one in rows]

    return asyncio.run(run()), read


def test_each_citation_of_each_event_has_the_fields_and_a_part_is_read_once() -> None:
    cited = [citation("a"), citation("b", "L2")]
    artifact = {"parts": [{"text": "🎉", "metadata": {"citations": cited}}]}
    events, read = added(
        {"offsets", "excerpt", "source"},
        row(type="delta", text="🎉"),
        row(type="citation", citation=cited[0]),
        row(type="citations_summary", citations=cited),
        row(type="artifact", artifact=artifact),
        row(type="custom", name="n", value={"citations": [1]}),
    )
    first, second = events[2]["citations"]
    assert list(first) == [
        *("data_part_id", "offset", "locator", "resolution", "excerpt", "offsets", "source")
    ]
    assert first["offsets"] == {"rune": 1, "utf16": 2, "utf8": 4}
    assert (first["excerpt"]["text"], second["excerpt"]["text"]) == ("a one", "b two")
    assert events[1]["citation"] == first
    assert events[3]["artifact"]["parts"][0]["metadata"]["citations"] == [first, second]
    assert events[4]["value"] == {"citations": [1]}
    assert read == ["a", "b"]


def test_of_a_turn_whose_events_were_trimmed_the_artifact_is_enough() -> None:
    artifact = {"parts": [{"text": "🎉", "metadata": {"citations": [citation("a")]}}]}
    [event], read = added({"offsets"}, row(type="artifact", artifact=artifact))
    [found] = event["artifact"]["parts"][0]["metadata"]["citations"]
    assert found["offsets"]["utf16"] == 2
    assert read == []


def test_fields_that_are_there_stay() -> None:
    own = {**citation("a"), "offsets": {"rune": 1, "utf16": 1, "utf8": 1}, "claim": {"start": 0}}
    [_, event], _ = added(
        {"offsets", "source"}, row(type="delta", text="x"), row(type="citation", citation=own)
    )
    assert event["citation"].items() >= own.items()
    assert list(event["citation"])[-2:] == ["source", "claim"]


def test_parts_are_held_up_to_a_limit(monkeypatch: Any) -> None:
    monkeypatch.setattr(including, "_HELD", 15)
    cited = [citation("a"), citation("b"), citation("a", "L2"), citation("a")]
    _, read = added({"excerpt"}, row(type="citations_summary", citations=cited))
    assert read == ["a", "b", "a"]
