"""Blocks: what the prefix of a line is, and which part of a row is one."""

from dataclasses import astuple
from itertools import pairwise

import pytest

from citestream.claims.characters import Passage, classify
from citestream.claims.lines import Line


def read(text: str, *, cut: bool = False) -> Line:
    passage = Passage(text, classify(text), 0)
    line = Line.at(0, -1)
    places = range(len(text) + 1) if cut else (0, len(text))
    for at, stop in pairwise(places):
        line.feed(passage, at, stop, -1, last=stop == len(text))
    return line


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("word", "word"),
        ("- item", "item"),
        ("-item", "-item"),
        ("  > > quote", "quote"),
        ("12. item", "item"),
        ("12.5 mg", "12.5 mg"),
        ("1234567890. item", "1234567890. item"),
        ("### Title", "Title"),
        ("####### seven", "####### seven"),
        ("#tag", "#tag"),
        ("- [x] done", "done"),
        ("- [ ]  open", "open"),
        ("[x] no item", "[x] no item"),
        ("- [y] no box", "[y] no box"),
        ("* - 3) deep", "deep"),
        ("**bold**", "**bold**"),
        ("- ", ""),
        ("1.", "1."),
        ("| a | b", " b"),
        ("> | a \\| b", " a \\| b"),
        ("| a \\\\| b", " b"),
    ],
)
def test_blocks(text: str, block: str, cut: bool) -> None:
    assert text[read(text, cut=cut).block :] == block


@pytest.mark.parametrize("cut", [False, True])
def test_a_row_so_far(cut: bool) -> None:
    text = "> | Rome. It | is \\| old. | | "
    line = read(text, cut=cut)
    assert text[line.row_block : line.solid] == " Rome. It | is \\| old."
    assert text[line.solid_start : line.solid] == "It | is \\| old."
    assert line.row


def test_a_line_comes_back_from_its_state() -> None:
    line = read("| a. B | c")
    assert Line.restore(astuple(line)) == line
    copy = line.copy()
    copy.sentence.start = 99
    copy.row_sentence.start = 99
    assert line.sentence.start != 99
    assert line.row_sentence.start != 99
