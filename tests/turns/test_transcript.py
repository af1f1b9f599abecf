"""The text of an answer as it is read: what its markers name is entered when its text is shown."""

import json

import pytest

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.turns import PartInput
from citestream.turns.citation import Include
from citestream.turns.material import Material
from citestream.turns.offsets import Offsets
from citestream.turns.results import WEB_TOOLS
from citestream.turns.transcript import Transcript

A = "\ue200cite\ue202a\ue201"
UNITS: frozenset[Include] = frozenset({"offsets"})


@pytest.fixture
def material() -> Material:
    made = Material(ids=IdCounter(), preset=None, web_tools=WEB_TOOLS, carried=[])
    registration = made.intake().admit(PartInput("search", 1, "a"))
    for part in registration.parts:
        made.add(part)
    return made


def read(transcript: Transcript, *deltas: str) -> list[bool]:
    return [transcript.settle(transcript.engine.feed(delta)) for delta in deltas]


def places(transcript: Transcript) -> list[tuple[int, Offsets | None]]:
    return [(one.offset, one.offsets) for one in transcript.ledger.sources()]


def test_a_marker_is_entered_when_its_offset_has_settled(material: Material) -> None:
    transcript = Transcript(EngineOptions(), frozenset(), material)
    assert read(transcript, "Noon", A, ".", " ") == [False, False, False, True]
    assert places(transcript) == [(5, None)]


def test_offsets_are_counted_in_three_units_where_they_are_asked_for(material: Material) -> None:
    transcript = Transcript(EngineOptions(), UNITS, material)
    read(transcript, "\U0001f600", f"é{A}. ")
    assert places(transcript) == [(3, Offsets(3, 4, 7))]


def test_a_claim_is_found_where_it_is_asked_for(material: Material) -> None:
    transcript = Transcript(EngineOptions(), frozenset({"claim"}), material)
    read(transcript, f"One. Two{A}. ")
    [source] = transcript.ledger.sources()
    assert source.covered
    assert (source.covered.start, source.covered.end) == (5, 9)


def test_another_answer_follows_the_text_that_was_shown(material: Material) -> None:
    first = Transcript(EngineOptions(), UNITS, material)
    read(first, f"\U0001f600{A} ")
    second = Transcript(EngineOptions(), UNITS, material)
    second.follow(first.state(), first.engine.text, material)
    assert places(second) == []
    read(second, f"é{A} ")
    assert places(second) == [(3, Offsets(3, 4, 7))]
    assert second.engine.text == "\U0001f600 é "


def test_a_restored_one_goes_on_at_every_place(material: Material) -> None:
    include: frozenset[Include] = frozenset({"offsets", "claim"})
    raw = f"One \U0001f600{A}. Two, é{A}{A}. End"
    whole = Transcript(EngineOptions(), include, material)
    read(whole, *raw)
    for cut in range(len(raw)):
        begun = Transcript(EngineOptions(), include, material)
        read(begun, *raw[:cut])
        state = json.loads(json.dumps(begun.state()))
        again = Transcript(EngineOptions(), include, material)
        rows = begun.ledger.rows(0)
        again.restore(state, begun.engine.text, rows, include, material, ended=False)
        read(again, *raw[cut:])
        assert places(again) == places(whole)
        assert again.ledger.rows(0) == whole.ledger.rows(0)
