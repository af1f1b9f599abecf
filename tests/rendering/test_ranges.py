from citestream.rendering.ranges import Ranges

RANGES = Ranges([(5, 7), (1, 3)])


def test_the_range_at_a_place() -> None:
    assert [RANGES.holding(at) for at in (0, 1, 2, 3, 6, 7)] == [
        *(None, (1, 3), (1, 3), None, (5, 7), None)
    ]
    assert [RANGES.beginning(at) for at in (1, 2, 5)] == [(1, 3), None, (5, 7)]
    assert [RANGES.ending(at) for at in (0, 3, 6, 7)] == [None, (1, 3), None, (5, 7)]
