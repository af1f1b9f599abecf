"""Laws of the reader of Markdown code: cuts, snapshots, and a parser of CommonMark beside it."""

import json
import re
from html import unescape

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.citations.known import Sources

from citestream.citations import EngineOptions, PassageReader
from citestream.citations.markdown_code import CodeReader

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
        # A line without bars would go on with the table; here it begins a paragraph.
        lambda rows: ["", "| h |", "|---|", *(f"| {row} |" for row in rows), ""]
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
