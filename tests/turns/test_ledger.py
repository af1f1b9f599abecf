"""The ledger: what waits, what is cited, what is dropped and why, whatever comes when."""

import itertools
import json
from collections.abc import Iterable

import pytest

from citestream.citations import Entry
from citestream.turns.claiming import Covered
from citestream.turns.ledger import MAX_ENTRIES, Ledger
from citestream.turns.offsets import Offsets

Pairs = list[tuple[str, str]]


class Parts(dict[str, str]):
    """Ids and origins; a part that is added is reported to the ledger."""

    def __init__(self, **origins: str) -> None:
        super().__init__(origins)
        self.ledger = Ledger(self.get, {}.get)

    def add(self, part_id: str, origin: str = "tool") -> None:
        self[part_id] = origin
        self.ledger.part_added(part_id)


def entry(source_id: str, locator: str = "", *undecided: str, offset: int = 0) -> Entry:
    return Entry(source_id, offset, locator, undecided=undecided)


def taken(ledger: Ledger) -> Pairs:
    return [(source.source_id, source.locator) for source in ledger.take()]


def cited(ledger: Ledger) -> Pairs:
    return [(one.source_id, one.locator) for one in ledger.sources() if one.cited]


def dropped(ledger: Ledger) -> list[tuple[str, str, str]]:
    return [(one.data_part_id, one.locator, one.reason) for one in ledger.dropped(ended=True)]


def filled(parts: Parts, entries: Iterable[Entry]) -> Ledger:
    for one in entries:
        parts.ledger.add(one, None)
    return parts.ledger


def test_a_known_source_is_cited_at_once_and_another_when_its_part_comes() -> None:
    parts = Parts(a="tool")
    ledger = filled(parts, [entry("b", "/x"), entry("a"), entry("b")])
    assert taken(ledger) == [("a", "")]
    assert ledger.dropped(ended=False) == ()
    parts.add("b")
    assert taken(ledger) == [("b", "/x"), ("b", "")]
    assert cited(ledger) == [("b", "/x"), ("a", ""), ("b", "")]


def test_what_is_dropped_says_why() -> None:
    parts = Parts(mine="user")
    ledger = filled(parts, [entry("mine"), entry("user_data_1", "/x"), entry("none")])
    assert [one.reason for one in ledger.dropped(ended=False)] == ["user_origin"] * 2
    ledger.close()
    assert dropped(ledger) == [
        ("mine", "", "user_origin"),
        ("user_data_1", "/x", "user_origin"),
        ("none", "", "unknown_part"),
    ]
    assert ledger.wants_retry()


def test_without_anything_of_the_users_or_with_a_citation_no_retry_is_wanted() -> None:
    assert not filled(Parts(), [entry("none")]).wants_retry()
    assert not filled(Parts(a="tool"), [entry("user_text_1"), entry("a")]).wants_retry()


def test_an_undecided_field_waits_for_its_part_or_the_end() -> None:
    parts = Parts(a="tool")
    ledger = filled(parts, [entry("a", "", "x.y", "/z", "b")])
    assert taken(ledger) == []
    parts.add("x.y")
    assert taken(ledger) == [("a", ""), ("x.y", "/z")]
    parts.add("b")
    assert taken(ledger) == [("b", "")]
    ledger.close()
    assert cited(ledger) == [("a", ""), ("x.y", "/z"), ("b", "")]

    parts = Parts(a="tool", b="tool")
    ledger = filled(parts, [entry("a", "", "x.y", "/z", "b")])
    ledger.close()
    assert taken(ledger) == cited(ledger) == [("a", "x.y"), ("a", "/z"), ("b", "")]


def test_each_undecided_field_has_to_be_known() -> None:
    parts = Parts(a="tool")
    ledger = filled(parts, [entry("a", "/1", "x.y", "x.z")])
    parts.add("x.z")
    assert taken(ledger) == []
    parts.add("x.y")
    assert taken(ledger) == [("a", "/1"), ("x.y", ""), ("x.z", "")]


