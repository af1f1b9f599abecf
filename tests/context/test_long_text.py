"""Reading in pieces: the same as reading at once, also where a cut is in a bad place."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context import ContextError
from citestream.context.long_text import (
    PIECE,
    check_unit,
    find,
    is_blank,
    joined,
    matches,
    replaced,
    rows,
    rune_place,
    search,
    spliced,
    stripped_end,
    utf16_places,
)

# Texts that reach past a cut, with something to find on both sides of it.
PADDING = st.integers(PIECE - 4, PIECE + 4) | st.integers(0, 3)
TEXTS = st.builds(
    lambda before, sign, middle, after: sign * before + middle + after,
    PADDING,
    st.sampled_from("a \U0001f408"),
    st.text(alphabet="ab\n \U0001f408", max_size=6),
    st.text(alphabet="ab\n ", max_size=3),
)
PATTERN = re.compile(r"b+?a|(?<!a)b|\n(?=b)")


@given(TEXTS, st.integers(0, 3))
def test_searching_in_pieces_finds_what_searching_at_once_finds(text: str, start: int) -> None:
    match = search(PATTERN, text, start, longest=8)
    expected = PATTERN.search(text, start)
    assert (match and match.span()) == (expected and expected.span())
    assert find(text, "ab", start) == text.find("ab", start)
    expected_spans = [match.span() for match in PATTERN.finditer(text)]
    assert [match.span() for match in matches(PATTERN, text, longest=8)] == expected_spans


def test_a_needle_over_a_cut_is_found() -> None:
    for at in range((1 << 20) - 3, (1 << 20) + 2):
        assert find("x" * at + "abc" + "x", "abc") == at
    assert find("x" * (1 << 20), "abc") == -1
    assert find("", "abc") == -1


@given(TEXTS)
def test_blanks_and_rows(text: str) -> None:
    assert is_blank(text, 0, len(text)) == (not text.strip())
    assert stripped_end(text, len(text)) == len(text.rstrip())
    assert list(rows(text)) == text.split("\n")
    assert replaced(text, "a\n", "\n") == text.replace("a\n", "\n")
    assert replaced(text, "b", "") == text.replace("b", "")


def test_an_empty_place_is_blank() -> None:
    assert is_blank("a", 1, 1)


@given(st.lists(st.text(max_size=2), max_size=20))
def test_joining(pieces: list[str]) -> None:
    assert joined(pieces) == "".join(pieces)
    assert joined(piece for _ in range(500) for piece in pieces) == "".join(pieces) * 500


def test_splicing() -> None:
    assert list(spliced("abcd", [])) == ["abcd"]
    assert "".join(spliced("abcd", [(0, 1, "X"), (1, 1, "Y"), (3, 4, "")])) == "XYbc"


@given(TEXTS)
def test_places_in_utf16_are_those_of_javascript_and_back(text: str) -> None:
    places = [0, len(text) // 2, len(text)]
    units = list(utf16_places(text, places))
    assert units == [len(text[:place].encode("utf-16-le")) // 2 for place in places]
    assert [rune_place(text, unit) for unit in units] == places


@pytest.mark.parametrize(("text", "units"), [("", 1), ("a", 2), ("\U0001f408", 1), ("a", -1)])
def test_a_place_that_is_none(text: str, units: int) -> None:
    assert rune_place(text, units) is None


def test_units() -> None:
    assert [check_unit(unit) for unit in (None, "rune", "utf16")] == ["rune", "rune", "utf16"]
    for unit in ("utf8", 1, [], "UTF16"):
        with pytest.raises(ContextError):
            check_unit(unit)
