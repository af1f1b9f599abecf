"""The vectors: every row of the conformance file, and what a caller may do wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from citestream.context import DEFAULT_SETTINGS, OPERATIONS, ContextError

VECTORS = Path(__file__).parents[2] / "conformance" / "context.json"
ROWS = json.loads(VECTORS.read_text())


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row(row: dict[str, Any]) -> None:
    if "refused" in row:
        with pytest.raises(ContextError):
            OPERATIONS[row["op"]](row["input"], DEFAULT_SETTINGS)
        return
    answer = OPERATIONS[row["op"]](row["input"], DEFAULT_SETTINGS)
    # As JSON text with sorted keys, so that 1, 1.0 and true are not the same value.
    assert json.dumps(answer, sort_keys=True) == json.dumps(row["expect"], sort_keys=True)


def test_every_operation_has_rows() -> None:
    assert {row["op"] for row in ROWS} == set(OPERATIONS)


@pytest.mark.parametrize(
    ("op", "body", "field"),
    [
        ("parse", {}, "text"),
        ("parse", {"text": 1}, "text"),
        ("format", {"kind": "File", "contextId": "a", "label": ""}, "kind"),
        ("format", {"kind": "file", "contextId": "a b", "label": ""}, "contextId"),
        ("format", {"kind": "file", "contextId": "a", "label": "", "image": 1}, "image"),
        ("project", {"text": "", "records": {}}, "records"),
        ("resolve", {"message": []}, "message"),
        ("resolve", {"message": {}}, "message.text"),
        ("fragment-encode", {"source": {}, "records": [], "selected": []}, "source"),
        ("rebind", {"records": [], "attachments": ["a"]}, "attachments"),
        ("rebind", {"records": [], "attachments": [{"before": "a"}]}, "attachments.after"),
        (
            "rebind",
            {"records": [], "attachments": [{"before": "a", "after": "b/c"}]},
            "attachments.after",
        ),
        (
            "import",
            {
                "text": "",
                "fragment": None,
                "draft_records": [],
                "environment_id": "e",
                "fresh_ids": {"a": "b c"},
            },
            "fresh_ids",
        ),
    ],
)
def test_a_caller_s_mistake_names_its_field(op: str, body: dict[str, Any], field: str) -> None:
    with pytest.raises(ContextError) as error:
        OPERATIONS[op](body, DEFAULT_SETTINGS)
    assert error.value.field == field


def test_fragments_have_the_chosen_media_type() -> None:
    from citestream.context import ContextSettings

    record = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n"}
    body = {"source": {"environmentId": "e"}, "records": [record], "selected": ["s", 3]}
    named = ContextSettings(fragment_type="application/x-acme+json")
    assert OPERATIONS["fragment-encode"](body, named)["mime"] == "application/x-acme+json"
