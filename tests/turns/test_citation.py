"""Citations as values, and the fields asked for on top."""

import itertools
from typing import Any, get_args

import pytest

from citestream.parts import DataPart, Excerpt
from citestream.turns import Citation, Dropped, Include, Offsets, Source
from citestream.turns.citation import INCLUDES, cite

BARE = {"data_part_id": "a", "offset": 3, "locator": "/x"}
EXTRA: dict[str, tuple[Any, dict[str, Any]]] = {
    "excerpt": (
        Excerpt("unresolved", "text", truncated=True),
        {"resolution": "unresolved", "excerpt": {"text": "text", "truncated": True}},
    ),
    "offsets": (Offsets(3, 4, 6), {"offsets": {"rune": 3, "utf16": 4, "utf8": 6}}),
    "source": (
        Source("tool", None, "https://example.org"),
        {"source": {"tool_name": "tool", "title": None, "url": "https://example.org"}},
    ),
}
CHOICES = [choice for size in range(4) for choice in itertools.combinations(EXTRA, size)]


def test_what_may_be_asked_for() -> None:
    assert INCLUDES == ("excerpt", "offsets", "source", "diagnostics")
    assert get_args(Include) == INCLUDES


@pytest.mark.parametrize("fields", CHOICES)
def test_a_citation_shows_what_it_has(fields: tuple[str, ...]) -> None:
    citation = Citation("a", 3, "/x", **{name: EXTRA[name][0] for name in fields})
    expected = BARE.copy()
    for name in fields:
        expected |= EXTRA[name][1]
    assert citation.as_json() == expected


def test_an_empty_excerpt_and_the_beginning_are_shown() -> None:
    citation = Citation("a", 0, "", Excerpt("whole", "", truncated=False), Offsets(0, 0, 0))
    assert citation.as_json() == {
        "data_part_id": "a",
        "offset": 0,
        "locator": "",
        "resolution": "whole",
        "excerpt": {"text": "", "truncated": False},
        "offsets": {"rune": 0, "utf16": 0, "utf8": 0},
    }


@pytest.mark.parametrize("fields", CHOICES)
def test_a_part_is_cited_with_what_was_asked_for(fields: tuple[Include, ...]) -> None:
    part = DataPart("a", "tool", {"value": {"x": "text"}}, title="Title", url="https://e.org")
    offsets = Offsets(3, 4, 6) if "offsets" in fields else None
    assert cite(part, 3, "/x", frozenset({*fields, "diagnostics"}), offsets) == Citation(
        data_part_id="a",
        offset=3,
        locator="/x",
        excerpt=Excerpt("resolved", "text", truncated=False) if "excerpt" in fields else None,
        offsets=offsets,
        source=Source("tool", "Title", "https://e.org") if "source" in fields else None,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "\x00\x7f",
        "\u00e9\u0301",
        "\u4e2d\uffff",
        "\U0001f600\U0010ffff",
        "a\u00e9\u4e2d\U0001f600",
    ],
)
def test_offsets_count_code_points_utf16_units_and_bytes(text: str) -> None:
    units, size = len(text.encode("utf-16-be")) // 2, len(text.encode("utf-8"))
    assert Offsets(0, 0, 0).after(text) == Offsets(len(text), units, size)
    assert Offsets(5, 7, 11).after(text) == Offsets(5 + len(text), 7 + units, 11 + size)


@pytest.mark.parametrize("reason", ["unknown_part", "user_origin", "limit"])
def test_a_dropped_entry_says_why(reason: Any) -> None:
    assert Dropped("a", 3, "/x", reason).as_json() == {**BARE, "reason": reason}
