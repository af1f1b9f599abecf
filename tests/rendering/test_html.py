from html.parser import HTMLParser
from typing import Any

from citestream.rendering import CitationEntry, render
from citestream.sources import Source

REL = "nofollow noopener noreferrer"
TIDES = Source(1, 'Tide "tables" <b>', "https://e.org/tides?a=1&b=2")
MEMO = Source(2, "Memo", "javascript:x")


def cite(part: str, offset: int) -> CitationEntry:
    return {"data_part_id": part, "offset": offset, "locator": ""}


def html(text: str, *citations: CitationEntry, **options: Any) -> str:
    return render(text, citations, [TIDES, MEMO], to="html", **options).text


class Tags(HTMLParser):
    """Every start tag of a document with its attributes."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def links(self) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.found if tag == "a"]


def test_a_marker_has_an_id_a_back_link_and_a_name() -> None:
    marker, entry, back = Tags(html("Noon [1].")).links()
    assert marker["href"] == entry["href"] == TIDES.url
    assert back["href"] == f"#{marker['id']}"
    assert marker["aria-label"] == 'Source 1: Tide "tables" <b>'
    assert back["aria-label"] == "Back to marker 1 of source 1"
    assert {marker["rel"], entry["rel"], back["rel"]} == {REL}
    assert ">[¹]</a>." in html("Noon [1].")
    assert ">¹</a>." in html("Noon [1].", marker_style="bare")


def test_a_marker_without_an_address_leads_to_its_entry() -> None:
    page = html("a", cite("p", 1), part_numbers={"p": 2})
    marker, back = Tags(page).links()
    entries = [attributes["id"] for tag, attributes in Tags(page).found if tag == "li"]
    assert marker["href"] == f"#{entries[0]}"
    assert back["href"] == f"#{marker['id']}"


def test_ids_are_apart_in_one_answer_and_between_answers() -> None:
    ids = [
        link["id"]
        for text in ("a [1][1]", "b [1]")
        for link in Tags(html(text)).links()
        if "id" in link
    ]
    assert len(set(ids)) == 3


def test_raw_html_and_images_are_shown_and_not_run() -> None:
    text = (
        "<script>alert(1)</script>\n\na <img src=x onerror=y> ![alt](https://evil.org/i) "
        "[l](javascript:x) [m](https://e.org) <b onclick=z>c</b>\n\n> <div onclick=q>\n> ```\n"
    )
    page = html(text)
    assert {tag for tag, _ in Tags(page).found} <= {
        *("p", "a", "pre", "code", "blockquote", "section", "em", "ul", "li")
    }
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;img src=x onerror=y&gt; alt " in page
    assert [link.get("href") for link in Tags(page).links()][:2] == [None, "https://e.org"]
    assert {link["rel"] for link in Tags(page).links()} == {REL}


def test_line_breaks_and_alignment_stay() -> None:
    page = html("|a|\n|-:|\n|b<br>c|\n")
    assert '<td style="text-align:right">b<br>c</td>' in page.replace(": right", ":right")


def test_a_text_cannot_forge_a_marker() -> None:
    key = html("a [1]").split('id="cite-')[1].split("-")[0]
    page = html(f"a [1] [x](#{key}-1) [y](#cite-{key}-1)")
    assert page.count('role="doc-noteref"') == 1


def test_deep_quotes_are_shown_flat() -> None:
    page = html("> " * 1_000 + "a [1]")
    assert page.count("<blockquote>") == page.count("</blockquote>") == 100
    assert "[¹]" in html(">" * 320_000 + " [1]")


def test_without_sources_there_is_no_list() -> None:
    assert render("*a*", to="html").text == "<p><em>a</em></p>\n"


def test_an_address_that_is_no_link_is_shown() -> None:
    page = html("a", cite("p", 1), part_numbers={"p": 2}, marker_style="bare")
    assert ">2 Memo &lt;javascript:x&gt; <a" in page


def test_the_model_s_own_link_gives_way_to_a_marker() -> None:
    page = html("a [9][1] b\n\n[1]: https://e.org/own")
    assert "https://e.org/own" not in page
    assert "a [9]<a id=" in page
