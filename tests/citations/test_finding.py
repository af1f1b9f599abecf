"""Where the markers of a raw answer are: the same ones that every engine reads."""

from typing import Any

import pytest
from hypothesis import given, settings
from tests.citations.test_restoring import ANSWERS, IDS, read

from citestream.citations.finding import find_markers
from citestream.citations.restoring import checked_dialect, known_ids


@settings(max_examples=500, deadline=None)
@given(ANSWERS)
def test_markers_are_apart_and_in_order(answer: tuple[Any, str]) -> None:
    dialect, raw = answer
    found = find_markers(raw, checked_dialect(dialect), known_ids(IDS))
    end = 0
    for one in found:
        assert end <= one.start < one.end <= len(raw)
        end = one.end
    named = [source for one in found for source, _, _ in one.marker.named]
    assert {one["data_part_id"] for one in read(raw, dialect).citations} <= {*named}
    if not found:
        assert not read(raw, dialect).citations


@pytest.mark.parametrize(
    ("raw", "dialect", "markers"),
    [
        ("a\ue200cite\ue202b\ue201 c", "guide", ["\ue200cite\ue202b\ue201"]),
        ("a \ue200cite c", "guide", []),
        ("x [1] [9] `[1]`", "numbers", ["[1]"]),
        ('<cite id="a">x</cite>', "tags", ['<cite id="a">', "</cite>"]),
        ("【a】【zz】", "lenticular", ["【a】"]),
    ],
)
def test_examples(raw: str, dialect: str, markers: list[str]) -> None:
    found = find_markers(raw, dialect, known_ids(IDS))
    assert [raw[one.start : one.end] for one in found] == markers
