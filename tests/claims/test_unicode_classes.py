"""The generated table of sentence classes: it is what Unicode says, and divides all characters."""

import unicodedata

import pytest
from tests.claims import generate_unicode_classes as generator

from citestream.claims import unicode_classes


def points(ranges: str) -> list[int]:
    found: list[int] = []
    for ends in ranges.split():
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


def test_no_character_is_in_two_classes() -> None:
    found = [point for ranges in unicode_classes.CLASSES.values() for point in points(ranges)]
    assert len(found) == len(set(found))


def test_all_decimal_digits_are_there_ten_in_a_row() -> None:
    digits = set(points(unicode_classes.CLASSES["d"]))
    assert {p for p in range(0x110000) if unicodedata.category(chr(p)) == "Nd"} <= digits
    for ends in unicode_classes.CLASSES["d"].split():
        assert len(points(ends)) % 10 == 0


def test_all_closing_brackets_and_line_ends_have_their_class() -> None:
    closing = {p for p in range(0x110000) if unicodedata.category(chr(p)) == "Pe"}
    assert closing <= set(points(unicode_classes.CLASSES[")"]))
    assert points(unicode_classes.CLASSES["r"]) == [0x0A, 0x0D]
    assert points(unicode_classes.CLASSES["n"]) == [0x85, 0x2028, 0x2029]


def test_name_letters_are_letters_of_three_scripts() -> None:
    for point in points(unicode_classes.NAME_LETTERS):
        name = unicodedata.name(chr(point), "LATIN")
        assert any(script in name for script in ("LATIN", "GREEK", "CYRILLIC", "COPTIC")) or (
            unicodedata.category(chr(point)) in ("Lm", "Lo", "Lu", "Ll")
        )
