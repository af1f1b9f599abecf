import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.markdown import structure
from citestream.sources import OutputTooLongError, Source, link

ADDRESSES = ["https://e.org/a", "https://e.org/'q", 'https://e.org/"q', "https://e.org/(`|&copy;)"]
PIECES = [
    *("[1]", "[^2]", "[ 1 ]", "[1, 1]", "[2, 1]", "[9]", "[x]", "[x](", "](", "[x]: ", "[1]: "),
    *("u", '"', "'", "(", ")", "<", ">", "`", "``", "```\n", "~~~\n", "\n", "\n\n", " ", "    "),
    *("# ", "|", "|-|-|\n", "| a | b |\n", "*", "**", "_", "~~", "\\", "!", "&amp;", "潮", "<b>"),
    *("</b>", "<!--", "-->", "<div>\n", "\n---\n", "[]", "[", "]", ":", "word. "),
]


DEFINITION = re.compile(r"\d ?\]:")


@settings(max_examples=800, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(ADDRESSES))
def test_no_link_appears_but_ours_and_no_block_changes(text: str, url: str) -> None:
    sources = [Source(1, "A", url), Source(2, "B", ADDRESSES[0])]
    before = structure(text)
    linked = link(text, sources).markdown
    if DEFINITION.search(text):
        return  # definition lines go, and what refers to them becomes ours
    after = structure(linked)
    ours = linked.count("[\\[¹\\]](https://e.org/") + linked.count("[\\[²\\]](https://e.org/")
    links = [span for span in after.atoms if span.kind == "link"]
    shown = [linked[span.start : span.end] for span in links]
    assert sum(mark.startswith(("[\\[¹\\]](", "[\\[²\\]](")) for mark in shown) == ours
    assert len(links) - ours == sum(span.kind == "link" for span in before.atoms)
    assert [span.kind for span in after.prose] == [span.kind for span in before.prose]
    assert [span.kind for span in after.blocks] == [span.kind for span in before.blocks]


@given(st.text())
@settings(max_examples=100, deadline=None)
def test_a_text_that_cites_nothing_is_untouched(text: str) -> None:
    assert link(text, []).markdown == text
    assert link(text, [Source(10**30, "A", "https://e.org")]).markdown == text


def test_output_is_refused_before_it_is_built() -> None:
    sources = [Source(1, "A", "https://e.org/" + "p" * 2_000)]
    with pytest.raises(OutputTooLongError):
        link("[1] " * 16_000, sources)
    with pytest.raises(OutputTooLongError):
        link("[1]" * 16_000, sources)


def test_a_definition_line_without_a_word_goes_too() -> None:
    sources = [Source(2, "B", "https://e.org")]
    for text in ("[^2]:", "[^2]: ", "[^2]:\n"):
        assert link(text, sources).markdown == ""
    assert link("a\n\n[^3]:", sources).markdown == "a\n\n[^3]:"


def test_marker_styles() -> None:
    sources = [Source(12, "A", "https://e.org")]
    assert link("[12]", sources).markdown == "[\\[¹²\\]](https://e.org)"
    assert link("[12]", sources, marker_style="bare").markdown == "[¹²](https://e.org)"


def test_what_no_address_may_complete_stays_text() -> None:
    quote = [Source(1, "A", 'https://e.org/"')]
    assert "[\\[¹\\]](https://e.org/%22)" in link('[x](u "a [1] b)', quote).markdown
    assert link("[x](u[ 1 ])", quote).markdown == "[x](u[ 1 ])"
    assert link("[x]: [1, 1]", quote).markdown == "[x]: [1, 1]"
    assert link("a [ 1 ]", quote).markdown == 'a [\\[¹\\]](https://e.org/")'
