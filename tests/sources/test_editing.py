import pytest

from citestream.sources import (
    MAX_OUTPUT_BYTES,
    Edit,
    OutputTooLongError,
    apply_edits,
    check_length,
    join_within_limit,
)


def test_edits_replace_insert_and_remove() -> None:
    edits = [Edit(0, 0, "<"), Edit(1, 2, "BB"), Edit(2, 2, "+"), Edit(3, 4, "")]
    assert apply_edits("abcd", edits) == "<aBB+c"
    assert apply_edits("abcd", []) == "abcd"


def test_the_limit_counts_bytes() -> None:
    assert len(join_within_limit(["é" * (MAX_OUTPUT_BYTES // 2)])) == MAX_OUTPUT_BYTES // 2
    with pytest.raises(OutputTooLongError, match="8,388,608 bytes") as caught:
        join_within_limit(["é" * (MAX_OUTPUT_BYTES // 2), "a"])
    assert caught.value.limit == MAX_OUTPUT_BYTES


def test_nothing_is_built_past_the_limit() -> None:
    taken = 0

    def pieces() -> object:
        nonlocal taken
        for _ in range(1_000):
            taken += 1
            yield "a" * 1_048_576

    with pytest.raises(OutputTooLongError):
        join_within_limit(pieces())  # type: ignore[arg-type]
    assert taken == 9


def test_length_is_counted_in_bytes() -> None:
    check_length("a" * MAX_OUTPUT_BYTES)
    check_length("潮" * (MAX_OUTPUT_BYTES // 3))
    for text in ("a" * (MAX_OUTPUT_BYTES + 1), "潮" * (MAX_OUTPUT_BYTES // 3 + 1)):
        with pytest.raises(OutputTooLongError):
            check_length(text)


def test_many_pieces_are_joined_in_order() -> None:
    pieces = [str(n) for n in range(200_000)]
    assert join_within_limit(pieces) == "".join(pieces)
