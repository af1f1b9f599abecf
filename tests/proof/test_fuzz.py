"""A short run of every fuzz target, from a fixed beginning."""

import pytest
from tests.proof.fuzz import TARGETS, run


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_a_short_run(target: str) -> None:
    assert run(target, seed=20251129, seconds=20) > 100
