"""Citations as readers get them: each name of ``include`` adds its field and no other."""

from typing import Any

import pytest

from citestream.claims import Check
from citestream.parts import DataPart, IdCounter
from citestream.turns.citation import Citation, Include, Source
from citestream.turns.citing import LARGE_PART, Citing
from citestream.turns.claiming import Covered
from citestream.turns.ledger import NamedSource
from citestream.turns.material import Material
from citestream.turns.offsets import Offsets

PART = DataPart("a", "search", {"dose": "450 mg"}, title="Doses", url="https://example.org/doses")
PLACE = Offsets(5, 5, 6)
COVERED = Covered(0, 5, None, ("450", "500"))


@pytest.fixture
def citing() -> Citing:
    material = Material(ids=IdCounter(), preset=None, web_tools=frozenset(), carried=[])
    material.add(PART)
    return Citing(material)


def named(covered: Covered | None = COVERED, offsets: Offsets | None = None) -> NamedSource:
    return NamedSource("a", "/dose", 5, offsets, over=False, covered=covered)


def test_a_citation_has_its_part_place_and_locator_alone(citing: Citing) -> None:
    assert citing.citation(named(None), frozenset()) == Citation("a", 5, "/dose")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("source", "source", Source("search", "Doses", "https://example.org/doses", None)),
        ("claim", "claim", COVERED),
        ("check", "check", Check(("450",), ("500",))),
    ],
)
def test_what_is_asked_for_is_added(citing: Citing, name: Include, field: str, value: Any) -> None:
    citation = citing.citation(named(), frozenset({name}))
    assert getattr(citation, field) == value
    others = {"source", "claim", "check", "excerpt"} - {field}
    assert all(getattr(citation, other) is None for other in others)


def test_an_excerpt_says_what_the_place_holds(citing: Citing) -> None:
    excerpt = citing.citation(named(), frozenset({"excerpt"})).excerpt
    assert excerpt is not None
    assert excerpt.text == "450 mg"


def test_offsets_are_those_of_the_marker(citing: Citing) -> None:
    assert citing.citation(named(offsets=PLACE), frozenset()).offsets == PLACE


def test_a_large_part_is_read_when_it_is_new(
    citing: Citing, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        "citestream.turns.checks.Checks.prepare", lambda _, part: read.append(part.id)
    )
    large = DataPart("large", "search", "x" * LARGE_PART)
    for part in (PART, large):
        citing.prepare(part, frozenset())
        citing.prepare(part, frozenset({"check"}))
    assert read == ["large"]
