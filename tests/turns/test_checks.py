"""With which place of a part a claim is compared, and that each part is read once."""

from typing import Any

import pytest

from citestream.claims import Place
from citestream.parts import DataPart, Excerpts, make_part
from citestream.turns import checks as module
from citestream.turns.checks import Checks

LONG = "word " * 500
TEXT = f"one 1\r\n{LONG}2 “two”\r\nthree 3"


def found(data: Any, locator: str, *items: str) -> tuple[str, ...]:
    part = make_part("a", "t", data)
    return Checks(Excerpts().index).check(part, locator, items).found


@pytest.mark.parametrize("data", [TEXT, {"value": TEXT}, {"value": TEXT, "other": "9"}])
@pytest.mark.parametrize(
    ("locator", "items"),
    [
        ("L1", ("1",)),
        ("L2", ("2", "two")),
        ("L2-L3", ("2", "3", "two")),
        ("L1-L3", ("1", "2", "3", "two")),
        ("", ("1", "2", "3", "two")),
        ("L4", ("1", "2", "3", "two")),
        ("/no", ("1", "2", "3", "two")),
        ("page", ("1", "2", "3", "two")),
    ],
)
def test_lines(data: Any, locator: str, items: tuple[str, ...]) -> None:
    assert found(data, locator, "1", "2", "3", "two") == items


@pytest.mark.parametrize(
    ("locator", "items"),
    [
        ("/a/0", ("1",)),
        ("/a/1", ("2",)),
        ("/a", ("1", "2")),
        ("/b", ("3",)),
        ("/c", ("4",)),
        ("/d", ()),
        ("/e", ("5", "é")),
        ("/no", ("1", "2", "3", "4", "5", "é")),
        ("L1", ("1", "2", "3", "4", "5", "é")),
        ("", ("1", "2", "3", "4", "5", "é")),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_pointers(locator: str, items: tuple[str, ...], wrapped: bool) -> None:
    data: Any = {"a": [LONG + "1", LONG + "2"], "b": 3, "c": "x 4", "d": None, "e": {"É": 5}}
    data = {"value": data} if wrapped else data
    assert found(data, locator, "1", "2", "3", "4", "5", "é") == items


def test_the_same_object_at_two_places() -> None:
    part = DataPart("a", "t", {"x": (shared := LONG + "7"), "y": shared, "z": "8"})
    checks = Checks(Excerpts().index)
    assert checks.check(part, "/x", ("7", "8")).found == ("7",)
    assert checks.check(part, "/y", ("7", "8")).found == ("7",)


def test_a_large_part_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    class Counted(Place):
        def __init__(self, value: Any) -> None:
            super().__init__(value)
            read.append(self.length)

    monkeypatch.setattr(module, "Place", Counted)
    part = make_part("a", "t", {"value": "\n".join(f"line {n} {LONG}" for n in range(50))})
    checks = Checks(Excerpts().index)
    checks.prepare(part)
    for first in range(2, 51):
        items = (str(first - 1), str(first - 2))
        assert checks.check(part, f"L{first}-L50", items) == (items[:1], items[1:])
        assert checks.check(part, f"L{first}", items) == (items[:1], items[1:])
    assert len(read) == 1


def test_nothing_to_compare_reads_nothing() -> None:
    checks = Checks(Excerpts().index)
    assert checks.check(make_part("a", "t", LONG), "", ()) == ((), ())
    assert not checks._places
