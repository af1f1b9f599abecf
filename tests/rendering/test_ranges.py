from citestream.rendering.ranges import Ranges, Runs


def test_the_range_at_a_place() -> None:
    ranges = Ranges([(5, 7)], [(1, 3), (8, 9)])
    assert [ranges.holding(at) for at in (0, 1, 2, 3, 6, 7, 8)] == [
        *(None, (1, 3), (1, 3), None, (5, 7), None, (8, 9))
    ]


def test_the_run_at_a_place() -> None:
    runs = Runs("a** \n_**")
    expected = {0: (0, 1), 1: (1, 3), 2: (1, 3), 3: (3, 5), 4: (3, 5), 5: (5, 6), 7: (6, 8)}
    for _ in range(2):
        assert {at: runs.holding(at) for at in expected} == expected
    assert (runs.holding(-1), runs.holding(8)) == (None, None)


def test_an_escaped_sign_is_not_of_its_run() -> None:
    runs = Runs("\\** \\\\**")
    assert [runs.unescaped(at, "*_") for at in (0, 1, 2, 3, 6, 7)] == [
        *(None, None, (2, 3), None, (6, 8), (6, 8))
    ]
    assert [runs.is_escaped(at) for at in (0, 1, 5, 6)] == [False, True, True, False]
