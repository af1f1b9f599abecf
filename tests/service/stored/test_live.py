"""Turns in memory: the latest used stay, up to so many turns and bytes."""

import pytest
from tests.service.stored_turns import deltas, key

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service.stored import live
from citestream.service.stored.live import LiveTurns
from citestream.service.stored.recorder import Recorder
from citestream.stores.port import TurnRow


def kept(turns: LiveTurns, name: str, size: int) -> None:
    recorder = Recorder.begin(name, EngineOptions(), [])
    recorder.fold(recorder.admit(deltas("\ue200" + "x" * (size - 3)), IdCounter().assign))
    row = TurnRow("", name, None, 1, 0, 0, None, "open", None, 2, 0, b"", b"{}")
    turns.keep(turns.entry(row.key), row, recorder)


def names(turns: LiveTurns, *asked: str) -> str:
    return "".join(name for name in asked if key(name) in turns._entries)


def test_the_turns_used_longest_ago_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_BYTES", 100)
    turns = LiveTurns()
    for name in "abc":
        kept(turns, name, 30)
    turns.entry(key("a"))
    kept(turns, "d", 30)
    assert names(turns, *"abcd") == "acd"
    kept(turns, "a", 90)
    assert names(turns, *"abcd") == "a"
    turns.drop(key("a"))
    turns.drop(key("a"))
    assert turns._bytes == 0


def test_so_many_turns_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_TURNS", 2)
    turns = LiveTurns()
    for name in "abc":
        kept(turns, name, 30)
    assert names(turns, *"abc") == "bc"


def test_an_entry_that_was_dropped_is_not_kept() -> None:
    turns = LiveTurns()
    kept(turns, "a", 10)
    entry = turns.entry(key("a"))
    copy = entry.copy
    assert copy is not None
    turns.drop(key("a"))
    turns.keep(entry, *copy)
    assert names(turns, "a") == ""
    assert turns._bytes == 0


def test_what_is_held_back_is_counted_over_all() -> None:
    turns = LiveTurns()
    assert turns.held() == 0
    recorder = Recorder.begin("a", EngineOptions(), [])
    recorder.fold(recorder.admit(deltas("x\ue200ci"), IdCounter().assign))
    row = TurnRow("", "a", None, 1, 0, 0, None, "open", None, 2, 0, b"", b"{}")
    turns.keep(turns.entry(row.key), row, recorder)
    turns.entry(key("b"))
    assert turns.held() == 3
