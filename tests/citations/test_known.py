"""What a turn knows: ids first, then the first part of a number."""

from citestream import PartInput, Turn
from citestream.citations import EngineOptions
from citestream.citations.known import KnownSources
from citestream.turns.events import ResultsInput


def test_an_id_is_known_before_a_number() -> None:
    ids = {"1", "w_two", "w_other"}
    known = KnownSources(ids)
    for part_id in sorted(ids):
        known.add(part_id)
    known.add_number(1, "w_two")
    known.add_number(2, "w_two")
    known.add_number(2, "w_other")
    assert (known.resolve("1"), known.resolve("2"), known.resolve("3")) == ("1", "w_two", None)
    assert (known("2"), known("3"), known.is_id("2"), known.is_id("w_two")) == (
        True,
        False,
        False,
        True,
    )
    assert set(known.id_lengths) == {1, 5, 7}
    assert known.begins_id("")
    assert known.begins_id("w_t")
    assert known.begins_id("w_two")
    assert not known.begins_id("w_two3")
    assert not known.begins_id("x")
    assert not KnownSources(()).begins_id("")


WEB = ResultsInput("web_search", ({"id": "w", "title": "W", "url": "https://example.org/"},))


def cited(turn: Turn) -> list[str]:
    turn.finish()
    return [citation.data_part_id for citation in turn.answer().citations]


def test_a_number_that_becomes_known_later_resolves() -> None:
    turn = Turn(options=EngineOptions(dialect=["tags", "guide"]))
    turn.feed("<cite id=1>x</cite> \ue200cite\ue2021\ue201y ")
    turn.accept(WEB)
    turn.feed("z")
    assert cited(turn) == ["w"]
    assert [one.data_part_id for one in turn.answer().dropped] == ["1"]


def test_a_citation_keeps_its_part_over_a_snapshot() -> None:
    turn = Turn(options=EngineOptions(dialect="tags"))
    turn.accept(WEB)
    turn.feed("<cite id=1>x</cite> y")
    turn.register_input(PartInput("t", {"value": 1}, id="1"))
    turn = Turn.restore(turn.snapshot())
    turn.feed("<cite id=1>z</cite>")
    assert cited(turn) == ["w", "1"]


def test_a_number_is_known_when_its_bracket_closes() -> None:
    turn = Turn(options=EngineOptions(dialect="numbers", numbers="strip"))
    turn.feed("a [1]. b [1")
    turn.accept(WEB)
    turn.feed("]. c")
    assert cited(turn) == ["w"]
    assert turn.answer().text == "a [1]. b . c"


def test_citations_are_sorted_by_offset() -> None:
    turn = Turn(options=EngineOptions(dialect=["tags", "guide"]))
    for part_id in ("a", "b"):
        turn.register_input(PartInput("t", {"value": 1}, id=part_id))
    turn.feed("<cite id=a>x \ue200cite\ue202b\ue201 \n\n")
    turn.feed("\ue200cite\ue202b\ue201y")
    turn.finish()
    found = [(one.data_part_id, one.offset) for one in turn.answer().citations]
    assert found == [("a", 1), ("b", 2), ("b", 5)]
