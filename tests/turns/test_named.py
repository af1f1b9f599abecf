"""Where a named source stands, in three units, also one character before the text at hand."""

import pytest

from citestream.citations import Entry
from citestream.turns.citation import Offsets
from citestream.turns.named import Named, place_at


@pytest.mark.parametrize("text", ["abc", "a€😀", "😀😀", ""])
def test_a_place_in_the_text_counts_as_its_encodings_do(text: str) -> None:
    base = Offsets(10, 11, 14)
    for length in range(len(text) + 1):
        head = text[:length]
        assert place_at(10 + length, base, "x", text) == Offsets(
            10 + length, 11 + len(head.encode("utf-16-le")) // 2, 14 + len(head.encode())
        )


@pytest.mark.parametrize(
    ("before", "offsets"),
    [(".", Offsets(9, 10, 13)), ("\u2019", Offsets(9, 10, 11)), ("\U0001f600", Offsets(9, 9, 10))],
)
def test_a_place_one_character_before_the_text(before: str, offsets: Offsets) -> None:
    assert place_at(9, Offsets(10, 11, 14), before, "text") == offsets


@pytest.mark.parametrize(
    ("offsets", "row"), [(None, None), (Offsets(1, 2, 3), [1, 2, 3])], ids=["rune", "all"]
)
def test_what_is_kept(offsets: Offsets | None, row: list[int] | None) -> None:
    named = Named(Entry("a", 1, "/x"), offsets, over=False)
    assert named.as_row() == {"entry": ["a", 1, "/x", (), None, False], "offsets": row}
