"""The engine: clean text, entries where they land, what is held back, both options, snapshots."""

import itertools
from typing import Any

import pytest
from tests.chunking import every_cut
from tests.citations.markers import (
    DELIM,
    HEAD,
    START,
    STOP,
    marker,
    outcome,
    read,
    reopened,
    shown_one_by_one,
    triples,
)

from citestream.citations import Engine, EngineOptions, Entry

A, B = marker("a"), marker("b", "/x")
OPTIONS: list[dict[str, Any]] = [
    {"invalid_markers": invalid, "whitespace": whitespace}
    for invalid, whitespace in itertools.product(("keep", "drop"), ("keep", "tidy"))
]


def at(*offsets: int) -> list[tuple[str, int, str]]:
    return [("a", offset, "") for offset in offsets]


# -- text -------------------------------------------------------------------------------------


def test_the_options_of_an_engine_that_was_given_none() -> None:
    assert EngineOptions() == EngineOptions("keep", "keep", "guide")
    engine = Engine()
    shown = engine.feed(f"x \ue201{A}. {START}y")
    assert (shown, engine.invalid_markers) == (f"x \ue201. {START}y", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"invalid_markers": "Keep"}, "invalid_markers: must be one of keep, drop"),
        ({"invalid_markers": "tidy"}, "invalid_markers: must be one of keep, drop"),
        ({"whitespace": "drop"}, "whitespace: must be one of keep, tidy"),
        ({"whitespace": ""}, "whitespace: must be one of keep, tidy"),
        (
            {"dialect": "other"},
            "dialect: must be a template or one of "
            "guide, chatgpt, lenticular, numbers, tags, escaped",
        ),
    ],
)
def test_an_option_is_one_of_a_few_words(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        EngineOptions(**options)


@pytest.mark.parametrize("options", OPTIONS)
def test_options_as_json(options: dict[str, Any]) -> None:
    assert EngineOptions(**options).as_json() == {**options, "dialect": "guide"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "two\r\nlines\n",
        "nul \x00, bell \x07, del \x7f, next line \x85",
        "caf\u00e9 e\u0301 \u4e2d\u6587 \U0001f469\u200d\U0001f467",
        "\ue1ff\ue203\ue206\uf8ff\U000f0000\uffff",
        "cite turn0search0 \\ue200cite",
        "a\ue201b\ue202c",
    ],
)
def test_text_without_a_start_sign_stays_and_is_never_held(text: str) -> None:
    assert read(text) == (text, [], 0)
    assert shown_one_by_one(text) == [*text, ""]


def test_nothing_fed_is_nothing() -> None:
    engine = Engine()
    assert (engine.text, engine.length, engine.held, engine.take()) == ("", 0, 0, [])
    assert engine.finish() == ""
    assert engine.text == ""


def test_a_marker_is_held_and_goes() -> None:
    assert read(f"ab{A}cd") == ("abcd", at(2), 0)
    assert shown_one_by_one(f"ab{A}cd") == ["a", "b", *[""] * len(A), "c", "d", ""]


def test_what_is_held_is_counted() -> None:
    engine = Engine()
    held = []
    for character in f"ab{A}c{START}cix":
        engine.feed(character)
        held.append(engine.held)
    assert held == [0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 2, 3, 0]


def test_what_has_been_shown_is_counted() -> None:
    engine = Engine()
    seen = []
    for delta in ("ab", "", f"{A}c", "\U0001f600", f"d{START}", "!"):
        engine.feed(delta)
        seen.append((engine.length, engine.text))
    assert seen == [
        (2, "ab"),
        (2, "ab"),
        (3, "abc"),
        (4, "abc\U0001f600"),
        (5, "abc\U0001f600d"),
        (7, f"abc\U0001f600d{START}!"),
    ]


def test_the_length_may_be_asked_for_before_the_text() -> None:
    engine = Engine()
    engine.feed("ab")
    assert engine.length == 2
    engine.feed("cd")
    assert engine.length == 4
    assert engine.text == "abcd"


