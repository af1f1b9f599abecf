from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.rendering.commonmark import Page, reads_alike, shown
from tests.vectors import assert_rendered, rows

from citestream import Turn
from citestream.markdown import structure
from citestream.rendering import CitationEntry, Form, OffsetError, append_block, render
from citestream.sources import MAX_OUTPUT_BYTES, MarkerStyle, OutputTooLongError, Source
from citestream.sources.operations import sources_from_json

TIDES = Source(1, "Tide tables", "https://e.org/tides")
BUOYS = Source(3, "Buoys", "https://e.org/buoys")


FORMS: Final[tuple[Form, ...]] = ("markdown", "html", "text")
ROWS = rows("render.json")


def cite(part: str, offset: int, **source: Any) -> CitationEntry:
    return {"data_part_id": part, "offset": offset, "locator": "", "source": source}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_vector(row: dict[str, Any]) -> None:
    asked = row["input"] | {"sources": sources_from_json(row["input"]["sources"])}
    found = render(**asked)
    answer = {"text": found.text, "cited": list(found.cited), "listed": list(found.listed)}
    assert_rendered(answer, row)


def test_both_kinds_come_to_one_form() -> None:
    text = "Noon [1]. Buoys lie north. The log says so!"
    citations = [
        cite("p", 26, url="https://e.org/buoys"),
        cite("log", 43, title="Log *7*"),
    ]
    rendered = render(text, citations, [TIDES, BUOYS])
    assert rendered.text == (
        "Noon [\\[¹\\]](https://e.org/tides). Buoys lie north.[\\[³\\]](https://e.org/buoys)"
        " The log says so!\\[⁴\\]\n\n_Sources_\n\n- [\\[1\\]](https://e.org/tides) Tide tables\n"
        "- [\\[3\\]](https://e.org/buoys) Buoys\n- \\[4\\] Log \\*7\\*"
    )
    assert (rendered.cited, rendered.listed) == ((1, 3, 4), (1, 3, 4))


def test_the_plain_form_carries_the_list() -> None:
    text = "Noon [^1]. **Buoys** lie north.\n\n[^1]: Tides\n"
    rendered = render(text, [cite("p", 31)], [TIDES, BUOYS], to="text", part_numbers={"p": 3})
    assert rendered.text == (
        "Noon [1]. **Buoys** lie north.[3]\n\nSources\n\n"
        "[1] Tide tables <https://e.org/tides>\n[3] Buoys <https://e.org/buoys>"
    )


def test_an_unsafe_address_is_no_link_in_any_form() -> None:
    source = [Source(1, "Memo", "javascript:x")]
    for form in FORMS:
        text = render("a", [cite("p", 1)], source, to=form, part_numbers={"p": 1}).text
        assert "](javascript" not in text
        assert "href=" not in text.replace('href="#', "")
        assert "javascript:x" in text
    assert render("a", [cite("p", 1)], source, part_numbers={"p": 1}).text.startswith("a\\[¹\\]\n")


def test_markers_at_one_place_stand_apart() -> None:
    parts = {"p": 1, "q": 3}
    both = [cite("p", 1), cite("q", 1), cite("p", 1)]
    options: dict[str, Any] = {"part_numbers": parts, "marker_style": "bare"}
    assert render("a", both, [TIDES, BUOYS], **options).text.startswith(
        "a[¹](https://e.org/tides) [³](https://e.org/buoys)\n"
    )
    for offset in (1, 4):
        text = render("a[1]b", [cite("q", offset)], [TIDES, BUOYS], **options).text
        assert ") [" in text.partition("b\n")[0], offset


def test_none_cited_lists_all_and_nothing_known_changes_nothing() -> None:
    assert render("a", (), [BUOYS, TIDES]).listed == (1, 3)
    assert render("a [1]\n\n", ()).text == "a [1]\n\n"


def test_offsets_count_the_text_as_given() -> None:
    text = "a [1]\n[^1]: x\nb c"
    rendered = render(text, [cite("p", 15)], [TIDES])
    assert rendered.text.startswith("a [\\[¹\\]](https://e.org/tides)\nb\\[²\\] c\n")
    with pytest.raises(OffsetError):
        render(text, [cite("p", len(text) + 1)])


def test_a_marker_completes_nothing() -> None:
    assert render("[x]: ", [cite("p", 5)]).text.startswith("[x]\\:\\[¹\\]")
    assert render("[x](<!--)", [cite("p", 4)]).text.startswith("[x]\\(\\[¹\\]<!--)")


@pytest.mark.parametrize("form", ["markdown", "html", "text"])
def test_output_is_refused_before_it_is_built(form: Any) -> None:
    source = Source(1, "T" * 600, "https://e.org/" + "p" * 2_000)
    citations = [cite("p", n) for n in range(16_000)]
    text = "a" * 16_000 if form != "text" else "a" * 8_400_000
    with pytest.raises(OutputTooLongError):
        render(text, citations, [source], part_numbers={"p": 1}, to=form)


