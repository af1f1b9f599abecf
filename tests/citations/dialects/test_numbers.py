"""The grammar of ``numbers``, its bound, and the brackets that Markdown owns."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations.dialects import NUMBERS, STRIPPED_NUMBERS
from citestream.citations.dialects.template import Template

PIECES = ("[1]", "[2]", "[9]", "[1, 2]", "[", "]", "[^1]", "a", "1", ", ", "!", "(", "^", *BESIDE)


class TestStripped(DialectContract):
    dialects = (STRIPPED_NUMBERS,)
    known = Sources(["1", "2"])
    pieces = PIECES
    bounds = (("[1", " ", "]", 64), ("[1,", " ", "2]", 64))


class TestKept(DialectContract):
    dialects = (NUMBERS,)
    known = Sources(["1", "2"])
    pieces = PIECES


class TestKeptAmongOthers(DialectContract):
    """A template that begins with what a bracket of numbers holds makes its candidates wait."""

    dialects = (NUMBERS, Template("^1", ">"), Template("](", ")"))
    known = Sources(["1"])
    pieces = (*PIECES, "^1a>", "[^1", "](b)")


def left(text: str) -> str:
    return fed((STRIPPED_NUMBERS,), Sources(["1", "2", "1000"]), [text]).shown


@pytest.mark.parametrize(
    "text",
    ["a[1]", "(a[1]", "x\na[1]", "\u00a0z[1]", "a[1][2]", "a[1][9][2]", "[x][1]"],
)
def test_what_is_text(text: str) -> None:
    assert left(text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("ab[1]", "ab"),
        ("A[1]", "A"),
        ("1[1]", "1"),
        ("'s[1]", "'s"),
        ("\u00e9[1]", "\u00e9"),
        (")[1]", ")"),
        ("[1000]", ""),
        ("[01][1]", "[01][1]"),
        ("[9][9][1]", "[9][9]"),
        ("x\n[1]", "x\n"),
        ("x [1]: y", "x : y"),
        ("1. [1]: y", "1. [1]: y"),
        ("1.[1]: y", "1.: y"),
        ("a b\n- > [1]: y", "a b\n- > [1]: y"),
        ("[1] (y)", " (y)"),
    ],
)
def test_context(text: str, rest: str) -> None:
    assert left(text) == rest
