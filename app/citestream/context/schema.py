"""Rules for the fields of a record, built from small parts.

A rule takes a JSON value and returns it as it is kept, or raises `MalformedError`. Lengths count
code points. This file knows no field by name.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8259, section 6)."""

Rule = Callable[[object], Any]


class MalformedError(Exception):
    """A value breaks its rule. Never leaves the room."""


def constant(expected: object) -> Rule:
    """Accept one value and its type alone (`true` is not 1)."""
    return one_of(expected)


def one_of(*expected: object) -> Rule:
    """Accept any of the values given."""

    def read(value: object) -> object:
        if not any(type(value) is type(item) and value == item for item in expected):
            raise MalformedError
        return value

    return read


def text(limit: int) -> Rule:
    """Accept a string of at most `limit` characters, empty or not."""

    def read(value: object) -> str:
        if not isinstance(value, str) or len(value) > limit:
            raise MalformedError
        return value

    return read


def name(limit: int) -> Rule:
    """Accept a string with something in it; white space around it does not count."""

    def read(value: object) -> str:
        trimmed = _trimmed(value)
        if not 1 <= len(trimmed) <= limit:
            raise MalformedError
        return trimmed

    return read


def identifier(pattern: re.Pattern[str]) -> Rule:
    """Accept a string that matches whole; white space around it does not count."""

    def read(value: object) -> str:
        return _matching(pattern, _trimmed(value))

    return read


def word(pattern: re.Pattern[str]) -> Rule:
    """Accept a string that matches whole, exactly as it stands."""

    def read(value: object) -> str:
        return _matching(pattern, value)

    return read


def whole(least: int = 0) -> Rule:
    """Accept an integer from `least` to `SAFE_INTEGER`."""

    def read(value: object) -> int:
        if type(value) is not int or not least <= value <= SAFE_INTEGER:
            raise MalformedError
        return value

    return read


def flag(value: object) -> bool:
    """Accept true and false."""
    if not isinstance(value, bool):
        raise MalformedError
    return value


def nullable(rule: Rule) -> Rule:
    """Accept null and what `rule` accepts."""
    return lambda value: None if value is None else rule(value)


def many(rule: Rule, limit: int) -> Rule:
    """Accept an array of at most `limit` items that `rule` accepts."""

    def read(value: object) -> list[Any]:
        if not isinstance(value, list) or len(value) > limit:
            raise MalformedError
        return [rule(item) for item in value]

    return read


def shape(required: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> Rule:
    """Accept an object with these fields; others are left out, the order is kept as it came."""
    rules = {**required, **(optional or {})}

    def read(value: object) -> dict[str, Any]:
        if not isinstance(value, dict) or required.keys() - value.keys():
            raise MalformedError
        return {key: rules[key](item) for key, item in value.items() if key in rules}

    return read


def ordered(first: str, last: str, rule: Rule) -> Rule:
    """Accept what `rule` accepts when the number `last` is not below the number `first`."""

    def read(value: object) -> dict[str, Any]:
        fields: dict[str, Any] = rule(value)
        if fields[last] < fields[first]:
            raise MalformedError
        return fields

    return read


def _trimmed(value: object) -> str:
    if not isinstance(value, str):
        raise MalformedError
    return value.strip()


def _matching(pattern: re.Pattern[str], value: object) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise MalformedError
    return value
