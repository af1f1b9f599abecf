"""The machine of private signs is the scanner with one dialect: the same for every text.

What it does is in ``test_engine.py``; this holds the two machines against each other.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proof.texts import AT_LIMITS, OPTION_SETS, cuts, long_texts, texts

from citestream.citations import GUIDE, EngineOptions
from citestream.citations.dialects import nothing_known
from citestream.citations.scanner import Scanner
from citestream.citations.signs import SignMachine


def agree(deltas: list[str], options: EngineOptions) -> None:
    signs, scanner = SignMachine(options, GUIDE), Scanner(options, (GUIDE,), nothing_known)
    for delta in deltas:
        assert scanner.feed(delta) == signs.feed(delta)
        assert scanner.held() == signs.held()
    assert scanner.finish() == signs.finish()
    assert scanner.take() == signs.take()
    assert (scanner.failures, scanner.invalid_markers) == (signs.failures, signs.invalid_markers)


@settings(max_examples=300, deadline=None)
@given(texts.flatmap(cuts), st.sampled_from(OPTION_SETS))
def test_they_agree(deltas: list[str], options: dict[str, str]) -> None:
    agree(deltas, EngineOptions(**options))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(long_texts.flatmap(cuts), st.sampled_from(OPTION_SETS))
def test_they_agree_at_the_limits(deltas: list[str], options: dict[str, str]) -> None:
    agree(deltas, EngineOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", AT_LIMITS, ids=range(len(AT_LIMITS)))
def test_they_agree_at_each_limit(text: str) -> None:
    for options in OPTION_SETS:
        agree([text], EngineOptions(**options))
        agree(list(text), EngineOptions(**options))
