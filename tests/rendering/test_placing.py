from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream import Citation
from citestream.rendering import OffsetError, place
from citestream.sources import OutputTooLongError


def at(*offsets: int) -> list[dict[str, Any]]:
    return [{"data_part_id": f"p{n}", "offset": o, "locator": ""} for n, o in enumerate(offsets)]


def test_any_form_at_code_point_offsets() -> None:
    placed = place("Tides 🗼 turn. Lamps burn!", at(13, 25), lambda c: f"<{c['data_part_id']}>")
    assert placed == "Tides 🗼 turn.<p0> Lamps burn!<p1>"


def test_order_is_that_of_the_text_and_then_as_given() -> None:
    marks = iter("xyz")
    assert place("abc", at(3, 1, 1), lambda c: c["data_part_id"] + next(marks)) == "ap1xp2ybcp0z"


def test_a_block_gets_one_paragraph_behind_it() -> None:
    text = "```\nab\n```\nc"
    assert place(text, at(4, 5), lambda c: c["data_part_id"]) == "```\nab\n```\n\np0p1\n\nc"


def test_an_offset_outside_the_text_names_its_field() -> None:
    for offset in (-1, 4):
        with pytest.raises(OffsetError, match=r"^citations\[1\]\.offset: 0 to 3 code points"):
            place("abc", at(0, offset), str)


def test_citations_may_be_objects() -> None:
    cited = [Citation("p", 1, ""), Citation("q", 2, "/a")]
    assert place("abc", cited, lambda c: f"<{c.data_part_id}>") == "a<p>b<q>c"


def test_output_is_refused_before_it_is_built() -> None:
    with pytest.raises(OutputTooLongError):
        place("a" * 16_000, at(*range(16_000)), lambda _: "p" * 2_048)


@settings(max_examples=150, deadline=None)
@given(st.text("ab *_`[]()<>!|-#\\\n&;🗼", max_size=40), st.lists(st.integers(0, 40), max_size=4))
def test_nothing_of_the_text_is_lost(text: str, offsets: list[int]) -> None:
    offsets = [min(offset, len(text)) for offset in offsets]
    placed = place(text, at(*offsets), lambda _: "@")
    assert placed.count("@") == len(offsets)
    left = iter(placed)
    assert all(sign in left for sign in text)
