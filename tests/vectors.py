"""The conformance vectors, read once for all tests that use them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

CONFORMANCE = Path(__file__).parents[1] / "conformance"


@cache
def rows(name: str) -> list[dict[str, Any]]:
    text = (CONFORMANCE / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    found: list[dict[str, Any]] = json.loads(text)
    return found


def marker_rows() -> list[dict[str, Any]]:
    return rows("markers.json") + rows("recorded_streams.jsonl")
