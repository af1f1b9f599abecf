"""The window: text that is joined, read, let go of and kept."""

import json

import pytest

from citestream.claims.window import Window


def window(*pieces: str, numbers: bool = True) -> Window:
    made = Window(numbers=numbers)
    for piece in pieces:
        made.feed(piece)
    made.join(0)
    return made


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a [1] b", "a     b"),
        ("a [1, ^22 , 333] b", "a" + " " * 16 + "b"),
        ("a [0] [12345] [x] [ ] [1,]", "a [0] [12345] [x] [ ] [1,]"),
        ("[" + "1," * 30 + "12]", " " * 64),
        ("[" + "1," * 30 + "123]", "[" + "1," * 30 + "123]"),
    ],
)
def test_brackets_of_numbers_are_blanks(text: str, shown: str) -> None:
    assert window(text).passage.text == shown
    assert window(*text).passage.text == shown
    assert window(text, numbers=False).passage.text == text


def test_an_open_bracket_is_not_read() -> None:
    made = window("so [1, 2")
    assert made.without_open_bracket(8) == 3
    assert made.rest(3, 8).text == "so [1, 2"
    made.feed("]")
    made.join(0)
    assert made.passage.text == "so" + " " * 7
    assert made.without_open_bracket(8) == 3
    assert made.rest(3, 8).text == "so [1, 2"


def test_the_bracket_before_a_place() -> None:
    made = window("a[1][2, 13].")
    assert made.before_bracket(4, "1") == 1
    assert made.before_bracket(12, "13") == 4
    assert made.before_bracket(12, "3") == 12
    assert window("none").before_bracket(4, "1") == 4
    assert window("[1] x").before_bracket(5, "1") == 5
    assert window("[x1]").before_bracket(4, "1") == 4


@pytest.mark.parametrize(
    ("text", "numbers", "settled"),
    [("Fact. ", False, 6), ("Fact.)", False, 4), ("Fact", False, 4), ("x" * 70 + ".", True, 6)],
)
def test_where_no_marker_can_be(text: str, numbers: bool, settled: int) -> None:
    assert window(text, numbers=numbers).settled() == settled


def test_places_keep_their_units_when_the_text_is_gone() -> None:
    made = window("😀é x", "y")
    made.read = 5
    made.feed("z")
    made.join(4, [1, 2, 4])
    assert made.passage.base == 4
    assert [made.units(place) for place in (1, 2, 4, 6)] == [(2, 4), (3, 6), (5, 8), (7, 10)]
    made.feed("!")
    made.join(1, [2])
    assert made.units(2) == (3, 6)


def test_a_window_comes_back_from_its_state() -> None:
    made = window("😀 one [1] two [2")
    made.read = 10
    state = json.loads(json.dumps(made.snapshot(2, [1])))
    again = Window.restore(state, numbers=True)
    assert again.passage == made.passage
    assert again.read == made.read
    assert again.units(1) == (2, 4)
    assert again.between(6, 12) == made.between(6, 12)
    again.feed("]")
    again.join(0)
    assert again.passage.text.endswith("two    ")
