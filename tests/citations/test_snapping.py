"""Where a citation lands: the punctuation it is snapped past, and words that go on."""

import pytest

from citestream.citations.snapping import _characters, inside_word, punctuation_run

TERMINAL = (
    ".,;:!?\u060c\u061b\u061f\u06d4\u0964\u1362\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f"
)
CLOSING = ")]}\u2046\u232a\u3009\u300b\u300d\u300f\u3011\uff09\uff3d\uff5d"
QUOTES = "\"'\u00bb\u2019\u201d\u203a\uff02\uff07"
OPENING = (
    "([{\u00ab\u2018\u201a\u201b\u201c\u201e\u201f\u2039\u3008\u300a\u300c\u300e\u3010\u301d\uff08"
)
DASHES = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2e3a\u301c\uff0d"
OTHERS = (
    " \t\r\n\u00a0aZ0\u4e2d*_~`#|/\\@&%+=<>^$\u00b7\u2022\u00b0\u2026"[:-1]
    + "\U0001f600\ue200\ufffd"
)


def test_a_class_is_read_from_hexadecimal_points_and_ranges() -> None:
    assert _characters("0009 0041-0044 1F600-1F601") == set("\tABCD\U0001f600\U0001f601")


@pytest.mark.parametrize("character", TERMINAL + CLOSING + QUOTES + "\u2026")
def test_a_citation_is_snapped_past(character: str) -> None:
    assert punctuation_run(character) == 1
    assert punctuation_run(character + "x") == 1
    assert punctuation_run(character * 5 + " " + character) == 5


@pytest.mark.parametrize("character", OPENING + DASHES + OTHERS)
def test_a_citation_is_never_snapped_past(character: str) -> None:
    assert punctuation_run(character) == 0
    assert punctuation_run(character + ".") == 0
    assert punctuation_run(".)" + character + ".") == 2


def test_nothing_holds_no_punctuation() -> None:
    assert punctuation_run("") == 0


WORDS = [
    "dog's",
    "dog\u2019s",
    "example.org",
    "a:b",
    "a\uff0eb",
    "\u03b1.\u03b2",
    "\u05d0'\u05d1",
    "\u05d0.\u05d1",
    "\u0431\u0443.\u043a\u0432\u0430",
]
NUMBERS = ["2.5", "1,000", "1;2", "2'5", "2\u20195", "\u0661.\u0662", "\u0661,\u0662", "1\uff0c2"]
BOUNDARIES = [
    "a,b",  # MidNum stands between digits alone
    "a;b",
    "10:30",  # MidLetter stands between letters alone
    "v.5",
    "2.b",
    "5's",
    "\u4e2d.\u6587",  # Han characters are no ALetter
    "\u3042.\u3044",
    '\u05d0"\u05d1',  # WB7b and WB7c are not among the rules
    "a!b",
    "a?b",
    "a)b",
    "1)2",
    "1!2",
    "a\u2026b",
    "1\u20262",
    " .a",
    "a. ",
    "a..",
    "..a",
    "_.a",
    "a._",
    "\U0001f600.a",
]


def around(text: str) -> tuple[str, str, str]:
    at = next(at for at in range(1, len(text)) if not text[at].isalnum())
    return text[at - 1], text[at], text[at + 1]


@pytest.mark.parametrize("text", [*WORDS, *NUMBERS])
def test_no_word_ends_round_a_sign_inside_it(text: str) -> None:
    before, sign, behind = around(text)
    assert inside_word(before, sign, behind)
    assert not inside_word("", sign, behind)
    assert not inside_word(before, sign, "")
    assert not inside_word(" ", sign, behind)
    assert not inside_word(before, sign, " ")


@pytest.mark.parametrize("text", BOUNDARIES)
def test_a_word_ends_round_any_other_sign(text: str) -> None:
    assert not inside_word(*text) if len(text) == 3 else not inside_word(*around(text))