# -- failed candidates ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (f"{START}", 1),
        (f"x{START}y", 1),
        (f"{START}{START}{START}", 3),
        (f"{START}cite", 1),
        (f"{HEAD}a b{STOP}", 1),
        (f"{HEAD}{STOP}{HEAD}", 2),
        (f"{HEAD}a\nb{STOP}{STOP}c{DELIM}d", 1),
        (f"{HEAD}a{DELIM}/b\x00{STOP}", 1),
        (f"{HEAD} {STOP}{STOP}", 1),
        (f"x{STOP}{HEAD}a b{STOP}{START}cite{STOP}", 2),
        (f"{HEAD}tool_data_01. Next", 1),
    ],
)
def test_a_failed_candidate_is_literal_text(text: str, failed: int) -> None:
    assert read(text) == (text, [], failed)


def test_a_start_sign_in_a_candidate_begins_a_new_one() -> None:
    assert read(f"{START}{A}") == (START, at(1), 1)
    assert read(f"{HEAD}{A}{STOP}") == (f"{HEAD}{STOP}", at(6), 1)
    assert read(f"{HEAD}x{DELIM}{A}") == (f"{HEAD}x{DELIM}", at(8), 1)
    assert shown_one_by_one(f"{START}c{A}") == ["", "", f"{START}c", *[""] * len(A)]


def test_failures_are_told_by_their_place_in_the_clean_text() -> None:
    for deltas in every_cut(f"a{A}b{START}c{START}{A}d{HEAD}"):
        engine = Engine()
        for delta in deltas:
            engine.feed(delta)
        assert engine.failures == [2, 4]
        engine.finish()
        assert engine.failures == [2, 4, 6]
        assert engine.invalid_markers == 3


def test_a_failure_stands_behind_the_blanks_held_before_it() -> None:
    engine = Engine(EngineOptions(whitespace="tidy"))
    engine.feed(f"a \t{START}b")
    assert engine.failures == [3]


def test_the_places_of_100_failures_are_told_and_all_are_counted() -> None:
    for count in (99, 100, 101):
        engine = Engine()
        engine.feed(f"{START}." * count)
        assert engine.failures == [2 * index for index in range(min(count, 100))]
        assert engine.invalid_markers == count


def test_a_delta_may_hold_any_number_of_signs() -> None:
    for text, failed in ((f"{START}." * 2000, 2000), (STOP * 2000, 0), (f"{START}{STOP}" * 9, 9)):
        engine = Engine()
        assert engine.feed(A + text) + engine.finish() == text
        assert engine.invalid_markers == failed


# -- surrogate halves -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\ud83d\ude00", "\U0001f600"),
        ("a\ud83d\ude00b", "a\U0001f600b"),
        ("\ud83d", "\ufffd"),
        ("a\ude00", "a\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00\ude00", "\ufffd\U0001f600\ufffd"),
        ("a\ud83d b", "a\ufffd b"),
        ("\udbff\udfff\ud800\udc00", "\U0010ffff\U00010000"),
    ],
)
def test_halves_meet_over_a_cut_and_lone_ones_are_replaced(text: str, clean: str) -> None:
    assert read(text) == (clean, [], 0)
    assert read(f"{text}{A}.") == (f"{clean}.", at(len(clean) + 1), 0)
    assert read(f"{A}{text}") == (clean, at(0), 0)


def test_a_half_at_the_end_is_held_until_the_next_character() -> None:
    engine = Engine()
    assert (engine.feed("a\ud83d"), engine.held, engine.length) == ("a", 1, 1)
    assert (engine.feed(""), engine.held) == ("", 1)
    assert (engine.feed("\ude00"), engine.held, engine.length) == ("\U0001f600", 0, 2)
    assert (engine.feed("\ud83d"), engine.held) == ("", 1)
    assert (engine.feed("b"), engine.held) == ("\ufffdb", 0)
    assert (engine.feed("\udbff"), engine.held) == ("", 1)
    assert (engine.finish(), engine.held) == ("\ufffd", 0)


def test_a_low_half_is_never_held() -> None:
    assert shown_one_by_one("\udc00\udfff") == ["\ufffd", "\ufffd", ""]


