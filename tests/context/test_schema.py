"""Rules for fields."""

import re

import pytest

from citestream.context import schema
from citestream.context.schema import SAFE_INTEGER, MalformedError, Rule

PAIR = schema.shape({"a": schema.whole(), "b": schema.whole()}, {"c": schema.flag})


@pytest.mark.parametrize(
    ("rule", "value", "kept"),
    [
        (schema.constant(1), 1, 1),
        (schema.text(2), "", ""),
        (schema.text(2), "😀😀", "😀😀"),
        (schema.name(2), " ab\n", "ab"),
        (schema.identifier(re.compile("[a-z]+")), " ab ", "ab"),
        (schema.word(re.compile("[a-z]+")), "ab", "ab"),
        (schema.whole(1), SAFE_INTEGER, SAFE_INTEGER),
        (schema.nullable(schema.flag), None, None),
        (schema.many(schema.flag, 1), [True], [True]),
        (PAIR, {"b": 1, "x": 2, "a": 0}, {"b": 1, "a": 0}),
        (schema.ordered("a", "b", PAIR), {"a": 1, "b": 1}, {"a": 1, "b": 1}),
    ],
)
def test_kept(rule: Rule, value: object, kept: object) -> None:
    assert rule(value) == kept


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (schema.constant(1), True),
        (schema.constant(1), 1.0),
        (schema.one_of("a", "b"), "c"),
        (schema.text(2), "abc"),
        (schema.text(2), None),
        (schema.name(2), " \t"),
        (schema.name(2), "abc"),
        (schema.identifier(re.compile("[a-z]+")), "a b"),
        (schema.word(re.compile("[a-z]+")), " ab "),
        (schema.whole(1), 0),
        (schema.whole(), SAFE_INTEGER + 1),
        (schema.whole(), True),
        (schema.whole(), 1.0),
        (schema.flag, 1),
        (schema.many(schema.flag, 1), [True, True]),
        (schema.many(schema.flag, 1), "a"),
        (PAIR, {"a": 1}),
        (PAIR, {"a": 1, "b": 1, "c": None}),
        (PAIR, []),
        (schema.ordered("a", "b", PAIR), {"a": 2, "b": 1}),
    ],
)
def test_malformed(rule: Rule, value: object) -> None:
    with pytest.raises(MalformedError):
        rule(value)


def test_the_order_of_fields_is_kept() -> None:
    assert list(PAIR({"c": True, "b": 1, "a": 0})) == ["c", "b", "a"]
