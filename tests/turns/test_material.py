"""What an answer may be made from: parts of its own, carried ones, and what was refused."""

import json

from citestream.parts import DataPart, IdCounter, PartDataError
from citestream.turns import PartInput, ResultsInput
from citestream.turns.material import Material
from citestream.turns.results import WEB_TOOLS

CARRIED = DataPart("old", "search", {"value": "from an earlier turn"})
PAGES = ResultsInput(
    "web_search", ({"title": "Tides", "url": "https://example.org/tides"}, {"n": float("inf")})
)


def material() -> Material:
    return Material(ids=IdCounter(), preset=None, web_tools=WEB_TOOLS, carried=[CARRIED])


def registered(made: Material, event: PartInput | ResultsInput) -> list[bool]:
    registration = made.intake().admit(event)
    made.add_results(registration)
    return [made.add(part) for part in registration.parts]


def test_a_part_is_new_once() -> None:
    made = material()
    registration = made.intake().admit(PartInput("search", 1, "a"))
    assert [part.id for part in made.new_parts(registration)] == ["a"]
    assert registered(made, PartInput("search", 1, "a")) == [True]
    assert registered(made, PartInput("search", 1, "a")) == [False]
    assert made.new_parts(registration) == []
    assert [part.id for part in made.parts()] == ["a"]


def test_a_carried_part_is_citable_and_registered_once_it_is_cited() -> None:
    made = material()
    registered(made, PartInput("search", 1))
    assert [part.id for part in made.citable()] == ["old", "tool_data_01"]
    assert (made.origin("old"), made.origin("tool_data_01"), made.origin("no")) == (
        "tool",
        "tool",
        None,
    )
    made.carry("old")
    made.carry("old")
    assert made["old"] == CARRIED
    assert [part.id for part in made.parts()] == ["tool_data_01"]
    assert made.carried_cited() == [CARRIED]
    assert made.carried_cited(1) == []


def test_the_number_of_a_source_names_its_part() -> None:
    made = material()
    registered(made, PAGES)
    assert made.known.resolve("1") == "tool_data_01"
    assert made.known.resolve("2") is None


def test_what_cannot_be_held_is_refused_by_name() -> None:
    made = material()
    registered(made, PAGES)
    assert [(one.tool_name, one.problem) for one in made.refused] == [
        ("web_search", "results[1]: numbers must be finite")
    ]


def test_at_most_20_that_were_refused_are_named() -> None:
    made = material()
    for _ in range(15):
        registered(made, ResultsInput("t", (float("nan"), float("nan"))))
    assert len(made.refused) == 20


def test_a_restored_one_has_the_same() -> None:
    made = material()
    registered(made, PAGES)
    made.carry("old")
    again = material()
    again.restore(json.loads(json.dumps(made.rows())), [one.as_json() for one in made.refused])
    assert again.rows() == made.rows()
    assert again.refused == made.refused
    assert again.known.resolve("1") == "tool_data_01"
    assert again.parts() == made.parts()
    assert again.carried_cited() == made.carried_cited()


def test_a_strict_intake_raises_for_what_cannot_be_held() -> None:
    made = material()
    try:
        made.intake().admit(PartInput("t", float("nan")), strict=True)
    except PartDataError:
        assert made.parts() == ()
    else:
        raise AssertionError("it was taken")
