import pytest

from citestream.parts import make_part
from citestream.rendering import CitationEntry, CitedPart
from citestream.rendering.numbering import described, number_citations
from citestream.sources import SitePath, Source
from citestream.targets import load_preset

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


PRESET = load_preset(
    'scheme = "desk"\nlink.account = "/money/<accountId>"\n'
    'link.mail = "https://mail.example.org/<messageId>"\n[kind.mail]\nmessageId = "string"\n'
)
ACCOUNT = {"kind": "account", "accountId": "7", "provider": "plaid"}
PAGE = "https://e.org/api/7"


def cited(
    part: str,
    target: object = None,
    title: str | None = None,
    url: str | None = None,
    source: str | None = None,
) -> CitationEntry:
    said: CitedPart = {"tool_name": "sql", "title": title, "url": url, "source": source}
    return {"data_part_id": part, "offset": 0, "target": target, "source": said}


@pytest.mark.parametrize(
    ("target", "url", "leads"),
    [
        (ACCOUNT, None, SitePath("/money/7")),
        (ACCOUNT, PAGE, SitePath("/money/7")),
        ({"kind": "mail", "messageId": "m 1"}, None, "https://mail.example.org/m%201"),
        ({"kind": "web", "url": "https://e.org/p"}, PAGE, "https://e.org/p"),
        ({"kind": "tax_reference", "url": None}, PAGE, PAGE),
        ({"kind": "account", "accountId": ".."}, PAGE, PAGE),
        ({"kind": "mail", "messageId": ""}, PAGE, PAGE),
        ({"kind": "berth", "url": "https://e.org/p"}, PAGE, PAGE),
        (["mail"], None, ""),
    ],
)
def test_an_entry_leads_where_its_target_does(target: object, url: str | None, leads: str) -> None:
    (entry,) = number_citations([cited("p", target, "T", url)], [], {}, preset=PRESET)[1]
    assert (entry, type(entry.url)) == (Source(1, "T", leads), type(leads))


def test_without_a_preset_a_target_leads_to_its_own_address() -> None:
    web = cited("w", {"kind": "web", "url": PAGE}, "W")
    account = cited("a", ACCOUNT, "A")
    more = number_citations([web, account], [], {})[1]
    assert more == [Source(1, "W", PAGE), Source(2, "A", "")]


def test_a_target_that_leads_to_a_source_has_its_number() -> None:
    web = cited("p", {"kind": "web", "url": "https://e.org/b"})
    assert number_citations([web], SOURCES, {}) == ({"p": 2}, [])


CHECKING = "desk://your-account/checking"


@pytest.mark.parametrize(
    ("first", "second", "one"),
    [
        (cited("a", source=CHECKING), cited("b", source=CHECKING), True),
        (cited("a", source=CHECKING, title="A"), cited("b", source=CHECKING, title="B"), True),
        (cited("a", ACCOUNT, source="x"), cited("b", ACCOUNT | {"provider": None}), True),
        (cited("a", ACCOUNT), cited("b", ACCOUNT | {"accountId": "8"}), False),
        (cited("a", {"kind": "analysis"}), cited("b", {"kind": "analysis"}), False),
        (
            cited("a", {"kind": "tax_reference", "url": None}, source="desk://a"),
            cited("b", {"kind": "tax_reference", "url": None}, source="desk://b"),
            False,
        ),
        (cited("a", source=CHECKING, url=PAGE), cited("b", source=CHECKING), False),
        (
            cited("a", {"kind": "market_data", "ticker": "A"}, url=PAGE),
            cited("b", {"kind": "market_data", "ticker": "A"}, url="https://e.org/other"),
            False,
        ),
    ],
)
def test_parts_of_one_source_have_one_number(
    first: CitationEntry, second: CitationEntry, one: bool
) -> None:
    numbers, more = number_citations([first, second], [], {})
    assert numbers == {"a": 1, "b": 1 if one else 2}
    assert len(more) == (1 if one else 2)


def test_an_entry_without_a_title_is_named_by_what_its_tool_calls_it() -> None:
    citations = [
        cited("a", ACCOUNT, source=CHECKING),
        cited("b", {"kind": "mail", "messageId": "m"}, source="desk://mail/m"),
    ]
    assert [entry.title for entry in number_citations(citations, [], {}, preset=PRESET)[1]] == [
        CHECKING,
        "https://mail.example.org/m",
    ]
