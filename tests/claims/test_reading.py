"""The reading: what is known where the text has been read to."""

from dataclasses import astuple
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.claims.characters import Passage, classify
from citestream.claims.reading import Reading


def read(text: str, *cuts: int, marker: int = -1) -> Reading:
    passage = Passage(text, classify(text), 0)
    reading = Reading(skip=marker, skipping=marker >= 0)
    places = sorted({0, *cuts, len(text)})
    for at, stop in pairwise(places):
        reading.read(passage, at, stop, last=stop == len(text))
    return reading


def test_the_last_of_each_kind() -> None:
    reading = read("One (2). \n\n")
    assert (reading.visible, reading.content, reading.word) == (8, 5, 5)
    assert reading.line is not None
    assert reading.line.begin == 0
    assert reading.next is not None
    assert reading.next.begin == 11


def test_lines_without_markers_are_passed() -> None:
    reading = read("A line.\n" * 100 + "The last")
    assert reading.line is not None
    assert reading.line.begin == 800
    assert reading.next is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (", then", "then"),
        (" — a fall", "a fall"),
        (" -5 points", "-5 points"),
        (" – 3 more", "3 more"),
        (") and", "and"),
        ("\n- item", "item"),
        ("\n- [x] item", "[x] item"),
        ("\n-5", "-5"),
        (" (see", "(see"),
        (": yes", "yes"),
        (". Next", ". Next"),
    ],
)
def test_what_a_claim_does_not_begin_with(text: str, rest: str) -> None:
    for cuts in ((), range(len(text))):
        assert text[read(text, *cuts, marker=0).skip :] == rest


def test_a_bar_is_passed_in_a_row_alone() -> None:
    assert read("| Oslo | 0.7M", marker=6).skip == len("| Oslo | ")
    assert read("Oslo | 0.7M", marker=4).skip == len("Oslo ")


@given(st.text(alphabet="ab1 .\n|-\\>\t", max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_cuts_change_nothing(text: str, cuts: list[int]) -> None:
    whole, cut = read(text), read(text, *(min(at, len(text)) for at in cuts))
    assert (whole.visible, whole.content, whole.word) == (cut.visible, cut.content, cut.word)
    assert (whole.line and whole.line.begin) == (cut.line and cut.line.begin)


def test_a_reading_comes_back_from_its_state() -> None:
    reading = read("| a. B | c\n ", marker=3)
    assert Reading.restore(astuple(reading)) == reading
    copy = reading.copy()
    assert copy.line is not reading.line
    assert copy == reading
    assert set(reading.places()) >= {reading.visible, reading.skip}