def test_halves_in_a_marker() -> None:
    assert read(marker("\ud83d\ude00")) == ("", [("\U0001f600", 0, "")], 0)
    assert read(marker("\ud83d", "/\ude00")) == ("", [("\ufffd", 0, "/\ufffd")], 0)
    assert read(f"{HEAD}a\ud83d") == (f"{HEAD}a\ufffd", [], 1)
    assert read(f"{HEAD}a\ud83d{A}") == (f"{HEAD}a\ufffd", at(8), 1)
    assert read(f"{START}\ud83d\ude00") == (f"{START}\U0001f600", [], 1)
    assert read(f"{HEAD}a b\ud83d{STOP}") == (f"{HEAD}a b\ufffd{STOP}", [], 1)
    assert read(f"{HEAD}a\ud83d b{STOP}") == (f"{HEAD}a\ufffd b{STOP}", [], 1)
    assert read(f"{HEAD}\ud83d\ude00{STOP}\ud83d{STOP}") == (
        f"\ufffd{STOP}",
        [("\U0001f600", 0, "")],
        0,
    )
    assert read(f"{HEAD}{'x' * 128}\ud83d{STOP}") == (f"{HEAD}{'x' * 128}\ufffd{STOP}", [], 1)
    assert read("\ud83d" + A + "\ude00") == ("\ufffd\ufffd", at(1), 0)


def test_a_half_before_a_word_inside_a_marker() -> None:
    assert outcome([HEAD + "a\ud83d", "word", STOP]) == ("", [("a\ufffdword", 0, "")], 0)


# -- where citations land ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        (f"{A}", [0]),
        (f"{A}x", [0]),
        (f"x{A}", [1]),
        (f"x{A}.", [2]),
        (f"x.{A}", [2]),
        (f"x.{A} y", [2]),
        (f"x{A}. y", [2]),
        (f"x{A} .", [1]),
        (f"x{A}.)\u201d y", [4]),
        (f"x{A}(y", [1]),
        (f"x{A}\u2014y", [1]),
        (f"x{A}.{A})", [3, 3]),
        (f"x{A}{A}. y", [2, 2]),
        (f"x{A}.{A} y", [2, 2]),
        (f"{A}. y", [1]),
        (f"x{A}.\ufffd", [2]),
        (f"x{A}.\ud83d)", [2]),
        (f"x{A}.{START}", [2]),
        (f"x{A}{STOP}.", [1]),
        ("x" * 70 + f"{A}{'.' * 70} y", [140]),
    ],
)
def test_a_citation_is_snapped_past_trailing_punctuation(text: str, offsets: list[int]) -> None:
    assert read(text)[1] == at(*offsets)


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        (f"dog{A}'s", [3]),
        (f"example{A}.org", [7]),
        (f"v2{A}.5", [2]),
        (f"1{A},000", [1]),
        (f"a{A}:b", [1]),
        (f"a{A},b", [2]),
        (f"10{A}:30", [3]),
        (f"\u4e2d{A}.\u6587", [2]),
        (f"a{A}..b", [3]),
        (f"2{A}.5{A}.5", [1, 3]),
        (f"2{A}.", [2]),
        (f"2{A}. 5", [2]),
        (f"{A}.5", [1]),
        (f"{A}.x", [1]),
        (f" {A}.5", [2]),
        (f"2.{A}5", [2]),
        (f"2{A}.{A}5", [1, 2]),
        (f"2{A}{A}.5", [1, 1]),
        (f"2.{A}.5", [3]),
        (f"2{A}.{START}5", [2]),
        (f"2{A}.\ue201", [2]),
        (f"{A}a.b{A}.c", [0, 3]),
    ],
)
def test_one_sign_inside_a_word_or_number_is_not_trailing(text: str, offsets: list[int]) -> None:
    assert read(text)[1] == at(*offsets)


def test_an_entry_settles_with_the_character_that_ends_its_punctuation() -> None:
    engine = Engine()
    told = []
    for character in f"2{A}.{B}5 {A}x":
        engine.feed(character)
        told.append(triples(engine.take()))
    settled = {len(f"2{A}.{B}"): [("a", 1, ""), ("b", 2, "/x")], len(told) - 1: [("a", 4, "")]}
    assert told == [settled.get(index, []) for index in range(len(told))]


