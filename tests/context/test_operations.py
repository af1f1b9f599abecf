"""The vectors: every row of the conformance file, and what a caller may do wrong."""

import json
from pathlib import Path

import pytest

from citestream.context import DEFAULT_SETTINGS, OPERATIONS

VECTORS = Path(__file__).parents[2] / "conformance" / "context.json"
ROWS = json.loads(VECTORS.read_text())


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row(row: dict) -> None:
    answer = OPERATIONS[row["op"]](row["input"], DEFAULT_SETTINGS)
    # As JSON text with sorted keys, so that 1, 1.0 and true are not the same value.
    assert json.dumps(answer, sort_keys=True) == json.dumps(row["expect"], sort_keys=True)
