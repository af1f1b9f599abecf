"""Class letters: one for each character, the same as Unicode's properties."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from tests.claims.reference import is_

from citestream.claims import characters
from citestream.claims.characters import classify, digit_value

BREAKS = {
    "Sp": "s",
    "Sep": "n",
    "Lower": characters.LOWER,
    "Upper": characters.UPPER,
    "OLetter": characters.OTHER_LETTER,
    "Numeric": characters.NUMERIC,
    "ATerm": ".",
    "STerm": "!",
    "SContinue": ",",
    "Close": characters.CLOSE,
}


@given(st.text())
def test_each_character_has_its_class(text: str) -> None:
    letters = classify(text)
    assert len(letters) == len(text)
    for character, letter in zip(text, letters, strict=True):
        for name, group in BREAKS.items():
            assert is_(character, name) == (letter in group)


def test_groups_are_what_their_names_say() -> None:
    for character in 'aZ5٣中²Ⅷ.,;"()-_*@#! \t\n\u2028\u0301🎉+|':
        letter, category = classify(character), unicodedata.category(character)
        assert (letter in characters.WORD) == (category[0] in "LN")
        assert (letter in characters.PUNCTUATION) == (category[0] == "P")
        assert (letter in characters.WHITE) == character.isspace()
        assert (letter in characters.NO_WORD) == (category[0] not in "LN")
        assert (letter in characters.SIGNS) == (category[0] not in "LN" and not character.isspace())


def test_every_letter_of_a_group_is_a_class() -> None:
    classes = {*characters.NO_WORD, *characters.WORD}
    assert {*characters.WHITE, *characters.EXTEND, *characters.PUNCTUATION} <= classes


def test_digits_of_any_script_have_their_value() -> None:
    for point in range(0x110000):
        if unicodedata.category(chr(point)) == "Nd":
            assert digit_value(chr(point)) == unicodedata.decimal(chr(point))


def test_what_is_remembered_is_bounded() -> None:
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x20000))))
    assert classify(everything) == classify(everything)
    assert len(characters._LETTERS) <= 0x10000
