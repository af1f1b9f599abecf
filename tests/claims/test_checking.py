"""Checks: what of a claim is compared, and what counts as there."""

import json
from typing import Any

import pytest

from citestream.claims import Place, check, find_items


@pytest.mark.parametrize(
    ("claim", "items"),
    [
        ("The limit is 450 mg, not 500.", ["450", "500"]),
        ("30, 31, 30 and 29", ["30", "31", "29"]),
        ("She named it “Early Iron,” or „late iron“.", ["Early Iron", "late iron"]),
        ("«  early   iron »", ["early   iron"]),
        ('「あ」 and 『い』 and “…” and "x!?"', ["あ", "い", "x"]),
        ("“in 1999” it was", ["in 1999", "1999"]),
        ('a 5" and a 6" screen', ["5", "6"]),
        ("it's 'plain'", []),
        ("“open", []),
    ],
)
def test_what_is_compared(claim: str, items: list[str]) -> None:
    assert list(find_items(claim)) == items


def test_a_long_claim_is_read_at_its_end() -> None:
    assert find_items("7 " + "1234 " * 400) == ("1234",)
    assert find_items("9" * 3000) == ()
    many = find_items("“a1” “b2” " * 3 + "".join(f"“c{n}” " for n in range(90)))
    assert many == ("a1", "b2", *(f"c{n}" for n in range(8)))


@pytest.mark.parametrize(
    ("claim", "value", "found", "missing"),
    [
        ("450", {"limit": 450, "other": [1, "x 2"]}, ["450"], []),
        ("2 and 3", {"limit": 450, "other": [1, "x 2"]}, ["2"], ["3"]),
        ("“limit”", {"limit": 450}, ["limit"], []),
        ("“LIMIT  of”", "the limit\n of", ["LIMIT  of"], []),
        ("“it’s”", "IT'S", ["it’s"], []),
        ("1", {"a": True, "b": None}, [], ["1"]),
        ("“one two”", ["one", "two"], [], ["one two"]),
        ("“450”", {"limit": 450}, ["450"], []),
        ("“İstanbul”", "İSTANBUL", ["İstanbul"], []),
        ("“a.b”", "axb", [], ["a.b"]),
        ("42 %", 0.42, ["42 %"], []),
        ("5", None, [], ["5"]),
    ],
)
def test_what_is_there(claim: str, value: object, found: list[str], missing: list[str]) -> None:
    assert check(claim, value).as_json() == {"found": found, "missing": missing}


def test_a_range_of_a_place() -> None:
    text = "one 1\ntwo 2\nthree 3"
    place = Place(text)
    items = find_items("1, 2, 3, “two”, “three”")
    second = text.index("two"), text.index("\nthree")
    assert place.check(items, second).as_json() == {
        "found": ["2", "two"],
        "missing": ["1", "3", "three"],
    }
    assert place.check(items).missing == ()
    assert place.length >= len(text)


def test_deep_data_is_read() -> None:
    deep = json.loads("[" * 64 + '"450"' + "]" * 64)
    assert check("450", deep).found == ("450",)


def test_a_value_in_a_value_is_where_it_is() -> None:
    value: dict[str, Any] = {"a": ["7 " * 600, {"b": "“x y” " * 300, "c": 8}], "d": "9", "e": 7}
    place = Place(value)
    items = find_items("7, 8, 9, “x y”, “b”")
    inner = value["a"]
    assert place.span(value["d"]) is None
    assert place.check(items, place.span(inner[0])).found == ("7",)
    assert place.check(items, place.span(inner[1])).found == ("8", "x y", "b")
    assert place.check(items, place.span(inner)).found == ("7", "8", "x y", "b")
    assert place.check(items, place.span(value)).missing == ()
