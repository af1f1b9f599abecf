"""One place in three units, also one character before the text at hand."""

import pytest

from citestream.turns.offsets import Offsets, offsets_at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "\x00\x7f",
        "\u00e9\u0301",
        "\u4e2d\uffff",
        "\U0001f600\U0010ffff",
        "a\u00e9\u4e2d\U0001f600",
    ],
)
def test_offsets_count_code_points_utf16_units_and_bytes(text: str) -> None:
    units, size = len(text.encode("utf-16-be")) // 2, len(text.encode("utf-8"))
    assert Offsets(0, 0, 0).after(text) == Offsets(len(text), units, size)
    assert Offsets(5, 7, 11).after(text) == Offsets(5 + len(text), 7 + units, 11 + size)


@pytest.mark.parametrize("text", ["abc", "a€😀", "😀😀", ""])
def test_a_place_in_the_text_counts_as_its_encodings_do(text: str) -> None:
    base = Offsets(10, 11, 14)
    for length in range(len(text) + 1):
        head = text[:length]
        assert offsets_at(10 + length, base, "x", text) == Offsets(
            10 + length, 11 + len(head.encode("utf-16-le")) // 2, 14 + len(head.encode())
        )


@pytest.mark.parametrize(
    ("before", "offsets"),
    [(".", Offsets(9, 10, 13)), ("\u2019", Offsets(9, 10, 11)), ("\U0001f600", Offsets(9, 9, 10))],
)
def test_a_place_one_character_before_the_text(before: str, offsets: Offsets) -> None:
    assert offsets_at(9, Offsets(10, 11, 14), before, "text") == offsets