def test_an_entry_waits_for_the_end_of_the_text() -> None:
    engine = Engine()
    engine.feed(f"x{A}.")
    assert engine.take() == []
    assert engine.finish() == ""
    assert engine.take() == [Entry(source_id="a", offset=2, locator="")]
    assert engine.take() == []


def test_entries_not_taken_are_kept_in_text_order() -> None:
    engine = Engine()
    engine.feed(f"x{marker('a', 'b', '/y')} {B} ")
    engine.feed(f"{A} ")
    assert triples(engine.take()) == [("a", 1, ""), ("b", 1, "/y"), ("b", 2, "/x"), ("a", 3, "")]


# -- invalid_markers: drop --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean", "failed"),
    [
        ("a\ue201b\ue202c\ue201\ue202", "abc", 0),
        (f"a{START}b", "ab", 1),
        (f"a{START}", "a", 1),
        (f"a{START}c", "a", 1),
        (f"a{START}ci", "a", 1),
        (f"a{START}cit", "a", 1),
        (f"a{START}cite", "a", 1),
        (f"a{START}cit x", "acit x", 1),
        (f"a{START}cited", "acited", 1),
        (f"a{START}cite b", "acite b", 1),
        (f"a{START}cite{STOP}b", "ab", 1),
        (f"a{START}cit{STOP}b", "acitb", 1),
        (f"a{START}cite{START}b", "aciteb", 2),
        (f"a{HEAD}", "a", 1),
        (f"a{HEAD}{STOP}b", "ab", 1),
        (f"a{HEAD}  {STOP}b", "ab", 1),
        (f"a{HEAD}tool_data_01. The next", "a The next", 1),
        (f"a{HEAD} id b", "a b", 1),
        (f"a{HEAD}id{DELIM}/x y\nz", "a y\nz", 1),
        (f"a{HEAD}id{DELIM}/x{DELIM}y\nz", "a\nz", 1),
        (f"a{HEAD}id{DELIM}x y{DELIM}z", "a yz", 1),
        (f"a{HEAD}id {DELIM}/x\nz", "a /x\nz", 1),
        (f"{HEAD}{'x' * 129}{STOP}", "x", 1),
        (f"{START}{START}{START}", "", 3),
    ],
)
def test_drop_takes_signs_and_ids_away_and_leaves_words(text: str, clean: str, failed: int) -> None:
    assert read(text, invalid_markers="drop") == (clean, [], failed)


def test_drop_leaves_markers_alone() -> None:
    text = f"x{STOP}{A}{STOP}.{HEAD}{A}{STOP} y"
    assert read(text, invalid_markers="drop") == ("x. y", at(2, 2), 1)


def test_a_citation_is_snapped_over_what_was_dropped() -> None:
    assert read(f"x{A}{STOP}.{START}", invalid_markers="drop") == ("x.", at(2), 1)
    assert read(f"2{A}{DELIM}.{STOP}5", invalid_markers="drop") == ("2.5", at(1), 0)


def test_dropped_failures_are_told_where_they_stood() -> None:
    engine = Engine(EngineOptions(invalid_markers="drop"))
    engine.feed(f"ab{START}{START}c{HEAD}id d")
    assert engine.failures == [2, 2, 3]


