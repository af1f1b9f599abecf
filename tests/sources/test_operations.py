import json
from pathlib import Path
from typing import Any

import pytest

from citestream.sources import OPERATIONS

VECTORS = json.loads(Path(__file__).parents[2].joinpath("conformance/sources.json").read_text())


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if v["op"] in OPERATIONS], ids=lambda v: v["id"]
)
def test_vector(vector: dict[str, Any]) -> None:
    assert OPERATIONS[vector["op"]](vector["input"]) == vector["expect"], vector["why"]
