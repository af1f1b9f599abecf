"""Numbers in a text: where they are, and what they can mean."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.claims.numbers import find_numbers, fold_digits, reading


def written(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find_numbers(fold_digits(text))]


def readings(text: str) -> set[str]:
    (number,) = find_numbers(fold_digits(text))
    assert (number.start, number.end) == (0, len(text))
    return set(number.readings)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("450 mg, not 500.", ["450", "500"]),
        ("COVID-19, H2O, v1.2.3, B‑52, ΔT5, К9, x_1", []),
        ("約450毫克", ["450"]),
        ("2nd of 10:30", ["2", "10", "30"]),
        ("1.2.3 on 2026-05-01 at 10:30:00", ["1.2.3", "2026-05-01", "10:30:00"]),
        ("5–30 and 5-30", ["5", "30", "5", "30"]),
        ("-5 (−5) +5 “-5” a -5", ["-5", "−5", "+5", "-5", "-5"]),
        ("1,2,3 and 2019,2020,2021", ["1", "2", "3", "2019", "2020", "2021"]),
        ("1.5,2.5", ["1.5", "2.5"]),
        ("1.234.567,89 of 1,234,567.89", ["1.234.567,89", "1,234,567.89"]),
        ("1.234.567.89", ["1.234.567.89"]),
        ("In 2020 300 came", ["2020", "300"]),
        ("42 % or 42% or 42\xa0٪", ["42 %", "42%", "42\xa0٪"]),
        ("٤٥٠ and ３０日 and 1٬000٫5", ["٤٥٠", "３０", "1٬000٫5"]),
        ("1'000 and 1’000", ["1'000", "1’000"]),
        ("no number", []),
        ("0,500", ["0,500"]),
    ],
)
def test_where_numbers_are(text: str, numbers: list[str]) -> None:
    assert written(text) == numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234,567", "1.234.567"),
        ("1 234 567", "1234567"),
        ("1.000", "1000"),
        ("1.000", "1"),
        ("1,000", "1.0"),
        ("3,5", "3.50"),
        ("42 %", "0.42"),
        ("42%", "42"),
        ("+30", "30"),
        ("−5", "-5"),
        ("-0", "0"),
        ("٤٥٠", "450"),
        ("007", "7"),
        ("0.500", "0,5"),
    ],
)
def test_two_spellings_of_one_number(one: str, other: str) -> None:
    assert readings(one) & readings(other)


@pytest.mark.parametrize(
    ("one", "other"), [("30", "−30"), ("1,00", "100"), ("0.500", "500"), ("1.2.3", "123")]
)
def test_two_numbers(one: str, other: str) -> None:
    assert not readings(one) & readings(other)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (450, "450"),
        (0.42, "0.42"),
        (-5, "-5"),
        (1e-07, "0.0000001"),
        (1e22, "1" + "0" * 22),
        (0, "0"),
        (-0.0, "0"),
        (1234.5e3, "1234500"),
        (12.0, "12"),
    ],
)
def test_values(value: float, text: str) -> None:
    assert reading(value) in readings(text)


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False, places=3))
def test_the_same_digits_are_the_same_number(value: object) -> None:
    text = str(value)
    assert readings(text) & readings(text.replace(".", ","))


@given(st.text(alphabet="0123456789.,:/- '%x+−", max_size=60))
def test_numbers_are_in_order_and_apart(text: str) -> None:
    end = 0
    for number in find_numbers(text):
        assert end <= number.start < number.end <= len(text)
        assert re.search("[0-9]", text[number.start : number.end])
        end = number.end
