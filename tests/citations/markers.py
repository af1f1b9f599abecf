"""Markers and engines for the tests: the signs are spelled out, not taken from the code."""

import json
from collections.abc import Iterable
from typing import Any

from tests.chunking import every_cut

from citestream.citations import Engine, EngineOptions, Entry, read_fields

START, DELIM, STOP = "\ue200", "\ue202", "\ue201"
HEAD = "\ue200cite\ue202"

Outcome = tuple[str, list[tuple[str, int, str]], int]
"""Clean text; source id, offset and locator of each entry; how many candidates failed."""


def marker(*fields: str) -> str:
    """Return the marker of these fields."""
    return HEAD + DELIM.join(fields) + STOP


def outcome(deltas: Iterable[str], **options: Any) -> Outcome:
    """Return what the answer comes to; what is told meanwhile is told once."""
    engine = Engine(EngineOptions(**options))
    shown, entries = "", []
    for delta in deltas:
        shown += engine.feed(delta)
        entries += engine.take()
        assert engine.length == len(shown)
        assert all(entry.offset <= len(shown) for entry in entries)
    shown += engine.finish()
    entries += engine.take()
    assert engine.text == shown
    assert engine.length == len(shown)
    assert engine.held == 0
    assert engine.take() == []
    return shown, triples(entries), engine.invalid_markers


def triples(entries: Iterable[Entry]) -> list[tuple[str, int, str]]:
    """Return source, offset and locator of entries, as if every id they may name existed."""
    return [
        (source, entry.offset, locator)
        for entry in entries
        for source, locator in read_fields(
            entry.source_id, entry.locator, entry.undecided, lambda _: True
        )
        or ()
    ]


def read(text: str, **options: Any) -> Outcome:
    """Return the same, which no cut may change."""
    found = outcome([text], **options)
    for deltas in every_cut(text):
        assert outcome(deltas, **options) == found, deltas
    assert outcome([piece for character in text for piece in ("", character, "")], **options) == (
        found
    )
    return found


def shown_one_by_one(text: str, **options: Any) -> list[str]:
    """Return what each character makes visible, and the end last."""
    engine = Engine(EngineOptions(**options))
    return [*(engine.feed(character) for character in text), engine.finish()]


def reopened(engine: Engine, options: EngineOptions) -> Engine:
    """Return the engine that goes on from its snapshot, which is JSON text that UTF-8 can hold."""
    state = json.dumps(engine.snapshot(), ensure_ascii=False, allow_nan=False)
    return Engine.restore(options, json.loads(state.encode()), engine.text)
