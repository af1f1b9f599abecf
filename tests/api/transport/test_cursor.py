"""Which texts are cursors, and which are not."""

import re

import pytest

from citestream.api.transport.cursor import PATTERN, cursor
from citestream.service.problems import BAD_CURSOR, Problem


@pytest.mark.parametrize(
    ("text", "after"), [(None, 0), ("", 0), ("0", 0), ("007", 7), ("9" * 15, 10**15 - 1)]
)
def test_a_cursor_is_the_id_of_an_event(text: str | None, after: int) -> None:
    assert cursor(text) == after
    assert re.search(PATTERN, text or "")


@pytest.mark.parametrize(
    "text", ["-1", "+1", " ", "1 ", "1\n", "1.0", "1e3", "1_0", "x", "\u0661", "\u00b2", "9" * 16]
)
def test_anything_else_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(Problem) as refused:
        cursor(text)
    assert refused.value.type is BAD_CURSOR
    assert text.strip() not in refused.value.detail or not text.strip()
