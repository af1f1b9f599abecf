"""Why an answer ended, and what that makes of it."""

from typing import get_args

import pytest

from citestream.turns import EndReason
from citestream.turns.status import STATUS


def test_the_model_completes_and_others_interrupt() -> None:
    assert STATUS == {
        "complete": "completed",
        "length": "completed",
        "stopped": "interrupted",
        "failed": "interrupted",
        "timeout": "interrupted",
    }
    assert set(STATUS) == set(get_args(EndReason))


def test_the_table_is_fixed() -> None:
    with pytest.raises(TypeError):
        STATUS["complete"] = "interrupted"  # type: ignore[index]
