from typing import Any

from citestream.parts import make_part
from citestream.rendering import CitationEntry, CitedPart
from citestream.rendering.numbering import described, number_citations
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


def test_an_entry_is_named_by_title_address_or_tool() -> None:
    parts = described(
        [
            {"id": "a", "tool_name": "log", "title": "Log", "url": "https://e.org/a"},
            {"id": "b", "tool_name": "log", "title": " ", "url": "https://e.org/x"},
            make_part("c", "lookup", {}),
        ]
    )
    citations: list[CitationEntry] = [{"data_part_id": part, "offset": 0} for part in "abcd"]
    citations.append({"data_part_id": "a", "offset": 1, "source": {"title": "Own"}})
    numbers, more = number_citations(citations, [], {}, parts)
    assert more == [
        Source(1, "Log", "https://e.org/a"),
        Source(2, "https://e.org/x", "https://e.org/x"),
        Source(3, "lookup", ""),
        Source(4, "d", ""),
    ]
    assert numbers == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_what_a_citation_says_counts_before_its_part() -> None:
    parts = described([{"id": "p", "tool_name": "log", "title": "Log"}])
    citation: CitationEntry = {
        "data_part_id": "p",
        "offset": 0,
        "source": {"title": None, "url": "https://e.org/b"},
    }
    assert number_citations([citation], SOURCES, {}, parts) == ({"p": 2}, [])
    assert number_citations([citation], [], {}, parts)[1] == [Source(1, "Log", "https://e.org/b")]


def test_a_target_leads_where_its_link_says() -> None:
    citation: CitationEntry = {
        "data_part_id": "p",
        "offset": 0,
        "target": {"kind": "account", "accountId": "7"},
        "source": {"title": "Account", "url": "https://e.org/api/7"},
    }

    def link(target: Any) -> str | None:
        return (
            f"https://desk.example/{target['accountId']}" if target["kind"] == "account" else None
        )

    assert number_citations([citation], [], {}, target_link=link)[1] == [
        Source(1, "Account", "https://desk.example/7")
    ]
    other: CitationEntry = {**citation, "target": {"kind": "ticker"}}
    assert number_citations([other], [], {}, target_link=link)[1][0].url == "https://e.org/api/7"
    known = [Source(3, "A", "https://desk.example/7")]
    assert number_citations([citation], known, {}, target_link=link) == ({"p": 3}, [])
