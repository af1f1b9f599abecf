"""The conformance vectors, read once for all tests that use them."""

import json
import re
from functools import cache
from html import unescape
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


def assert_rendered(answer: dict[str, Any], row: dict[str, Any]) -> None:
    """Hold an answer of `/v1/render` against a row of `render.json`; HTML by what it shows."""
    expected = row["expect"]
    if row["input"]["to"] != "html":
        assert answer == expected, row["why"]
        return
    body = answer["text"].partition('<section role="doc-endnotes"')[0]
    visible = " ".join(unescape(re.sub(r"<[^>]*>", "", body)).split())
    assert visible == expected["visible"], row["why"]
    for piece in expected["contains"]:
        struck = piece.replace("<s>", "<del>").replace("</s>", "</del>")
        assert piece in answer["text"] or struck in answer["text"], row["why"]
    assert (answer["cited"], answer["listed"]) == (expected["cited"], expected["listed"])
