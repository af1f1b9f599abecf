"""Results of tools, whatever JSON they are: what becomes of each field, and what the model sees."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.markers import marker

from citestream.parts import PartDataError
from citestream.turns import Turn
from citestream.turns.items import MAX_ADDRESS, MAX_LINKS, MAX_TITLE, read_item

PAGE = {"title": "Buoys", "url": "https://example.org/buoys", "body": "North: 12\nSouth: 3"}
FIELDS = ("id", "title", "url", "snippet", "body", "links", "source", "rows", "score", "value", "")


def web(*results: Any) -> str:
    return Turn().register_results("web_search", results)


@pytest.mark.parametrize(
    ("result", "data", "title", "url"),
    [
        ({"title": "T", "url": "https://e.org"}, ..., "T", "https://e.org"),
        ({"title": "T", "url": "u", "score": 0.5, "content": None}, ..., "T", "u"),
        ({"title": None, "url": None, "snippet": None, "x": None}, {"x": None}, None, None),
        ({"title": " ", "url": " ", "rows": {}, "source": 5}, ..., None, None),
        ({"title": 5, "url": ["u"], "body": 7, "links": "x"}, ..., None, None),
        (PAGE, {"value": PAGE["body"]}, "Buoys", PAGE["url"]),
        (
            {**PAGE, "links": ["a"], "lang": "en"},
            {"value": PAGE["body"], "lang": "en"},
            "Buoys",
            PAGE["url"],
        ),
        ({"body": "b", "title": 5, "links": 6}, {"value": "b", "title": 5, "links": 6}, None, None),
        ({"body": "", "rows": [1], "source": "desk:x"}, {"value": "", "rows": [1]}, None, None),
        ({"source": "https://e.org/a", "rows": []}, ..., None, "https://e.org/a"),
        ("text", ..., None, None),
        (None, ..., None, None),
        ([1, {}], ..., None, None),
        ({}, ..., None, None),
    ],
)
def test_what_becomes_of_each_field(
    result: Any, data: Any, title: str | None, url: str | None
) -> None:
    item = read_item(result)
    assert item.data == item.clean == (result if data is ... else data)
    assert (item.title, item.address()) == (title, url)


@pytest.mark.parametrize("beyond", [0, 1])
def test_long_titles_are_cut_and_long_addresses_are_none(beyond: int) -> None:
    title, url = "t" * (MAX_TITLE + beyond), "u" * (MAX_ADDRESS + beyond)
    item = read_item({"title": title, "url": url})
    assert item.title == title[:MAX_TITLE]
    assert item.address() == (None if beyond else url)
    assert item.data == {"title": title, "url": url}
    assert web({"body": "", "links": ["l"] * 2000}).count("\n- l") == MAX_LINKS


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(PartDataError):
        read_item({"a": object()})


def test_a_page_is_shown_with_number_id_and_lines() -> None:
    assert web({**PAGE, "links": ["https://e.org/n", 5], "lang": "en"}) == (
        "[1] Buoys\n"
        "URL: https://example.org/buoys\n"
        "[tool_data_01] web_search\n"
        "L1: North: 12\n"
        "L2: South: 3\n"
        '/lang: "en"\n'
        "\n"
        "Links on page:\n"
        "- https://e.org/n"
    )


def test_the_brackets_of_a_page_are_not_ours() -> None:
    page = {**PAGE, "title": "T [3]", "body": "See [3].\n```\na[3]\n```\n[1, 2]", "n": "[3]"}
    turn = Turn()
    assert turn.register_results("web_search", [page]) == (
        "[1] T \uff3b3\uff3d\nURL: https://example.org/buoys\n[tool_data_01] web_search\n"
        'L1: See \uff3b3\uff3d.\nL2: ```\nL3: a[3]\nL4: ```\nL5: \uff3b1, 2\uff3d\n/n: "[3]"'
    )
    assert turn.parts()[0].data["value"] == page["body"]


def test_what_a_search_found_is_shown_by_its_number_and_the_rest_by_pointers() -> None:
    found = {"title": "T", "url": "https://e.org", "snippet": "noon"}
    assert web(found) == "[1] T\n    https://e.org\n    noon"
    assert web({**found, "score": 0.5, "rows": [{"a": 1}]}) == (
        "[1] T\n    https://e.org\n    noon\n[tool_data_01] web_search\n/score: 0.5\n/rows/0/a: 1"
    )
    assert web({"source": "https://e.org/a", "rows": [7]}) == (
        "[1] https://e.org/a\n    https://e.org/a\n[tool_data_01] web_search\n/rows/0: 7"
    )


def test_a_typed_result_of_a_web_tool_shows_its_rows() -> None:
    assert web({"source": "silvia://search/search_web", "title": "T", "rows": [{"a": 1}]}) == (
        "[tool_data_01] web_search\n"
        '/source: "silvia://search/search_web"\n/title: "T"\n/rows/0/a: 1'
    )


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"title": "T"}, '[tool_data_01] web_search\n/title: "T"'),
        ({"url": "https://e.org"}, "[1] https://e.org\n    https://e.org"),
        ({"body": "one", "title": "T"}, "T\n[tool_data_01] web_search\nL1: one"),
        ({"body": ""}, "[tool_data_01] web_search"),
        ("a\nb", "[tool_data_01] web_search\nL1: a\nL2: b"),
        ({}, "[tool_data_01] web_search\n{}"),
    ],
)
def test_without_an_address_there_is_no_number(result: Any, text: str) -> None:
    assert web(result) == text


def test_a_source_without_title_is_called_by_its_address() -> None:
    turn = Turn()
    turn.register_results("web_search", [{"url": "https://e.org", "title": None}])
    assert [source.title for source in turn.sources()] == ["https://e.org"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None) | st.sampled_from("\n\r\u2028 :/~[]L1\ue200\ud83d\x85")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
RESULT = JSON | st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("id", "title", "url", "snippet", "body", "source"), st.text() | JSON),
        **dict.fromkeys(("links", "rows"), st.lists(JSON, max_size=2)),
        "score": JSON,
    },
)


@settings(max_examples=2000, deadline=None)
@given(st.lists(RESULT, max_size=4), st.text(max_size=10), st.booleans())
def test_any_json_is_a_result_and_all_that_is_shown_of_it_resolves(
    results: list[Any], tool_name: str, is_web: bool
) -> None:
    turn = Turn(include=["excerpt"])
    text = turn.register_results(tool_name, results, web=is_web)
    parts = {part.id: part for part in turn.parts()}
    assert turn.refused() == ()
    assert len(parts) <= len(results)
    text.encode()
    cited: list[tuple[str, str]] = []
    numbers: list[int] = []
    current = None
    for line in text.split("\n"):
        assert len(line.splitlines()) <= 1
        if (head := re.match(r"\[([^ ]+)\]", line)) and head[1] in parts:
            current = head[1]
        elif head := re.match(r"\[([0-9]+)\] ", line):
            numbers.append(int(head[1]))
        elif current and re.match(r"/|L[0-9]", line):
            cited.append((current, line.partition(": ")[0]))
        elif not line or line.startswith("    "):
            current = current if line else None
    # Results without an address have an id, those with one a number.
    assert {*numbers} <= {source.index for source in turn.sources()}
    for part_id, place in cited:
        turn.feed(marker(part_id, place))
    turn.finish()
    answer = turn.answer()
    assert answer.text == ""
    assert [(one.data_part_id, one.locator) for one in answer.citations] == cited
    assert {one.excerpt and one.excerpt.resolution for one in answer.citations} <= {"resolved"}
    json.dumps(answer.as_json()).encode()
