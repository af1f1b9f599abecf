"""The list through a real CommonMark renderer: titles and addresses of results are untrusted."""

from itertools import product

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citestream.sources import Source, link, list_block, shown_title

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

ATTACKS = [
    "](x)", "[a](https://evil.org)", "![a](https://evil.org/i.png)", "[a]", "[1]", "[^1]", "![1]",
    "[a]: https://evil.org", "<https://evil.org>", "<b>", "</li></ul>", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<!-- ", "-->", "<?", "<![CDATA[", "&lt;img&gt;", "&#91;a&#93;",
    "&copy;", "`code`", "``", "```\nfence", "*em*", "**strong**", "_em_", "a_b_c", "| cell |",
    "\\", "\\\\", "\\[", "a\nb", "a\r\n\r\n# h", "a\u2028b", "a\x85b", "a\x0bb", "  \n", "\n- item",
    "# h", "- item", "1. item", "> quote", "---", "    code", "\t", "\u202eabc\u202c",
    "\u2066x\u2069", "\u200e", "\x00", "\x07", "\x1b[31m", "\ue200cite\ue202x\ue201", "\ud83d", "~",
    "$x$", "{{x}}", "a" * 400,
]  # fmt: skip
FRAMES = ["{}", "a {} b", "{}(https://evil.org)", "]{}[", "{0}{0}"]
TITLES = [frame.format(attack) for attack, frame in product(ATTACKS, FRAMES)]
HEADS = ["https://e.org/{}", "HTTP://e.org?q={}", "https://e.org/{0}{0}", "javascript:{}", "{}"]
ADDRESSES = [head.format(attack) for attack, head in product(ATTACKS, HEADS)]


def test_the_corpus_is_large_enough() -> None:
    assert len(set(TITLES)) >= 250
    assert len(set(ADDRESSES)) >= 250


def tokens(markdown: str) -> list[Token]:
    flat: list[Token] = []
    for token in RENDERER.parse(markdown):
        flat += [token, *(token.children or [])]
    return flat


def kinds(markdown: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for token in tokens(markdown):
        counts[token.type] = counts.get(token.type, 0) + 1
    counts.pop("text", None)
    counts.pop("text_special", None)
    return counts


PLAIN = kinds(list_block([Source(1, "a", "https://e.org"), Source(2, "b", "https://e.org")]))


def hrefs(markdown: str) -> list[object]:
    return [token.attrGet("href") for token in tokens(markdown) if token.type == "link_open"]


def test_titles_bring_nothing_in() -> None:
    for title in TITLES:
        block = list_block([Source(1, title, "https://e.org"), Source(2, "b", "https://e.org")])
        assert kinds(block) == PLAIN, title
        assert set(hrefs(block)) == {"https://e.org"}, title


def test_titles_read_as_they_are() -> None:
    for title in TITLES:
        source = Source(1, title, "https://e.org")
        texts = [token for token in tokens(list_block([source])) if token.type == "inline"]
        words = "".join(child.content for child in texts[1].children or [])
        assert words == f"[1] {shown_title(source)}".replace("\x00", "\ufffd"), title


def test_addresses_bring_nothing_in() -> None:
    text = "Noon [1], ` and \"a\" 'b' ([2]) <x | [c] end\n"
    plain = kinds(text)
    for address in ADDRESSES:
        sources = [Source(1, "a", address), Source(2, "b", "https://e.org")]
        linked = link(text, sources).markdown
        links = linked.count("[\\[¹\\]](") + linked.count("[\\[²\\]](")
        assert kinds(linked) == {**plain, "link_open": links, "link_close": links}, address
        block = list_block(sources)
        found = hrefs(linked) + hrefs(block)
        assert all(
            str(href).lower().startswith(("http://e.org", "https://e.org")) for href in found
        )
        missing = 2 - len(hrefs(block))
        assert kinds(block) == {
            **PLAIN, "link_open": 2 - missing, "link_close": 2 - missing}, address  # fmt: skip


@pytest.mark.parametrize(
    ("title", "url", "shown"),
    [
        (" a\t\nb ", "u", "a b"),
        ("a \x07 b\u202e", "u", "a b"),
        ("\u200e", " u\n", "u"),
        ("", "", ""),
    ],
)
def test_shown_title(title: str, url: str, shown: str) -> None:
    assert shown_title(Source(1, title, url)) == shown


def test_a_title_of_any_length_is_cut_where_it_is_read() -> None:
    title = shown_title(Source(1, "a " * 1_000_000, ""))
    assert len(title) < 10_000
    assert title.endswith("a…")


def test_an_address_that_is_no_link_is_shown_once() -> None:
    assert list_block([Source(1, "", "javascript:x")]).endswith("\n- \\[1\\] javascript:x")
    assert list_block([Source(1, "A", "\u202ejava\nscript:x")]).endswith(
        "\n- \\[1\\] A \\<java script:x\\>"
    )
