"""The way back over HTTP: every row of the vectors, and what is refused."""

import json
from typing import Any

import httpx
import pytest
from tests.vectors import rows


@pytest.mark.parametrize("row", rows("restore.json"), ids=lambda row: row["id"])
def test_vectors(client: httpx.Client, row: dict[str, Any]) -> None:
    # Written in ASCII: half of a character is no UTF-8.
    answer = client.post(
        f"/v1/markers/{row['op']}",
        content=json.dumps(row["input"]),
        headers={"content-type": "application/json"},
    )
    if "refused" in row:
        assert answer.status_code == row["refused"]
        assert answer.headers["content-type"] == "application/problem+json"
    else:
        assert answer.json() == row["expect"]


@pytest.mark.parametrize(
    ("operation", "body", "field"),
    [
        ("restore", {"text": "x"}, "citations"),
        ("restore", {"text": "x", "citations": [], "dialect": "none"}, "dialect"),
        ("restore", {"text": "x", "citations": [], "dialect": ["guide"]}, "dialect"),
        ("restore", {"text": "x", "citations": [], "dialect": {"open": "<|"}}, "dialect"),
        (
            "restore",
            {"text": "x", "citations": [{"data_part_id": "a", "offset": -1, "locator": ""}]},
            "citations.0.offset",
        ),
        ("truncate", {"raw": "x", "limit": -1}, "limit"),
        ("truncate", {"raw": "x", "limit": 1, "more": 1}, "body"),
        ("namespace", {"raw": "x", "prefix": ""}, "prefix"),
        ("namespace", {"raw": "x", "prefix": "a", "dialect": "tags"}, "dialect"),
    ],
)
def test_a_problem_names_its_field(
    client: httpx.Client, operation: str, body: dict[str, Any], field: str
) -> None:
    answer = client.post(f"/v1/markers/{operation}", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_fields_of_a_citation_that_an_answer_adds_are_ignored(client: httpx.Client) -> None:
    raw = "Fact\ue200cite\ue202a\ue201. Next"
    body = {
        "parts": [{"id": "a", "tool_name": "t", "data": "x"}],
        "text": raw,
        "include": ["claim", "offsets", "source"],
    }
    answer = client.post("/v1/extract", json=body).json()
    given = {"text": answer["text"], "citations": answer["citations"]}
    restored = client.post("/v1/markers/restore", json=given).json()
    assert restored == {"raw": "Fact.\ue200cite\ue202a\ue201 Next"}
