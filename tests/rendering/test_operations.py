import json
from pathlib import Path
from typing import Any

import pytest

from citestream.rendering import SOURCE_OPERATIONS

VECTORS = json.loads(Path(__file__).parents[2].joinpath("conformance/sources.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["id"])
def test_vector(vector: dict[str, Any]) -> None:
    assert SOURCE_OPERATIONS[vector["op"]](vector["input"]) == vector["expect"], vector["why"]


def test_open_raw_html_is_closed_before_the_list() -> None:
    source = {"index": 1, "title": "A", "url": "https://e.org"}
    answer = SOURCE_OPERATIONS["render"]({"markdown": "a\n\n<!-- b", "sources": [source]})
    assert answer["markdown"] == "a\n\n<!-- b\n-->\n\n_Sources_\n\n- [\\[1\\]](https://e.org) A"


def test_half_a_character_under_the_list_is_replaced() -> None:
    body = {"markdown": "a", "sources": [], "tools_line": "\ud800"}
    assert "\ufffd" in SOURCE_OPERATIONS["render"](body)["markdown"]
