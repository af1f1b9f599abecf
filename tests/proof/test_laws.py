"""Laws of the engine over random answers: real, broken, nested and oversized markers, halves."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.markers import triples
from tests.proof.face import engine_outcome, expected_outcome
from tests.proof.reference import SIGNS, joined, pieces, settled, visible
from tests.proof.texts import (
    AT_LIMITS,
    OPTION_SETS,
    at_places,
    cuts,
    every_cut_in_two,
    long_texts,
    options,
    texts,
)

from citestream.citations import Engine, EngineOptions

Options = dict[str, Any]
cut_texts = texts.flatmap(cuts)
cut_long_texts = long_texts.flatmap(cuts)
quick = settings(max_examples=400, deadline=None)
slow = settings(max_examples=60, deadline=None)


def fed(deltas: Iterable[str], options: Options) -> tuple[str, list[tuple[str, int, str]], int]:
    """What the end of the answer comes to."""
    return engine_outcome(deltas, options)[1:]


@quick
@given(cut_texts, options)
def test_the_engine_agrees_with_the_reference(deltas: list[str], options: Options) -> None:
    assert engine_outcome(deltas, options) == expected_outcome("".join(deltas), options)


@slow
@given(cut_long_texts, options)
def test_the_engine_agrees_at_the_limits(deltas: list[str], options: Options) -> None:
    assert engine_outcome(deltas, options) == expected_outcome("".join(deltas), options)


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("text", AT_LIMITS, ids=range(len(AT_LIMITS)))
def test_each_limit_between_words(text: str, options: Options) -> None:
    text = f"x {text}. y"
    expected = expected_outcome(text, options)
    assert engine_outcome([text], options) == expected
    assert engine_outcome(text, options) == expected


@quick
@given(texts, options)
def test_no_cut_in_two_makes_a_difference(text: str, options: Options) -> None:
    whole = fed([text], options)
    assert fed(text, options) == whole
    for deltas in every_cut_in_two(text):
        assert fed(deltas, options) == whole


@quick
@given(cut_texts, options)
def test_a_reader_has_what_can_be_had(deltas: list[str], options: Options) -> None:
    """After each delta the reader has exactly what no continuation can change."""
    engine = Engine(EngineOptions(**options))
    shown = head = ""
    for delta in deltas:
        shown += engine.feed(delta)
        head += delta
        assert shown == visible(head, **options)
        assert engine.length == len(shown)


@quick
@given(cut_texts, options)
def test_an_entry_comes_as_soon_as_it_is_settled(deltas: list[str], options: Options) -> None:
    """After each delta exactly the entries are out whose offsets no continuation can move."""
    engine = Engine(EngineOptions(**options))
    taken: list[Any] = []
    head = ""
    for delta in deltas:
        engine.feed(delta)
        head += delta
        taken += triples(engine.take())
        assert taken == settled(head, **options)


@quick
@given(cut_texts, options)
def test_offsets_index_the_clean_text(deltas: list[str], options: Options) -> None:
    """In order, inside the text, and for settled entries inside what has been shown."""
    engine = Engine(EngineOptions(**options))
    shown = ""
    offsets = [0]
    for delta in [*deltas, None]:
        shown += engine.finish() if delta is None else engine.feed(delta)
        offsets += [entry.offset for entry in engine.take()]
        assert offsets == sorted(offsets)
        assert offsets[-1] <= len(shown)


@quick
@given(cut_texts)
def test_keep_takes_valid_markers_and_nothing_else(deltas: list[str]) -> None:
    text = joined("".join(deltas))
    rest = "".join(text[start:end] for kind, start, end in pieces(text) if kind != "marker")
    assert fed(deltas, {})[0] == rest


@quick
@given(cut_texts, options)
def test_drop_leaves_no_sign_and_the_rest_is_clean(deltas: list[str], options: Options) -> None:
    clean = fed(deltas, {**options, "invalid_markers": "drop"})[0]
    assert not set(clean) & set(SIGNS)
    assert fed([clean], {}) == (clean, [], 0)


@quick
@given(cut_texts)
def test_tidy_takes_blanks_and_tabs_only(deltas: list[str]) -> None:
    kept, entries, invalid = fed(deltas, {})
    tidy, tidy_entries, tidy_invalid = fed(deltas, {"whitespace": "tidy"})
    place = 0
    for sign in kept:
        if tidy[place : place + 1] == sign:
            place += 1
        else:
            assert sign in " \t"
    assert place == len(tidy)
    assert [(entry[0], entry[2]) for entry in tidy_entries] == [(e[0], e[2]) for e in entries]
    assert tidy_invalid == invalid


def carried(deltas: Iterable[str], options: Options) -> tuple[str, list[Any], int]:
    """As `fed`, through a snapshot in JSON behind every delta, entries taken at every second."""
    made = EngineOptions(**options)
    engine = Engine(made)
    shown = ""
    entries: list[Any] = []
    for number, delta in enumerate(deltas):
        shown += engine.feed(delta)
        if number % 2:
            entries += triples(engine.take())
        engine = Engine.restore(made, json.loads(json.dumps(engine.snapshot())))
    shown += engine.finish()
    return shown, [*entries, *triples(engine.take())], engine.invalid_markers


@quick
@given(texts, options)
def test_a_snapshot_at_every_character_makes_no_difference(text: str, options: Options) -> None:
    assert carried(text, options) == fed([text], options)


@slow
@given(long_texts, options, st.lists(st.integers(0, 9000), max_size=9))
def test_a_snapshot_inside_a_long_marker_makes_no_difference(
    text: str, options: Options, places: list[int]
) -> None:
    places = sorted(place % (len(text) + 1) for place in places)
    assert carried(at_places(text, places), options) == fed([text], options)
