import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.markdown import Span, line_head, structure

Shown = list[tuple[str, str]]


def shown(text: str, spans: tuple[Span, ...]) -> Shown:
    return [(span.kind, text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("text", "prose", "atoms"),
    [
        ("潮*汐\n表* `[1]`", ["潮*汐", "表* `[1]`"], [("code", "`[1]`")]),
        ("a `x\ny` b", ["a `x\ny` b"], [("code", "`x\ny`")]),
        ("a [b\nc](u) <b>d</b>", ["a [b\nc](u) <b>d</b>"], [
            ("link", "[b\nc](u)"), ("html", "<b>"), ("html", "</b>")]),
        ("![a [b](c)](d) <https://e.org>", ["![a [b](c)](d) <https://e.org>"], [
            ("image", "![a [b](c)](d)"), ("link", "<https://e.org>")]),
        ("[a][] [a] [b][a]\n\n[a]: u", ["[a][] [a] [b][a]"], [
            ("link", "[a][]"), ("link", "[a]"), ("link", "[b][a]")]),
        ("\\*a \\", ["\\*a \\"], []),
        ("> a  \n> b\\\n> c", ["a", "b", "c"], []),
    ],
)  # fmt: skip
def test_prose_and_atoms(text: str, prose: list[str], atoms: Shown) -> None:
    found = structure(text)
    assert [text[line.start : line.end] for line in found.prose] == prose
    assert shown(text, found.atoms) == atoms


def test_kinds_of_prose() -> None:
    text = "# T #\n\nS\n==\n\n- # H\n  t\n\na | b\n-|-\n|c|\n||\n"
    assert shown(text, structure(text).prose) == [
        ("heading", "T"), ("heading", "S"), ("heading", "H"), ("text", "t"),
        ("cell", "a "), ("cell", " b"), ("cell", "c"), ("cell", ""),
    ]  # fmt: skip


def test_blocks() -> None:
    text = "```py\nx\n```\n\n    y\n\n<div>\nz\n</div>\n\n|a|\n|-|\n|b|\n"
    assert shown(text, structure(text).blocks) == [
        ("fence", "```py\nx\n```"), ("indented", "y\n"), ("html", "<div>\nz\n</div>\n"),
        ("delimiter", "|-|\n"),
    ]  # fmt: skip


def test_containers_are_the_outermost() -> None:
    text = "- a\n  > b\n- c\n\n> - d\n"
    assert shown(text, structure(text).containers) == [
        ("item", "- a\n  > b\n"), ("item", "- c\n\n"), ("quote", "> - d\n"),
    ]  # fmt: skip


def test_definitions_and_openings() -> None:
    text = "é\n\n[a]: u\n[a]: v\n\n---\n# h\n- i\n"
    found = structure(text)
    assert [text[d.start : d.end] for d in found.definitions] == ["[a]: u"]
    assert [text[at] for at in found.openings] == ["-", "#", "-"]


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("", ""),
        ("```", "\n```"),
        ("```\n\n", "\n```"),
        ("```\n```", ""),
        ("a\n~~~~sh\nx", "\n~~~~"),
        ("```\n    ```", "\n```"),
        ("````\r\n```\r\n", "\n````"),
        ("> ```\n> x", ""),
        ("- ```\n  x", ""),
        ("- a\n\n```", "\n```"),
        ("    x", ""),
        ("<div>\n", ""),
        ("<!-- a\n\nb", "\n-->"),
        ("<!-- a -->", ""),
        ("<!-->", ""),
        ("<PRE>\na", "\n</pre>"),
        ("<script>x</script>", ""),
        ("<? a\n\n", "\n?>"),
        ("<![CDATA[ a", "\n]]>"),
        ("<!X", "\n>"),
    ],
)
def test_closing_lets_a_paragraph_follow(text: str, closing: str) -> None:
    assert structure(text).closing() == closing
    whole = f"{text}{closing}\n\nlast"
    assert whole[structure(whole).prose[-1].start :] == "last"


def test_line_head_stays_in_the_containers() -> None:
    text = "> 1. ```\n>    x\n>    ```\n\n-     y\n"
    fence, code = structure(text).blocks
    assert line_head(text, 0, fence) == ">    "
    assert line_head(text, text.index("-"), code) == "  "
    (tabbed,) = structure("*\t    a").blocks
    assert line_head("*\t    a", 0, tabbed) == "  "


def test_emphasis_and_its_signs() -> None:
    text = "a ***b*** ~~c~~ ~d~ [*e*](u) _f_"
    shown = [(text[e.start : e.end], e.width) for e in structure(text).emphasis]
    assert shown == [("**b**", 2), ("***b***", 1), ("~~c~~", 2), ("~d~", 1), ("_f_", 1)]


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("a", ""),
        ("```\na", "\n```"),
        ("<!-- a", "\n-->"),
        ("<details>\n\na", "\n</details>"),
        ("<details>\n<details>\n\n```\na", "\n```\n</details>\n</details>"),
        ("<details>a</details>\n\nb", ""),
        ("a <details> b", "\n</details>"),
        ("- <details>\n\n  a\n\nb", ""),
        ("> <details>\n\n<details>\n\n> a", "\n</details>"),
        ("`<details>` <!-- <details> -->", ""),
        ("</details>\n\n<DETAILS open>", "\n</details>"),
        ("- ```\n  a", ""),
    ],
)
def test_closing(text: str, closing: str) -> None:
    assert structure(text).closing() == closing


def test_raw_links_and_code_are_paired_in_one_block() -> None:
    text = "<a href=x>b</a> <code>c <b>d</b></code> <code>e\n\n</code> <a>f"
    assert shown(text, structure(text).raw) == [
        ("raw", "<a href=x>b</a>"),
        ("raw", "<code>c <b>d</b></code>"),
    ]


def test_lone_surrogates_keep_positions() -> None:
    text = "a\ud83d\udd00 `b`"
    assert shown(text, structure(text).atoms) == [("code", "`b`")]


PIECES = [
    *("a", "é", "潮", "🗼", "[", "]", "(", ")", "`", "``", "```", "~~~", "*", "_", "~~", "<", ">"),
    *("<b>", "<div>", "<!--", "-->", "\\", "!", "|", "|-|", "&", "\n", "\n\n", " ", "\t", "- "),
    *("1. ", "# ", "```\n", "\r\n", "]: ", "]("),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN)
def test_spans_are_ordered_and_disjoint(text: str) -> None:
    found = structure(text)
    for spans in (found.prose, found.atoms, found.blocks, found.containers, found.definitions):
        last = 0
        for span in spans:
            assert last <= span.start <= span.end <= len(text)
            last = span.end
    assert list(found.openings) == sorted(found.openings)


def test_depth_costs_no_recursion() -> None:
    assert structure(">" * 100_000 + " a").prose[0].kind == "text"
