from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.markdown import structure
from citestream.rendering import CitationEntry, OffsetError, append_block, render
from citestream.sources import OutputTooLongError, Source

TIDES = Source(1, "Tide tables", "https://e.org/tides")
BUOYS = Source(3, "Buoys", "https://e.org/buoys")


def cite(part: str, offset: int, **source: Any) -> CitationEntry:
    return {"data_part_id": part, "offset": offset, "locator": "", "source": source}


def test_both_kinds_come_to_one_form() -> None:
    text = "Noon [1]. Buoys lie north. The log says so!"
    citations = [
        cite("p", 26, url="https://e.org/buoys"),
        cite("log", 43, title="Log *7*"),
    ]
    rendered = render(text, citations, [TIDES, BUOYS])
    assert rendered.text == (
        "Noon [\\[¹\\]](https://e.org/tides). Buoys lie north.[\\[³\\]](https://e.org/buoys)"
        " The log says so! \\[⁴\\]\n\n_Sources_\n\n- [\\[1\\]](https://e.org/tides) Tide tables\n"
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
    for form in ("markdown", "html", "text"):
        assert "javascript" not in render("a", [cite("p", 1)], source, to=form).text  # type: ignore[arg-type]
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


PIECES = [
    *("a", " ", "\n", "\n\n", "`", "``", "```\n", "[", "]", "](", "]:", "[x]", "(", ")", "<b>"),
    *("<", ">", "*", "**", "_", "\\", "!", "- ", "> ", "1. ", "# ", "| a | b |\n", "|-|-|\n"),
    *("&amp;", '"', "'", "潮", "<div>\n", "---\n", "[1]"),
]


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.integers(0, 40), min_size=1, max_size=3),
    st.sampled_from(["https://e.org/x", 'https://e.org/"', "https://e.org/'(`"]),
)
def test_every_marker_is_a_link_of_its_own(text: str, offsets: list[int], url: str) -> None:
    citations = [cite("p", min(offset, len(text)), url=url) for offset in offsets]
    rendered = render(text, citations, marker_style="brackets").text
    body = rendered.rpartition("_Sources_")[0]
    links = [body[s.start : s.end] for s in structure(body).atoms if s.kind == "link"]
    marks = sum(link.startswith("[\\[¹\\]](https://e.org/") for link in links)
    assert marks == body.count("[\\[¹\\]](https://e.org/") >= 1