# -- whitespace: tidy -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean", "offsets"),
    [
        (f"a {A}", "a", [1]),
        (f"a \t {A}", "a", [1]),
        (f"a {A}.", "a.", [2]),
        (f"a {A}\u3002", "a\u3002", [2]),
        (f"a {A}\u2026 b", "a\u2026 b", [2]),
        (f"a {A} b", "a b", [1]),
        (f"a {A}\tb", "a\tb", [1]),
        (f"a {A}\nb", "a\nb", [1]),
        (f"a {A}\r\nb", "a\r\nb", [1]),
        (f"a {A}b", "a b", [2]),
        (f"a {A}(b", "a (b", [2]),
        (f"a {A}\u2014b", "a \u2014b", [2]),
        (f"a {A}\u00a0b", "a \u00a0b", [2]),
        (f"a\u00a0{A} b", "a\u00a0 b", [2]),
        (f"a{A} ", "a ", [1]),
        (f"a{A}  \nb", "a  \nb", [1]),
        (f"a {A}{A}.", "a.", [2, 2]),
        (f"a {A} {A}.", "a.", [2, 2]),
        (f"a{A} {A}.", "a.", [2, 2]),
        (f"a {A} {A} {A} b", "a b", [1, 1, 1]),
        (f"a {A} {A}b", "a b", [1, 2]),
        (f" {A} b", "  b", [1]),
        (f" \t{A}.", " \t.", [3]),
        (f"{A} b", " b", [0]),
        (f"a\n  {A} b", "a\n   b", [4]),
        (f"a\r  {A}.", "a\r  .", [5]),
        (f"a \n {A}", "a \n ", [4]),
        (f"a {A}\ud83d", "a \ufffd", [2]),
        (f"aX {A}.", "aX.", [3]),
        (f"a {A}{START}.", f"a {START}.", [2]),
        (f"a {START}.", f"a {START}.", []),
        (f"a {START}{A}.", f"a {START}.", [4]),
        (f"2 {A}.5", "2.5", [1]),
        (f"a {A}\ue201.", "a \ue201.", [2]),
        ("a  ", "a  ", []),
        ("  ", "  ", []),
    ],
)
def test_tidy_takes_the_blanks_before_a_marker_where_they_would_dangle(
    text: str, clean: str, offsets: list[int]
) -> None:
    shown, entries, _ = read(text, whitespace="tidy")
    assert (shown, entries) == (clean, at(*offsets))


def test_tidy_holds_trailing_blanks_until_the_next_character() -> None:
    tidy = {"whitespace": "tidy"}
    assert shown_one_by_one("  a \tb ", **tidy) == [" ", " ", "a", "", "", " \tb", "", " "]
    assert shown_one_by_one("aX ", **tidy) == ["a", "X", "", " "]
    assert shown_one_by_one(f"a {START}x", **tidy) == ["a", "", "", f" {START}x", ""]
    assert shown_one_by_one(f"a {A} b", **tidy) == ["a", "", *[""] * len(A), "", " b", ""]
    engine = Engine(EngineOptions(whitespace="tidy"))
    engine.feed("a \t")
    assert (engine.held, engine.length) == (2, 1)
    engine.feed(START)
    assert engine.held == 3


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a \ue201.", "a."),
        ("a \ue202b", "a b"),
        ("a \ue201", "a"),
        (f"a {START}", "a"),
        (f"a {START}.", "a."),
        (f"a {START}b", "a b"),
        (f"a {HEAD}id b", "a b"),
        (f"a {HEAD}id", "a"),
        (f"a {HEAD}id{DELIM}x y", "a y"),
        (f"a {START}cite{STOP}.", "a."),
        (f"a {START}cited", "a cited"),
        (f" {START}.", " ."),
        (f"a {START}{A} {STOP}.", "a."),
        (f"a {STOP} {DELIM} b", "a b"),
    ],
)
def test_tidy_and_drop_take_the_blanks_before_a_dropped_sign(text: str, clean: str) -> None:
    assert read(text, invalid_markers="drop", whitespace="tidy")[0] == clean


def test_drop_alone_takes_no_blank() -> None:
    assert read(f"a {STOP}.", invalid_markers="drop") == ("a .", [], 0)
    assert read(f"a {A}.", invalid_markers="drop") == ("a .", at(3), 0)


# -- snapshots --------------------------------------------------------------------------------

RICH = (
    f"  Gr\u00f6\u00dfe 2 {A}.5 \t{marker('a', 'b', '/x y')} {B}) \ud83d\ude00{HEAD} id\ud83d"
    f"{START}cit{A}, \ue201 {STOP}{HEAD}a{DELIM}/x y{DELIM}\nend {A} {B} \ud83d"
)


