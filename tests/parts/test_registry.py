"""Parts by id: what is known, what is the same, what is a conflict."""

from typing import Any

import pytest

from citestream.parts.part import PartError, make_part
from citestream.parts.registry import PartConflictError, PartRegistry


def test_an_empty_registry_knows_nothing() -> None:
    parts = PartRegistry()
    assert len(parts) == 0
    assert list(parts) == []
    assert "a" not in parts
    assert parts.get("a") is None


def test_parts_are_known_by_their_exact_id_in_the_order_they_came() -> None:
    parts = PartRegistry()
    made = [make_part(part_id, "search", part_id) for part_id in ("b", "a", "c")]
    assert [parts.add(part) for part in made] == [True, True, True]
    assert list(parts) == made
    assert len(parts) == 3
    assert parts.get("a") is made[1]
    assert "a" in parts
    for other in ("A", "a ", "", "tool_data_01"):
        assert other not in parts
        assert parts.get(other) is None


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
        ({"b": [2], "a": 1}, {"a": 1, "b": [2]}),
        (None, None),
        ("\ue200", "\ufffd"),
        ((1, 2), [1, 2]),
    ],
)
def test_the_same_data_again_is_nothing(first: Any, again: Any) -> None:
    parts = PartRegistry()
    known = make_part("a", "search", first)
    assert parts.add(known)
    assert not parts.add(make_part("a", "other tool", again, title="Other"))
    assert parts.get("a") is known
    assert len(parts) == 1


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ([1, 2], [2, 1]),
        (1, 1.0),
        (1, True),
        ([0], [False]),
        ({"a": 0}, {"a": 0.0}),
        ("1", 1),
        (None, "null"),
        ({}, []),
    ],
)
def test_other_data_under_a_known_id_is_a_conflict(first: Any, again: Any) -> None:
    parts = PartRegistry()
    known = make_part("secret-id", "search", first)
    parts.add(known)
    with pytest.raises(
        PartConflictError, match=r"^id: a part with this id and other data is registered$"
    ):
        parts.add(make_part("secret-id", "search", again))
    assert list(parts) == [known]
    assert issubclass(PartConflictError, PartError)
