"""Nothing that a stored turn may be asked keeps the event loop for long."""

import pytest
from benchmarks.stalls import NAMES, best

LIMIT_SECONDS = 0.05
"""Over the longest gap of the quiet loop, best of three."""


@pytest.mark.parametrize("name", NAMES)
def test_no_call_keeps_the_loop(name: str) -> None:
    # A quarter of each limit: the gap of a call that is not cut into pieces grows with its size,
    # and was 0.2 to 3 s at the whole of it.
    assert best(name, scale=0.25).gap < LIMIT_SECONDS
