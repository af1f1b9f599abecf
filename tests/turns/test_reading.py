"""Output events are read back from the JSON that they were written as, whatever they carry."""

import json
from typing import Any

import pytest

from citestream.parts import DataPart
from citestream.turns import (
    ArtifactEvent,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    ResultsInput,
    Turn,
    output_event,
)
from citestream.turns.answer import PartLink
from citestream.turns.citation import INCLUDES

MARKED = "One\ue200cite\ue202a\ue202/v\ue202gone\ue202b\ue201. Two [1]\ue200cite\ue202\ue201 end."
INPUT: list[InputEvent] = [
    PartInput(
        "search", {"v": "🗼 what it says", "w": [1]}, "a", title="T", url="https://a.example"
    ),
    PartInput("read", "x" * 300_000, "b", target={"kind": "web", "url": "https://b.example"}),
    ResultsInput("web_search", ({"title": "Tides", "url": "https://example.org/tides"},)),
    PartInput("t", None, "c", unreadable="nested"),
    CustomInput("n", {"a": [None, 1.5]}),
    DeltaInput(MARKED),
]


def events(*after: InputEvent, **given: Any) -> list[OutputEvent]:
    turn = Turn(**given)
    return [made for event in (*INPUT, *after) for made in turn.accept(event)]


@pytest.mark.parametrize("include", [(), INCLUDES, *((one,) for one in INCLUDES)])
@pytest.mark.parametrize("part_href", [None, "/v1/turns/t/parts/"])
@pytest.mark.parametrize("reason", ["complete", "failed"])
def test_what_is_read_back_writes_the_same(include: Any, part_href: Any, reason: Any) -> None:
    made = events(EndInput(reason), include=include, part_href=part_href)
    assert {event.type for event in made} == {
        *("delta", "citation", "custom", "citations_summary", "artifact"),
        *(["registered"] if "registered" in include else []),
        *(["source"] if "sources" in include else []),
    }
    for event in made:
        written = json.loads(json.dumps(event.as_json()))
        assert output_event(written).as_json() == written
        assert type(output_event(written)) is type(event)


@pytest.mark.parametrize(
    "event",
    [
        *Turn().finish(),  # neither text nor citations
        CustomEvent("n", None),
        ErrorEvent({"type": "about:blank", "status": 500}),
    ],
    ids=lambda event: event.type,
)
def test_events_that_say_little(event: OutputEvent) -> None:
    assert output_event(event.as_json()) == event


def test_a_part_that_is_a_link_stays_one() -> None:
    closing = output_event(events(EndInput(), part_href="/parts/")[-1].as_json())
    assert isinstance(closing, ArtifactEvent)
    first, second = closing.answer.cited_parts
    assert isinstance(first, DataPart)
    assert second == PartLink("b", "read", "/parts/b")


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(ValueError, match="type"):
        output_event({"type": "start"})
