"""The generated table of character classes: it is what Unicode says, and whole."""

import unicodedata

import pytest
from tests.citations import generate_unicode_classes as generator

from citestream.citations import unicode_classes

CLASSES = [
    "SNAPPED_PAST",
    "LETTER",
    "INSIDE_WORD",
    "DIGIT",
    "INSIDE_NUMBER",
    "WHITE_SPACE",
    "PUNCTUATION",
]


def points(name: str) -> list[int]:
    found: list[int] = []
    for ends in getattr(unicode_classes, name).split():
        first, _, last = ends.partition("-")
        found += range(int(first, 16), int(last or first, 16) + 1)
    return found


def test_the_table_is_what_its_generator_writes() -> None:
    known = generator.unicode_version()
    if known != unicode_classes.UNICODE_VERSION:
        pytest.skip(
            f"the table is of Unicode {unicode_classes.UNICODE_VERSION}, regex knows {known}"
        )
    assert generator.TABLE.read_text(encoding="utf-8") == generator.table()


@pytest.mark.parametrize("name", CLASSES)
def test_ranges_are_sorted_and_apart(name: str) -> None:
    found = points(name)
    assert found == sorted(set(found))


def test_no_opening_sign_and_no_dash_is_snapped_past() -> None:
    snapped = {unicodedata.category(chr(point)) for point in points("SNAPPED_PAST")}
    assert not snapped & {"Ps", "Pi", "Pd"}


def test_every_closing_sign_is_snapped_past() -> None:
    snapped = set(points("SNAPPED_PAST"))
    closing = {
        point for point in range(0x110000) if unicodedata.category(chr(point)) in ("Pe", "Pf")
    }
    assert closing <= snapped
    assert 0x2026 in snapped


def test_all_decimal_digits_are_digits() -> None:
    decimal = {point for point in range(0x110000) if unicodedata.category(chr(point)) == "Nd"}
    assert decimal <= set(points("DIGIT"))


def test_the_signs_inside_words_and_numbers_are_those_of_uax_29() -> None:
    # WordBreakProperty.txt: MidNumLet and Single_Quote are in both, MidLetter and MidNum in one.
    both = {0x27, 0x2E, 0x2018, 0x2019, 0x2024, 0xFE52, 0xFF07, 0xFF0E}
    letter = {0x3A, 0xB7, 0x387, 0x55F, 0x5F4, 0x2027, 0xFE13, 0xFE55, 0xFF1A}
    number = {0x2C, 0x3B, 0x37E, 0x589, 0x60C, 0x60D, 0x66C, 0x7F8, 0x2044}
    number |= {0xFE50, 0xFE54, 0xFF0C, 0xFF1B}
    assert set(points("INSIDE_WORD")) == both | letter
    assert set(points("INSIDE_NUMBER")) == both | number
