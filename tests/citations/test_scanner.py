"""The scanner: what it does beyond the port's contract, which each dialect runs."""

from random import Random
from typing import Any

import pytest
from tests.citations.known import Sources

from citestream.citations import DIALECTS, Engine, EngineOptions
from citestream.citations.scanner import Scanner

A = "\ue200cite\ue202a\ue201"
ALL: list[Any] = [*DIALECTS, {"open": "[[cite:", "close": "]]", "separator": "|"}]
PIECES = [
    A,
    "\ue200cite\ue202a b",
    "\u30101\u2020x\u3011",
    "\u3010",
    "[1]",
    "[1",
    "](u)",
    "<cite id=a>",
    "</cite>",
    "<c",
    "\\ue200cite\\ue202a\\ue201",
    "\\ue20",
    "[[cite:a]]",
    "[[ci",
    "citea",
    "\ue203",
    "\ue204",
    "\ud83d",
    "\ude00",
    "x",
    " ",
    ". ",
    "\n",
    "\n\n",
    "`",
    "```\n",
    "> ",
    "\u4e2d",
    "\t",
]
Outcome = tuple[str, list[Any], int, list[int], int]


def outcome(deltas: list[str], options: dict[str, Any], *, carried: bool = False) -> Outcome:
    made, known = EngineOptions(**options), Sources(["a", "1"])
    engine = Engine(made, known)
    shown, entries = "", []
    for delta in deltas:
        shown += engine.feed(delta)
        entries += engine.take()
        if carried:
            engine = Engine.restore(made, engine.snapshot(), shown, known)
        assert engine.length == len(shown)
    shown += engine.finish()
    entries += engine.take()
    assert engine.text == shown
    assert engine.held == 0
    assert all(entry.offset <= len(shown) for entry in entries)
    spans = [entry.span for entry in entries if entry.span]
    assert all(0 <= start <= end <= len(shown) for start, end in spans)
    # In the order of settling; which delta lets them settle does not matter.
    return shown, entries, engine.invalid_markers, engine.failures, engine.widgets


OPTIONS: list[dict[str, Any]] = [
    {"dialect": ALL},
    {"dialect": ALL, "numbers": "strip", "bare_residue": True, "invalid_markers": "drop"},
    {"dialect": ALL[::-1], "whitespace": "tidy"},
    {"dialect": ["tags", "chatgpt", "numbers"], "whitespace": "tidy", "invalid_markers": "drop"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_no_cut_and_no_snapshot_makes_a_difference(options: dict[str, Any]) -> None:
    chance = Random(1)  # noqa: S311
    for _ in range(40):
        pieces = [chance.choice(PIECES) for _ in range(chance.randrange(10))]
        same_for_every_cut(pieces, options)


def same_for_every_cut(pieces: list[str], options: dict[str, Any]) -> None:
    text = "".join(pieces)
    whole = outcome([text], options)
    assert outcome(list(text), options) == whole
    assert outcome(list(text), options, carried=True) == whole
    assert outcome(pieces, options) == whole
    for cut in range(0, len(text), 3):
        assert outcome([text[:cut], "", text[cut:]], options) == whole


def test_the_fast_path_asks_the_dialects() -> None:
    """A printable marker in one printable delta is no text (it once passed as it was)."""
    engine = Engine(EngineOptions(dialect="lenticular"))
    assert engine.feed("a\u30101\u2020x\u3011. b") == "a. b"


def test_plain_text_is_neither_held_nor_changed() -> None:
    for dialect in ALL:
        engine = Engine(EngineOptions(dialect=dialect))
        text = "Plain words, 3 > 2; \u4e2d\u6587 \U0001f600\n- item\n"
        assert [engine.feed(character) for character in text] == list(text)
        assert engine.held == 0


@pytest.mark.parametrize(
    ("deltas", "shown"),
    [
        (["x [[cite:", "word", "s]] y"], ["x ", "", " y"]),
        (["\ue200x\ue202", "word", "\n"], ["", "", "\ue200x\ue202word\n"]),
    ],
)
def test_words_in_an_open_candidate(deltas: list[str], shown: list[str]) -> None:
    engine = Engine(EngineOptions(dialect=ALL))
    assert [engine.feed(delta) for delta in deltas] == shown


def test_a_low_half_decides_nothing_before_its_character() -> None:
    engine = Engine(EngineOptions(dialect="numbers", numbers="strip"), Sources(["1"]))
    assert [engine.feed(one) for one in ("[1]\ud83d", "\ude00")] == ["", "\U0001f600"]
    assert engine.take()[0].offset == 0


def test_a_list_of_one_is_that_one() -> None:
    for name in DIALECTS:
        text = "".join(piece for piece in PIECES if not piece.startswith("\ud83d"))
        assert outcome([text], {"dialect": [name]}) == outcome([text], {"dialect": name})


def test_a_snapshot_is_small() -> None:
    scanner = Scanner(EngineOptions(), EngineOptions(dialect=ALL).dialects(), Sources())
    scanner.feed("word " * 1000)
    assert len(str(scanner.snapshot())) < 1000
