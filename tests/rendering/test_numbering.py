from citestream.rendering import CitationEntry, CitedPart
from citestream.rendering.numbering import number_citations
from citestream.sources import Source

SOURCES = [Source(2, "B", "https://e.org/b"), Source(5, "E", " https://e.org/e")]


def entry(part: str, offset: int, title: str = "", url: str | None = None) -> CitationEntry:
    source: CitedPart = {"title": title, "url": url}
    return {"data_part_id": part, "offset": offset, "locator": "", "source": source}


def test_a_part_that_is_a_source_takes_its_number() -> None:
    citations = [entry("p", 0, url="https://e.org/e "), entry("q", 1)]
    assert number_citations(citations, SOURCES, {"q": 2}) == ({"p": 5, "q": 2}, [])


def test_others_count_on_in_order_of_first_appearance() -> None:
    citations: list[CitationEntry] = [
        {"data_part_id": "late", "offset": 9, "locator": ""},
        entry("early", 1, "Early", "https://e.org/x"),
        entry("again", 2, "Again", "https://e.org/x"),
        {"data_part_id": "early", "offset": 3, "locator": "/0"},
    ]
    numbers, more = number_citations(citations, SOURCES, {"late": 77})
    assert numbers == {"early": 6, "again": 6, "late": 7}
    assert more == [Source(6, "Early", "https://e.org/x"), Source(7, "late", "")]


def test_without_sources_numbers_begin_at_one() -> None:
    assert number_citations([entry("p", 0)], [], {}) == ({"p": 1}, [Source(1, "p", "")])
