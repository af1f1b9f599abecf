"""Every string of up to six tokens, under every option set, whole and one character at a time."""

from collections.abc import Iterator
from itertools import product

import pytest
from tests.proof.face import engine_outcome, expected_outcome, parsed
from tests.proof.reference import DELIM, HEAD, START, STOP, reference
from tests.proof.texts import OPTION_SETS

TOKENS = [HEAD, START, STOP, DELIM, "a", " ", ".", "\n"]
LONGEST = 6
LONGEST_OF_TURNS = 4


def strings(first: str, longest: int) -> Iterator[str]:
    """All strings that begin with this token, the shorter ones first."""
    for length in range(longest):
        for rest in product(TOKENS, repeat=length):
            yield first + "".join(rest)


def test_how_many_strings_there_are() -> None:
    assert 1 + sum(len(TOKENS) ** length for length in range(1, LONGEST + 1)) == 299_593
    assert len(set(strings(TOKENS[0], 3))) == 1 + 8 + 64


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: "-".join(options.values()))
def test_the_empty_string(options: dict[str, str]) -> None:
    assert engine_outcome([], options) == engine_outcome([""], options)
    assert engine_outcome([], options) == expected_outcome("", options)


@pytest.mark.parametrize("first", TOKENS, ids=ascii)
def test_engine(first: str) -> None:
    for text in strings(first, LONGEST):
        for options in OPTION_SETS:
            expected = expected_outcome(text, options)
            assert engine_outcome([text], options) == expected, (ascii(text), options)
            assert engine_outcome(text, options) == expected, (ascii(text), options, "by one")


@pytest.mark.parametrize("first", TOKENS, ids=ascii)
def test_whole_answer(first: str) -> None:
    known = {"a": "tool", "a.": "user"}
    for text in strings(first, LONGEST_OF_TURNS):
        for options in OPTION_SETS:
            expected = reference(text, known, **options)
            assert parsed(text, known, options) == expected, (ascii(text), options)
