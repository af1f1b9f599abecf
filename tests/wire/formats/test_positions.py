"""Places of a raw text in the clean one, against the two texts' own lengths."""

from hypothesis import given
from hypothesis import strategies as st

from citestream import Turn, parse
from citestream.citations import EngineOptions
from citestream.wire.formats.positions import SIZES, Positions, Unit

MARKER = "\ue200cite\ue202a\ue201"
PIECES = st.lists(st.sampled_from(["a", " ", ".", "\n", "é", "🗼", MARKER]), max_size=12)


@given(PIECES, st.sampled_from(sorted(SIZES)), st.integers(1, 5))
def test_a_place_between_pieces_is_the_length_of_the_clean_text_before_it(
    pieces: list[str], unit: Unit, size: int
) -> None:
    positions = Positions(EngineOptions(), Turn().known(), unit)
    raw = "".join(pieces)
    for at in range(0, len(raw), size):
        positions.read(raw[at : at + size])
    positions.finish()
    for count in range(len(pieces) + 1):
        before = "".join(pieces[:count])
        assert positions.moved(SIZES[unit](before)) == SIZES[unit](parse(before).text)


def test_a_place_inside_a_marker_is_that_of_the_marker() -> None:
    positions = Positions(EngineOptions(), Turn().known(), "rune")
    positions.read(f"ab{MARKER}c")
    assert {positions.moved(place) for place in range(2, 2 + len(MARKER))} == {2}


def test_an_open_candidate_is_not_decided() -> None:
    positions = Positions(EngineOptions(), Turn().known(), "rune")
    positions.read("ab\ue200ci")
    assert positions.is_decided(2)
    assert not positions.is_decided(3)
    positions.finish()
    assert positions.is_decided(5)
    assert positions.moved(5) == 5


def test_halves_of_a_character_are_one() -> None:
    positions = Positions(EngineOptions(), Turn().known(), "rune")
    positions.read("\ud83d")
    positions.read("\uddfcb")
    assert [positions.moved(place) for place in range(3)] == [0, 1, 2]
