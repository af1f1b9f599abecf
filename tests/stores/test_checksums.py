from hypothesis import given
from hypothesis import strategies as st

from citestream.stores.checksums import name_number, row_checksum


@given(st.integers(1), st.integers(1), st.binary(min_size=1), st.data())
def test_another_payload_has_another_sum(
    owner: int, number: int, data: bytes, draw: st.DataObject
) -> None:
    total = row_checksum(owner, number, data)
    assert 0 <= total < 2**32
    bit = draw.draw(st.integers(0, len(data) * 8 - 1))
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    assert row_checksum(owner, number, bytes(flipped)) != total


def test_another_place_has_another_sum() -> None:
    places = [(owner, number) for owner in range(1, 50) for number in range(1, 50)]
    assert len({row_checksum(owner, number, b"same") for owner, number in places}) == len(places)


def test_where_one_payload_ends_and_the_next_begins_counts() -> None:
    cuts = {row_checksum(1, 1, b"abcdef"[:at], b"abcdef"[at:]) for at in range(7)}
    assert len(cuts) == 7


def test_names_have_numbers() -> None:
    assert name_number("turn-1") == name_number("turn-1") != name_number("turn-2")
