"""The smallest inputs on which the engine or a reader once differed from the rules."""

import json

import pytest
from tests.citations.markers import triples
from tests.proof.face import engine_outcome, expected_outcome
from tests.proof.fuzz import read_lines
from tests.proof.reference import HEAD, STOP
from tests.proof.texts import OPTION_SETS, marker

from citestream.citations import Engine, EngineOptions

ONCE_DIFFERENT = [
    pytest.param([HEAD + "a", "", STOP], id="an-empty-delta-inside-a-marker"),
    pytest.param([HEAD, "", "a" + STOP], id="an-empty-delta-behind-the-head"),
    pytest.param([HEAD + "x", "", "x" * 128 + STOP], id="an-empty-delta-resets-no-limit"),
    pytest.param([HEAD + " " * 3962, " a" + STOP], id="a-cut-late-in-leading-blanks"),
    pytest.param([HEAD + " " * 4087, " a" + STOP], id="a-cut-just-before-the-limit"),
    pytest.param([HEAD + " " * 4087, " " * 9 + "a" + STOP], id="a-cut-just-before-it-is-passed"),
]


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("deltas", ONCE_DIFFERENT)
def test_deltas(deltas: list[str], options: dict[str, str]) -> None:
    assert engine_outcome(deltas, options) == expected_outcome("".join(deltas), options)


@pytest.mark.parametrize("place", range(len(marker("a", "/x")) + 1))
def test_a_snapshot_anywhere_in_a_marker(place: int) -> None:
    text = marker("a", "/x") + "."
    engine = Engine()
    shown = engine.feed(text[:place])
    engine = Engine.restore(EngineOptions(), json.loads(json.dumps(engine.snapshot())))
    shown += engine.feed(text[place:]) + engine.finish()
    assert (shown, triples(engine.take())) == (".", [("a", 1, "/x")])


def test_lines_before_one_that_is_too_long_are_read() -> None:
    """However the bytes are cut: what came before a bad line stays valid."""
    body = b"{}\n123456\n"
    for cut in range(len(body) + 1):
        assert read_lines([body[:cut], body[cut:]], limit=5) == ([(1, b"{}")], 2), cut
