"""A raw answer cut into passages: what each stretch was, and why a candidate failed."""

from typing import Any

import pytest
from tests.citations.known import Sources
from tests.citations.markers import DELIM, HEAD, START, STOP, marker

from citestream.citations import EngineOptions, PassageReader

A = marker("a")


def cut(text: str, *, ended: bool = True, **options: Any) -> list[tuple[str, str, str | None]]:
    """The passages of a text, which no cut changes."""
    found = []
    for deltas in ([text], list(text)):
        reader = PassageReader(EngineOptions(**options), Sources(["a", "1"]))
        for delta in deltas:
            reader.feed(delta)
        found.append(reader.passages(ended=ended))
    assert found[0] == found[1]
    assert "".join(one.raw for one in found[0]) == text
    return [(one.kind, one.raw, one.why) for one in found[0]]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("", []),
        ("ab", [("text", "ab", None)]),
        (f"a{A}b", [("text", "a", None), ("marker", A, None), ("text", "b", None)]),
        (f"{HEAD}x y", [("failed", f"{HEAD}x ", "U+0079"), ("text", "y", None)]),
        (f"{START}{A}", [("failed", START, "U+E200"), ("marker", A, None)]),
        (f"a{START}ci", [("text", "a", None), ("failed", f"{START}ci", "the end of the text")]),
        (f"{STOP}{DELIM}", [("text", f"{STOP}{DELIM}", None)]),
    ],
)
@pytest.mark.parametrize("invalid_markers", ["keep", "drop"])
def test_passages(text: str, passages: list[Any], invalid_markers: str) -> None:
    assert cut(text, invalid_markers=invalid_markers) == passages


def test_a_candidate_that_is_open() -> None:
    assert cut(f"a{HEAD}x", ended=False) == [("text", "a", None), ("open", f"{HEAD}x", None)]


def test_other_dialects() -> None:
    template = {"open": "[[", "close": "]]"}
    assert cut("x[1] [[b [1]. c", dialect=["numbers", template]) == [
        ("text", "x[1] ", None),
        ("failed", "[[b ", "U+005B"),
        ("marker", "[1]", None),
        ("text", ". c", None),
    ]


def test_the_sources_of_a_marker() -> None:
    reader = PassageReader(EngineOptions(dialect=["tags", "guide"]), Sources())
    reader.feed(f'<cite id="a, 2">x</cite>{marker("b", "/y")}')
    found = [(one.raw, one.named, one.numbered) for one in reader.passages(ended=True)]
    assert found == [
        ('<cite id="a, 2">', (("a", "", ()), ("2", "", ())), True),
        ("x", (), False),
        ("</cite>", (), False),
        (marker("b", "/y"), (("b", "/y", ()),), False),
    ]
