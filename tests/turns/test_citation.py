"""Citations as values, and the fields asked for on top."""

import itertools
from typing import Any, get_args

import pytest

from citestream.parts import Excerpt
from citestream.turns import Citation, Dropped, Include, Offsets, Source
from citestream.turns.citation import INCLUDES, known_includes

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
    assert (
        *("excerpt", "offsets", "source", "diagnostics", "claim", "check"),
        *("sources", "registered"),
    ) == INCLUDES
    assert get_args(Include) == INCLUDES
    assert known_includes(["source", "offsets"]) == {"offsets", "source"}
    with pytest.raises(ValueError, match=r"^include: must be some of excerpt, offsets, source, "):
        known_includes(["excerpts"])


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


@pytest.mark.parametrize("reason", ["unknown_part", "user_origin", "limit"])
def test_a_dropped_entry_says_why(reason: Any) -> None:
    assert Dropped("a", 3, "/x", reason).as_json() == {**BARE, "reason": reason}
