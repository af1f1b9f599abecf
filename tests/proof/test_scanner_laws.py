"""Laws of both machines over random answers: every cut, every snapshot, and each other."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.test_scanner import ALL, PIECES, same_for_every_cut
from tests.citations.test_signs import agree
from tests.proof.texts import AT_LIMITS, OPTION_SETS, cuts, long_texts, texts

from citestream.citations import EngineOptions

OPTIONS = st.fixed_dictionaries(
    {
        "dialect": st.just(ALL) | st.permutations(ALL).map(lambda many: many[:3]),
        "numbers": st.sampled_from(["keep", "strip"]),
        "bare_residue": st.booleans(),
        "invalid_markers": st.sampled_from(["keep", "drop"]),
        "whitespace": st.sampled_from(["keep", "tidy"]),
    }
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=9), OPTIONS)
def test_no_cut_and_no_snapshot_makes_a_difference(
    pieces: list[str], options: dict[str, Any]
) -> None:
    same_for_every_cut(pieces, options)


@settings(max_examples=300, deadline=None)
@given(texts.flatmap(cuts), st.sampled_from(OPTION_SETS))
def test_the_machines_agree(deltas: list[str], options: dict[str, Any]) -> None:
    agree(deltas, EngineOptions(**options))


@settings(max_examples=60, deadline=None)
@given(long_texts.flatmap(cuts), st.sampled_from(OPTION_SETS))
def test_the_machines_agree_at_the_limits(deltas: list[str], options: dict[str, Any]) -> None:
    agree(deltas, EngineOptions(**options))


@pytest.mark.parametrize("text", AT_LIMITS, ids=range(len(AT_LIMITS)))
def test_the_machines_agree_at_each_limit(text: str) -> None:
    for options in OPTION_SETS:
        agree([text], EngineOptions(**options))
        agree(list(text), EngineOptions(**options))