@pytest.mark.parametrize("options", OPTIONS)
def test_an_engine_goes_on_from_its_snapshot_at_every_character(options: dict[str, Any]) -> None:
    shared = EngineOptions(**options)
    straight, other = Engine(shared), Engine(shared)
    for character in RICH:
        assert other.feed(character) == straight.feed(character)
        other = reopened(other, shared)
        assert other.snapshot() == straight.snapshot()
        assert (other.text, other.length, other.held) == (
            straight.text,
            straight.length,
            straight.held,
        )
    assert other.finish() == straight.finish()
    assert other.text == straight.text
    assert other.take() == straight.take()
    assert (other.failures, other.invalid_markers) == (straight.failures, straight.invalid_markers)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_snapshot_taken_once_anywhere_changes_nothing(options: dict[str, Any]) -> None:
    shared = EngineOptions(**options)
    whole = read(RICH, **options)
    for cut in range(len(RICH) + 1):
        engine = Engine(shared)
        shown = engine.feed(RICH[:cut])
        entries = engine.take()
        engine = reopened(engine, shared)
        shown += engine.feed(RICH[cut:]) + engine.finish()
        entries += engine.take()
        assert (shown, triples(entries), engine.invalid_markers) == whole


def test_taking_a_snapshot_changes_nothing() -> None:
    engine = Engine(EngineOptions(whitespace="tidy"))
    for character in RICH:
        engine.feed(character)
        assert engine.snapshot() == engine.snapshot()
    engine.finish()
    assert engine.text == read(RICH, whitespace="tidy")[0]


def test_what_a_snapshot_holds() -> None:
    engine = Engine(EngineOptions(whitespace="tidy"))
    fresh = {
        "length": 0,
        "last": "",
        "invalid_markers": 0,
        "failures": [],
        "half": None,
        "candidate": "",
        "settled": [],
        "waiting": [],
        "blanks": "",
        "gap": False,
        "floating": [],
        "line_is_blank": True,
    }
    assert engine.snapshot() == fresh
    engine.feed(f"a {A} b {B}")
    changed = {
        "length": 3,
        "last": "b",
        "settled": [["a", 1, "", [], None, False]],
        "line_is_blank": False,
    }
    changed |= {"blanks": " ", "gap": True, "floating": [[[["b", "/x", []]], None, False]]}
    assert engine.snapshot() == fresh | changed
    engine.feed("c")
    changed |= {
        "length": 5,
        "last": "c",
        "settled": [["a", 1, "", [], None, False], ["b", 4, "/x", [], None, False]],
    }
    changed |= {"blanks": "", "gap": False, "floating": []}
    assert engine.snapshot() == fresh | changed


def test_a_snapshot_shares_nothing_with_its_engine() -> None:
    engine = Engine()
    engine.feed(f"{START}.{A}")
    snapshot = engine.snapshot()
    before = repr(snapshot)
    other = Engine.restore(EngineOptions(), snapshot)
    for one in (engine, other):
        one.feed(f"{START}.{A} x")
        one.take()
    assert repr(snapshot) == before


def test_a_restored_engine_may_do_without_the_text() -> None:
    engine = Engine()
    engine.feed(f"2{A}")
    other = Engine.restore(EngineOptions(), engine.snapshot())
    assert other.length == 1
    assert other.feed(".5") == ".5"
    assert triples(other.take()) == [("a", 1, "")]
    assert (other.length, other.text) == (3, ".5")


@pytest.mark.parametrize("length", range(1, len(marker("ab", "/x"))))
def test_a_candidate_goes_on_wherever_it_was_left(length: int) -> None:
    text = marker("ab", "/x")
    engine = Engine()
    engine.feed(text[:length])
    other = reopened(engine, EngineOptions())
    assert other.held == length
    assert other.feed(text[length:] + "!") == "!"
    assert other.take() == []
    other.finish()
    assert triples(other.take()) == [("ab", 1, "/x")]
    failing = reopened(engine, EngineOptions())
    assert failing.feed("\n") == text[:length] + "\n"


def test_limits_go_on_over_a_snapshot() -> None:
    engine = Engine()
    engine.feed(HEAD + "x" * 100)
    other = reopened(engine, EngineOptions())
    assert other.feed("x" * 28 + STOP) == ""
    assert other.take() == []
    other = reopened(engine, EngineOptions())
    assert other.feed("x" * 29 + STOP) == HEAD + "x" * 129 + STOP
