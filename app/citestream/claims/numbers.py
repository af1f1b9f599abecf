"""The numbers in a text, and what each can mean.

Lives here: how a number is written and read. Must not know claims or parts.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from citestream.claims.characters import digit_value
from citestream.claims.unicode_classes import CLASSES, NAME_LETTERS

# Digits are those of ASCII here: a text is folded first.
_DIGIT: Final = re.compile(r"[0-9]")
_GROUPED: Final = re.compile(
    r"([1-9][0-9]{0,2})([,.'’٬ \xa0\u202f])([0-9]{3}(?:\2[0-9]{3})*)(?![0-9])"
    r"(?:(?!\2)[.,٫]([0-9]+))?"
)
_NO_DIGIT: Final = re.compile(r"[^0-9]")
# Not one of more: 1,2,3 is a list. Possessive, as half of the decimals is none.
_WITH_DECIMALS: Final = re.compile(r"([0-9]++)([.,٫])([0-9]++)(?!\2[0-9])")
_AS_WRITTEN: Final = re.compile(r"[0-9]+(?:[.:/-][0-9]+){2,}")
_PER_CENT: Final = re.compile(r"[ \xa0\u202f]?[%％٪]")
_SIGNS: Final = "-−+"
_HYPHENS: Final = "-‐‑"


class Number(NamedTuple):
    """A number in a text."""

    start: int
    end: int
    readings: tuple[str, ...]
    """What it can mean, each in one form: two numbers are one when they share a reading."""


def _character_class(points: str) -> str:
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in ends.split("-")) for ends in points.split()
    )


_OTHER_DIGIT: Final = re.compile(f"[{_character_class(CLASSES['d'])}]")
_NAME: Final = re.compile(f"[{_character_class(NAME_LETTERS)}_]")


def fold_digits(text: str) -> str:
    """Return ``text`` with the decimal digits of every script as those of ASCII."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda found: str(digit_value(found[0])), text)


def find_numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a text whose digits are folded, in order."""
    found = _DIGIT.search(text)
    while found:
        start = found.start()
        number = _read(text, start)
        if not _in_a_name(text, start):
            yield _signed(text, number)
        found = _DIGIT.search(text, number.end)


def reading(number: float) -> str:
    """Return the reading of a number that is a value."""
    digits, _, exponent = repr(abs(number)).partition("e")
    whole, _, part = digits.partition(".")
    shift = len(part) - int(exponent or 0)
    return _reading("-" if number < 0 else "", whole + part + "0" * -shift, max(shift, 0))


def _read(text: str, start: int) -> Number:
    """Read the number whose digits begin at ``start``, without a sign before it."""
    grouped, written = _GROUPED.match(text, start), _AS_WRITTEN.match(text, start)
    if written and not (grouped and grouped.end() >= written.end()):
        return Number(start, written.end(), (written[0],))
    if not grouped:
        return _plain(text, start)
    first, sign, groups, decimals = grouped.groups()
    meanings = [(first + _NO_DIGIT.sub("", groups), decimals or "")]
    if sign in ".," and len(groups) == len("000") and not decimals:
        meanings.append((first, groups))
    return _with_per_cent(text, start, grouped.end(), meanings)


def _plain(text: str, start: int) -> Number:
    """Read digits without groups at ``start``."""
    found = _WITH_DECIMALS.match(text, start)
    if found and not (start > 1 and text[start - 1] == found[2] and text[start - 2].isdigit()):
        return _with_per_cent(text, start, found.end(), [(found[1], found[3])])
    other = _NO_DIGIT.search(text, start)
    end = other.start() if other else len(text)
    return _with_per_cent(text, start, end, [(text[start:end], "")])


def _with_per_cent(text: str, start: int, end: int, meanings: list[tuple[str, str]]) -> Number:
    """Return the number with these meanings: the digits before the decimal point, those after."""
    sign = _PER_CENT.match(text, end)
    readings = [_reading("", whole + part, len(part)) for whole, part in meanings]
    if sign:
        readings += [_reading("", whole + part, len(part) + 2) for whole, part in meanings]
    return Number(start, sign.end() if sign else end, tuple(readings))


def _reading(sign: str, digits: str, decimals: int) -> str:
    """Return a number in one form; ``decimals`` digits are those after the decimal point."""
    digits = digits.rjust(decimals + 1, "0")
    whole, part = digits[: len(digits) - decimals], digits[len(digits) - decimals :]
    text = f"{whole.lstrip('0') or '0'}.{part.rstrip('0')}"
    return text if text == "0." else sign + text


def _in_a_name(text: str, start: int) -> bool:
    """Tell whether a letter stands directly before a number, or before a hyphen there."""
    before = start - 1
    if before > 0 and text[before] in _HYPHENS:
        before -= 1
    return before >= 0 and _NAME.match(text, before) is not None


def _signed(text: str, number: Number) -> Number:
    """Return the number with the sign before it, where that is one."""
    at = number.start - 1
    if at < 0 or text[at] not in _SIGNS:
        return number
    before = text[at - 1] if at else " "
    if not (before.isspace() or before in "\"'" or unicodedata.category(before) in ("Ps", "Pi")):
        return number
    readings = number.readings
    if text[at] != "+":
        readings = tuple(one if one == "0." else "-" + one for one in readings)
    return Number(at, number.end, readings)
