"""Rows on the way out: their check sums, and gaps in their numbers."""

import pytest

from citestream.stores.checksums import row_checksum
from citestream.stores.port import DamagedError, Key, PartRow
from citestream.stores.sqlite.rows import asked, part_rows, sound


def row(n: int, data: bytes = b"data") -> tuple[int, int, int, bytes]:
    return 1, n, row_checksum(1, n, data), data


def test_sound_rows_are_returned_up_to_so_many_bytes() -> None:
    rows = [row(n) for n in range(3, 9)]
    assert sound(rows, 3) == [(b"data",)] * 6
    assert sound(rows, 3, limit=9) == [(b"data",)] * 3
    assert sound([row(7), row(3)], None) == [(b"data",)] * 2


@pytest.mark.parametrize(
    "rows",
    [
        [row(2)],
        [row(1), row(3)],
        [(1, 1, 0, b"data")],
        [(*row(1)[:3], b"dat\x61x")],
        [(*row(1)[:3], "data")],
        [(2, *row(1)[1:])],
    ],
)
def test_others_are_not(rows: list[tuple[int, int, int, bytes]]) -> None:
    with pytest.raises(DamagedError):
        sound(rows, 1)


def test_a_part_is_sound_in_both_its_halves() -> None:
    good = (1, 1, row_checksum(1, 1, b"p", b"about"), "p", b"about")
    total = row_checksum(1, 1, b"data")
    assert part_rows([(*good, total, b"data")], first=1) == [PartRow("p", b"about", b"data")]
    for bad in ((*good, total, b"dato"), (*good[:4], b"abuot", total, b"data")):
        with pytest.raises(DamagedError):
            part_rows([bad])


def test_keys_are_asked_for_as_one_text() -> None:
    assert asked([Key("a", "b"), Key("", "c")]) == '[["a", "b"], ["", "c"]]'