def test_append_block() -> None:
    assert append_block("a \n", "") == "a \n"
    assert append_block(" \n", "b") == "b"
    assert append_block("```\na", "b") == "```\na\n```\n\nb"


def test_signs_at_a_marker_are_not_altered_in_plain_text() -> None:
    text = render("Wow! x_y_ [1](", [cite("p", 4), cite("p", 6)], [TIDES], to="text").text
    assert text.startswith("Wow![2] x[2]_y_ [1](\n")


def test_a_marker_closes_what_it_is_put_after_once() -> None:
    assert render("```\na", [cite("p", 4)]).text == (
        "```\na\n```\n\n\\[¹\\]\n\n_Sources_\n\n- \\[1\\] p"
    )


def test_citations_and_parts_may_be_objects_of_a_turn() -> None:
    turn = Turn()
    turn.register_results("web_search", [{"title": "Tides", "url": "https://e.org/tides"}])
    turn.register(tool_name="log", data={"a": 1}, title="Log")
    first, second = (f"\ue200cite\ue202tool_data_0{n}\ue201" for n in (1, 2))
    turn.feed(f"Noon [1], high{first}. Low{second}.")
    turn.finish()
    answer = turn.answer()
    found = render(answer.text, answer.citations, turn.sources(), parts=turn.parts(), to="text")
    assert found.text == (
        "Noon [1], high.[1] Low.[2]\n\nSources\n\n[1] Tides <https://e.org/tides>\n[2] Log"
    )


def test_a_text_is_measured_before_it_is_read() -> None:
    for form in FORMS:
        with pytest.raises(OutputTooLongError):
            render("a" * (MAX_OUTPUT_BYTES + 1), to=form)


PIECES = [
    *("a", "b", "word ", "潮", "重点", "é", " ", "    ", "\t", "\n", "\n\n", "`", "``", "```\n"),
    *("*", "**", "***", "_", "__", "~~", "[", "]", "](", "]:", "[x]", "(", ")", "[x](y)", "[1]"),
    *("<", ">", "<b>", "<div>\n", "<a b=", "=", "\\", "!", ".", "，", "。", "?", "€", "&amp;"),
    *("- ", "> ", "1. ", "# ", "---\n", "| a | b |\n", "|-|-|\n", '"', "'", "![i](j)", "🗼"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)
OFFSETS = st.lists(st.integers(0, 40), min_size=1, max_size=3)
STYLES = st.sampled_from(["brackets", "bare"])
ADDRESS = "https://e.org/x"


def placed(text: str, offsets: list[int], url: str | None) -> list[CitationEntry]:
    return [
        cite(f"p{n}", min(offset, len(text)), url=url and f"{url}{n}")
        for n, offset in enumerate(offsets)
    ]


@settings(max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(TEXTS, OFFSETS, STYLES, st.booleans())
def test_markdown_differs_by_markers_alone(
    text: str, offsets: list[int], style: MarkerStyle, linked: bool
) -> None:
    assume(reads_alike(text))
    style = style if linked else "brackets"
    url = ADDRESS if linked else None
    rendered = render(text, placed(text, offsets, url), marker_style=style).text
    body = rendered.rpartition("_Sources_")[0]
    before, _ = shown(text + structure(text).closing(), ADDRESS)
    after, markers = shown(body, ADDRESS)
    assert after == before
    assert markers == len(offsets)


@settings(max_examples=2_000, deadline=None)
@given(TEXTS, OFFSETS, STYLES, st.booleans())
def test_html_differs_by_markers_alone(
    text: str, offsets: list[int], style: MarkerStyle, linked: bool
) -> None:
    citations = placed(text, offsets, ADDRESS if linked else None)
    before = Page(render(text, to="html").text)
    rendered = render(text, citations, marker_style=style, to="html").text
    after = Page(rendered.partition('<section role="doc-endnotes"')[0])
    assert after.visible() == before.visible()
    assert after.outline() == before.outline()
    assert after.markers == len(offsets)


@settings(max_examples=500, deadline=None)
@given(TEXTS, OFFSETS)
def test_plain_text_differs_by_markers_alone(text: str, offsets: list[int]) -> None:
    rendered = render(text, placed(text, offsets, None), to="text").text
    left = iter(rendered)
    assert all(sign in left for sign in text.rstrip())


@settings(max_examples=500, deadline=None)
@given(TEXTS, OFFSETS, st.sampled_from(["https://e.org/x", 'https://e.org/"', "https://e.org/'(`"]))
def test_every_marker_is_a_link_of_its_own(text: str, offsets: list[int], url: str) -> None:
    citations = [cite("p", min(offset, len(text)), url=url) for offset in offsets]
    rendered = render(text, citations, marker_style="brackets").text
    body = rendered.rpartition("_Sources_")[0]
    links = [body[s.start : s.end] for s in structure(body).atoms if s.kind == "link"]
    marks = sum(link.startswith("[\\[¹\\]](https://e.org/") for link in links)
    assert marks == body.count("[\\[¹\\]](https://e.org/") >= 1
