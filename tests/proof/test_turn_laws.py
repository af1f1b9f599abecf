"""Laws that a reader of a turn may rely on, over random answers."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proof.face import as_expected, parsed, part, parts_of
from tests.proof.reference import reference
from tests.proof.texts import KNOWN, cuts, long_texts, marker, options, texts

from citestream import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    OutputEvent,
    PartInput,
    TextDelta,
    Turn,
)
from citestream.citations import EngineOptions

Options = dict[str, Any]
cut_texts = texts.flatmap(cuts)
quick = settings(max_examples=200, deadline=None)
slow = settings(max_examples=40, deadline=None)


def run(turn: Turn, inputs: Iterable[str | PartInput]) -> Iterator[list[OutputEvent]]:
    """The events behind each delta, then those of the end; parts are registered in between."""
    for event in inputs:
        if isinstance(event, str):
            yield turn.feed(event)
        else:
            turn.register_input(event)
    yield turn.finish()


def told(inputs: Iterable[str | PartInput], options: Options, known: Any = None) -> dict[str, Any]:
    """What a turn of these inputs comes to."""
    turn = Turn(options=EngineOptions(**options), parts=parts_of(known or {}))
    for _ in run(turn, inputs):
        pass
    return as_expected(turn.answer())


@quick
@given(cut_texts, options)
def test_a_turn_agrees_with_the_reference(deltas: list[str], options: Options) -> None:
    text = "".join(deltas)
    expected = reference(text, KNOWN, **options)
    assert told(deltas, options, KNOWN) == expected
    assert parsed(text, KNOWN, options) == expected


@slow
@given(long_texts.flatmap(cuts), options)
def test_a_turn_agrees_at_the_limits(deltas: list[str], options: Options) -> None:
    assert told(deltas, options, KNOWN) == reference("".join(deltas), KNOWN, **options)


@quick
@given(cut_texts, options)
def test_events(deltas: list[str], options: Options) -> None:
    turn = Turn(options=EngineOptions(**options), parts=parts_of(KNOWN))
    shown = ""
    live = []
    for events in run(turn, deltas):
        assert sum(isinstance(event, TextDelta) for event in events) <= 1
        for event in events:
            if isinstance(event, TextDelta):
                assert event.text != ""
                shown += event.text
            elif isinstance(event, CitationEvent):
                assert event.citation.offset <= len(shown)
                live.append(event.citation)
    *_, summary, closing = events
    assert isinstance(summary, CitationsSummary)
    assert isinstance(closing, ArtifactEvent)
    answer = turn.answer()
    assert closing.answer == answer
    assert shown == answer.text
    assert tuple(live) == summary.citations == answer.citations
    cited = [citation.data_part_id for citation in answer.citations]
    assert [given.id for given in answer.cited_parts] == list(dict.fromkeys(cited))


@quick
@given(cut_texts, options, st.data())
def test_when_a_part_arrives_makes_no_difference(
    deltas: list[str], options: Options, data: st.DataObject
) -> None:
    inputs: list[str | PartInput] = list(deltas)
    for source, origin in KNOWN.items():
        inputs.insert(data.draw(st.integers(0, len(inputs))), part(source, origin))
    turn = Turn(options=EngineOptions(**options))
    outputs = [event for events in run(turn, inputs) for event in events]
    assert as_expected(turn.answer()) == reference("".join(deltas), KNOWN, **options)
    live = [event.citation for event in outputs if isinstance(event, CitationEvent)]
    assert sorted(live, key=str) == sorted(turn.answer().citations, key=str)


@quick
@given(texts, options)
def test_a_snapshot_at_every_character_makes_no_difference(text: str, options: Options) -> None:
    plain = Turn(options=EngineOptions(**options), parts=parts_of(KNOWN))
    carried = Turn(options=EngineOptions(**options), parts=parts_of(KNOWN))
    for sign in text:
        assert carried.feed(sign) == plain.feed(sign)
        carried = Turn.restore(json.loads(json.dumps(carried.snapshot())))
    assert carried.finish() == plain.finish()
    assert carried.answer() == plain.answer()


@pytest.mark.parametrize("count", [1999, 2000, 2001, 2002])
def test_entries_up_to_the_limit(count: int) -> None:
    """Counted over everything that markers name, dropped or not."""
    named = ["a", "gone", "note"] * count
    text = "".join(f"w{marker(source)}" for source in named[:count])
    expected = reference(text, KNOWN)
    assert ("'limit'" in str(expected["dropped"])) == (count > 2000)
    assert told([text], {}, KNOWN) == expected
    assert told([text[:5001], text[5001:]], {}, KNOWN) == expected


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "completed"),
        (marker("user_text_01"), "retry_required"),
        (marker("note", "/x", "user_data_9"), "retry_required"),
        (marker("note", "a"), "completed"),
        (marker("note") + "x", "completed"),
        (marker("note") + " \n\u2003", "retry_required"),
        (marker("note", "gone"), "retry_required"),
        (marker("gone"), "completed"),
        (marker("note")[:-1], "completed"),
    ],
)
def test_an_answer_from_the_user_alone_is_to_be_tried_again(text: str, status: str) -> None:
    turn = Turn(parts=parts_of(KNOWN))
    turn.feed(text)
    turn.finish()
    assert turn.answer().status == status
    if status == "retry_required":
        assert turn.answer().artifact() == {"parts": []}
