"""Which characters are in code: the rules one by one. Its laws are in ``tests/proof``."""

import json

import pytest

from citestream.citations.markdown_code import CodeReader


def outside(text: str) -> str:
    """For each ``x``, "c" where it is in code and "t" where it is text."""
    reader, found = CodeReader(), ""
    for at, character in enumerate(text):
        if character == "x":
            found += "c" if reader.covers(character) else "t"
        reader.read(text, at, at + 1)
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x", "t"),
        ("`x` x", "ct"),
        ("``x`x``x", "cct"),
        ("`x\nx\n\nx", "cct"),
        ("`x\n>\nx", "ct"),
        ("`x\n > \t\nx", "ct"),
        ("`x\n- x", "ct"),
        ("`x\n-x", "cc"),
        ("`x\n12. x", "ct"),
        ("`x\n1234567890. x", "cc"),
        ("`x\n1.x", "cc"),
        ("`x\n## x", "ct"),
        ("`x\n| x", "ct"),
        ("> | `x | x\nx", "cct"),
        ("- ###### `x\nx", "ct"),
        ("`x\n> x", "ct"),
        ("> `x\nx\n> x\n> > x", "ccct"),
        ("> ```\n> ```\nx\n`x\n> `x`", "tcc"),
        ("> # a\n`x\n> x", "ct"),
        ("\\`x", "t"),
        ("\\\\`x", "c"),
        ("\\\\\\`x", "t"),
        ("\\\n`x", "c"),
        ("`\\`x", "t"),
        ("```\nx\n```\nx", "ct"),
        ("```x\nx\n````\nx", "cct"),
        ("````\nx\n```\nx", "cc"),
        ("```\nx\n~~~\nx", "cc"),
        ("~~~x`x\nx\n~~~ x\nx\n~~~ !x", "ccccct"),
        ("~~~\nx\n~~~ !x", "ct"),
        ("```\nx\n``` \t\r\nx", "ct"),
        ("```x```x", "ct"),
        ("```x`x\nx\n\nx", "ccct"),
        ("1) ```\nx\n   ```\nx", "ct"),
        ("> ```\n> x\nx", "ct"),
        ("> ```\n> x\n```\nx", "cc"),
        ("> > ```\n> x", "t"),
        ("a ```\nx\n```\nx", "cc"),
        ("a ```\nx ``` x", "ct"),
        ("``x\n```\nx\n```\nx", "cct"),
        ("``\nx``x", "ct"),
        ("```\rx\r```\rx", "ct"),
        ("\u2022 x `x", "tc"),
        ("- `x\r\n\r\nx", "ct"),
    ],
)
def test_rules(text: str, found: str) -> None:
    assert outside(text) == found
    for cut in range(len(text) + 1):
        whole, other = CodeReader(), CodeReader()
        whole.read(text, 0, len(text))
        other.read(text, 0, cut)
        carried = CodeReader()
        carried.recall(json.loads(json.dumps(other.state())))
        carried.read(text, cut, len(text))
        assert carried.state() == whole.state()


def test_a_letter_does_not_follow_a_closing_run() -> None:
    reader = CodeReader()
    reader.read("```\na\n``` ", 0, 10)
    assert reader.covers("c")
    assert not reader.covers("[")


def test_prefixes_and_blank_lines() -> None:
    reader = CodeReader()
    for text, in_prefix, paragraphs in (
        ("- > 1. ", True, 0),
        ("x", False, 0),
        ("\n > ", True, 0),
        ("\r\n", True, 1),
        ("-", False, 1),
        ("- x\n", True, 1),
        ("\n\n", True, 3),
    ):
        reader.read(text, 0, len(text))
        assert (reader.in_prefix, reader.paragraphs) == (in_prefix, paragraphs), text
