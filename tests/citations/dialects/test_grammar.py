"""Pieces of a grammar: each beginning of what is whole is a beginning, and nothing else is."""

import re
from itertools import product

import pytest

from citestream.citations.dialects.dialect import FAILED, OPEN
from citestream.citations.dialects.grammar import (
    Grammar,
    Piece,
    all_of,
    one_of,
    repeated,
    run,
    word,
)

GRAMMARS = {
    "word": word("aba"),
    "run": all_of(word("a"), run("b", 1, 2)),
    "one of": all_of(one_of(word("ab"), word("b"), run("a", 3, 3)), word("b")),
    "repeated": all_of(repeated(all_of(word("a"), repeated(word("b"), 0, 1)), 1, 2), word("ba")),
    "any number": all_of(repeated(word("ab")), word("a")),
}


@pytest.mark.parametrize("piece", GRAMMARS.values(), ids=GRAMMARS)
def test_beginnings(piece: Piece) -> None:
    texts = ["".join(signs) for length in range(8) for signs in product("ab", repeat=length)]
    whole = [text for text in texts if re.fullmatch(piece.whole, text)]
    assert whole
    begun = {text[:end] for text in whole for end in range(len(text) + 1)}
    for text in texts:
        if len(text) < 5:
            assert (re.fullmatch(piece.begun, text) is not None) == (text in begun), text


def test_a_bound_is_the_length_of_the_whole() -> None:
    grammar = Grammar(all_of(word("a"), run("b", 0), word("cc")), 6, endings=("cc", "c"))
    assert [
        grammar.length("x" + text, 1) for text in ("a", "abbb", "abbbb", "abbbcc", "abbbcd")
    ] == [
        OPEN,
        OPEN,
        FAILED,
        6,
        FAILED,
    ]
    assert grammar.length("abbbc", 0) == OPEN
    assert grammar.length("abbbbc", 0) == FAILED
    assert grammar.length("acc and more", 0) == 3
