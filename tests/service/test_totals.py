"""What a turn may hold: each limit one below, at and one above."""

import pytest

from citestream.service import totals
from citestream.service.totals import CITATION_COST, PART_BYTES, Totals, parts_of
from citestream.turns import DeltaInput, EndInput, PartInput, ResultsInput, SettledResults
from citestream.wire.input.errors import InputError

PART = PartInput("t", "xy", "a")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in (("MAX_TEXT", 6), ("MAX_DELTAS", 3), ("MAX_PARTS_SIZE", 8)):
        monkeypatch.setattr(totals, name, limit)


def test_text_is_counted_as_utf8_over_all_deltas() -> None:
    counted = Totals()
    for text in ("abc", "é"):
        counted.admit(DeltaInput(text))
    assert counted.text == 5
    counted.admit(DeltaInput("x"))
    with pytest.raises(InputError, match=r"^text: at most 6 bytes of UTF-8 in a turn$"):
        Totals(text=6).admit(DeltaInput("x"))


def test_deltas_are_counted_even_when_empty() -> None:
    counted = Totals()
    for _ in range(3):
        counted.admit(DeltaInput(""))
    with pytest.raises(InputError, match=r"^deltas: at most 3 deltas in a turn$"):
        counted.admit(DeltaInput(""))


def test_parts_are_counted_as_json_wherever_they_come_from() -> None:
    counted = Totals()
    counted.admit(PART)
    gathered = SettledResults(ResultsInput("t", ({},)), (PART,), (None,), (), (None,), (), "")
    counted.admit(gathered)
    assert counted.parts == 8
    with pytest.raises(InputError, match=r"^data: at most 8 bytes of JSON in the parts of a turn$"):
        counted.admit(PartInput("t", 1, "b"))


def test_which_parts_an_event_brings() -> None:
    gathered = SettledResults(ResultsInput("t", ({},)), (PART,), (None,), (), (None,), (), "")
    assert parts_of(PART) == parts_of(gathered) == (PART,)
    assert parts_of(EndInput()) == parts_of(DeltaInput("x")) == ()


def test_what_an_event_costs_is_what_it_sets_off() -> None:
    counted = Totals(text=5_000, parts=PART_BYTES * 1_000)
    assert counted.cost(DeltaInput("abc"), named=9) == 3
    assert counted.cost(EndInput(), named=0) == 6_000
    assert counted.cost(EndInput(), named=10) == 6_000 + 10 * CITATION_COST
    assert counted.cost(PART, named=10) == 10 * CITATION_COST
