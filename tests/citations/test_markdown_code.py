"""Which characters are in code: the rules one by one, cuts, and a parser of CommonMark."""

import json
import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.citations.known import Sources

from citestream.citations import EngineOptions, PassageReader
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


SIGNS = st.sampled_from([*"`~>-#|1.) \t\nx\\", "```", "~~~", "\r\n", "- ", "> ", "a ", "\n\n"])


@settings(max_examples=500, deadline=None)
@given(st.lists(SIGNS, max_size=25).map("".join), st.integers(0, 40))
def test_no_cut_and_no_snapshot_makes_a_difference(text: str, cut: int) -> None:
    cut = min(cut, len(text))
    whole, cut_reader, single = CodeReader(), CodeReader(), CodeReader()
    whole.read(text, 0, len(text))
    cut_reader.read(text, 0, cut)
    carried = CodeReader()
    carried.recall(json.loads(json.dumps(cut_reader.state())))
    carried.read(text, cut, len(text))
    for at in range(len(text)):
        single.read(text, at, at + 1)
    assert whole.state() == single.state() == carried.state()
    assert [whole.covers(one) for one in "a[ "] == [single.covers(one) for one in "a[ "]


CODE = re.compile(r"<code[^>]*>(.*?)</code>", re.DOTALL)
WORDS = st.sampled_from(["the", "sky", "@", "@", "is *blue*", "a_b", "\\`", "`@`", "``@ ` @``"])
LINES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
STRAY = st.lists(st.sampled_from(["a", "@", "`", "``", "\\", "b @"]), min_size=1, max_size=6)
FENCED = st.tuples(
    st.sampled_from(["```", "~~~", "````", "```py"]), st.lists(LINES, max_size=3)
).map(lambda fence: [fence[0], *fence[1], fence[0].removesuffix("py")])
BLOCKS = st.one_of(
    st.lists(LINES | STRAY.map(" ".join), min_size=1, max_size=3),
    FENCED,
    LINES.map(lambda line: [f"## {line}"]),
    st.lists(LINES, min_size=1, max_size=3).map(
        lambda rows: ["", "| h |", "|---|", *(f"| {row} |" for row in rows)]
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Blocks at the margin, in quotes, and in items of lists, parted by blank lines."""
    lines: list[str] = []
    for block in draw(st.lists(BLOCKS, min_size=1, max_size=6)):
        first, rest = draw(st.sampled_from([("", ""), ("> ", "> "), ("- ", "  "), ("1. ", "   ")]))
        lines += [(rest if number else first) + line for number, line in enumerate(block)]
        if draw(st.booleans()):
            lines.append("")
    return "\n".join(lines)


@settings(max_examples=600, deadline=None)
@given(documents(), st.sampled_from(["lenticular", {"open": "[[", "close": "]]"}]))
def test_no_marker_is_found_in_code_of_commonmark(text: str, dialect: object) -> None:
    """Each ``@`` becomes a marker of its own; those in a closed block or span stay there."""
    opener, closer = ("\u3010", "\u2020x\u3011") if dialect == "lenticular" else ("[[", "]]")
    first, *parts = text.split("@")
    markers = [f"{opener}k{number}{closer}" for number in range(len(parts))]
    marked = first + "".join(marker + part for marker, part in zip(markers, parts, strict=True))
    reader = PassageReader(EngineOptions(dialect=dialect), Sources())  # type: ignore[arg-type]
    reader.feed(marked)
    found = {name for one in reader.passages(ended=True) for name, *_ in one.named}
    html = MarkdownIt("commonmark").enable("table").render(marked)
    code = "".join(map(unescape, CODE.findall(html)))
    in_code = {f"k{number}" for number, marker in enumerate(markers) if marker in code}
    assert not found & in_code
