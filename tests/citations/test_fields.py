"""Later fields of a marker: locator, source, or either."""

import pytest

from citestream.citations.fields import is_locator, is_plain_id, read_fields


@pytest.mark.parametrize("field", ["/", "/x", "L1", "L1-L2", "L1-2", "a b", "x" * 129, "a\u2003b"])
def test_locators_whatever_exists(field: str) -> None:
    assert is_locator(field)
    assert read_fields("a", "", [field], lambda _: True) == [("a", field)]


@pytest.mark.parametrize("field", ["b", "tool_data_02", "L", "L1-", "1-2", "-", "_"])
def test_sources_whatever_exists(field: str) -> None:
    assert is_plain_id(field)
    assert not is_locator(field)
    assert read_fields("a", "", [field], lambda _: False) == [("a", ""), (field, "")]


@pytest.mark.parametrize("field", ["results/0", "a.b", "gr\u00f6\u00dfe", "L\uff11", "$.x", "a:b"])
def test_either(field: str) -> None:
    assert not is_locator(field)
    assert not is_plain_id(field)
    assert read_fields("a", "", [field], lambda _: True) == [("a", ""), (field, "")]
    assert read_fields("a", "", [field], lambda _: False) == [("a", field)]
    assert read_fields("a", "", [field, "/x"], lambda _: None) is None


def test_a_locator_belongs_to_the_source_before_it() -> None:
    assert read_fields("a", "/0", ["x.y", "/1", "b", "z.z", "c"], lambda _: False) == [
        ("a", "/0"),
        ("a", "x.y"),
        ("a", "/1"),
        ("b", "z.z"),
        ("c", ""),
    ]
    assert read_fields("a", "/0", ["x.y", "/1", "b"], lambda one: one == "x.y") == [
        ("a", "/0"),
        ("x.y", "/1"),
        ("b", ""),
    ]
    assert read_fields("a", "", [], lambda _: False) == [("a", "")]