@pytest.mark.parametrize("over", [0, 1, 2])
def test_the_limit_counts_what_undecided_fields_came_to(over: int) -> None:
    parts = Parts(a="tool")
    entries = [entry("a", "", "x.y")] * 2 + [entry("a")] * (MAX_ENTRIES - 2 + over)
    ledger = filled(parts, entries)
    live = taken(ledger)
    assert live == [("a", "")] * (MAX_ENTRIES - 4)  # both fields might have been sources
    ledger.close()
    assert cited(ledger) == [("a", "x.y")] * 2 + [("a", "")] * (MAX_ENTRIES - 2)
    assert sorted(live + taken(ledger)) == sorted(cited(ledger))
    assert dropped(ledger) == [("a", "", "limit")] * over


ROWS = [
    entry("a", "", offset=1),
    entry("b", "/x", "c.d", offset=2),
    entry("user_text_1", offset=2),
    entry("late", "", "/p", "e.f", offset=3),
]


@pytest.mark.parametrize("when", range(5))
def test_a_ledger_goes_on_from_its_rows(when: int) -> None:
    events = ["a", "b", "c.d", "late", "e.f"]
    for order in itertools.permutations(events):
        parts = Parts()
        ledger = filled(parts, ROWS)
        for part_id in order[:when]:
            parts.add(part_id)
        if when % 2:
            ledger.take()
        again = Ledger(parts.get, {}.get)
        rows = json.loads(json.dumps([ledger.rows(0), ledger.unsent_places()]))
        again.restore(*rows, ended=False)
        assert again.rows(0) == ledger.rows(0)
        assert taken(again) == taken(ledger)
        for part_id in order[when:]:
            parts.add(part_id)
            again.part_added(part_id)
        ledger.close()
        again.close()
        assert taken(again) == taken(ledger)
        assert (cited(again), dropped(again)) == (cited(ledger), dropped(ledger))


def test_what_is_kept() -> None:
    ledger = Ledger({}.get, {}.get)
    ledger.add(entry("a", "/x", offset=1), None)
    ledger.add(entry("b", "", "c.d", offset=5), Offsets(1, 2, 3))
    assert len(ledger) == 2
    assert ledger.rows(0) == [
        {"entry": ["a", 1, "/x"], "offsets": None},
        {"entry": ["b", 5, "", "c.d"], "offsets": [1, 2, 3]},
    ]
    assert ledger.rows(1) == ledger.rows(0)[1:]


def test_a_number_stands_for_the_part_that_has_it_first() -> None:
    numbers: dict[str, str] = {}
    ledger = Ledger({"w": "tool", "1": "tool"}.get, numbers.get)
    ledger.add(Entry("1", 4, "", (), (2, 4), numbered=True), None, Covered(2, 4))
    covered = [2, 4, [], []]
    assert ledger.rows(0) == [
        {"entry": ["1", 4, ""], "offsets": None, "covered": covered, "numbered": True}
    ]
    assert ledger.take() == []
    numbers["1"] = "w"
    ledger.number_added(1)
    assert [(one.source_id, one.covered) for one in ledger.take()] == [("w", Covered(2, 4))]
    again = Ledger({"w": "tool", "1": "tool"}.get, {"1": "1"}.get)
    again.restore(json.loads(json.dumps(ledger.rows(0))), [], ended=False)
    assert (
        again.rows(0)
        == ledger.rows(0)
        == [{"entry": ["w", 4, ""], "offsets": None, "covered": covered}]
    )


def test_a_number_that_no_part_has_is_dropped_at_the_end() -> None:
    ledger = Ledger({"a": "tool"}.get, {}.get)
    ledger.add(Entry("2", 4, "", numbered=True), None)
    ledger.add(Entry("a", 2, ""), None)
    ledger.add(Entry("b", 3, ""), None)
    ledger.close()
    assert [(one.data_part_id, one.offset) for one in ledger.dropped(ended=True)] == [
        ("b", 3),
        ("2", 4),
    ]
