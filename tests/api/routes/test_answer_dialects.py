"""Each row of the dialect vectors over HTTP: extract, stream, lines, and a stored turn."""

import json
from typing import Any

import httpx
import pytest
from tests.sse import events_of, text_of
from tests.vectors import rows

ALL = rows("dialects.json")
ROWS = [pytest.param(row, id=row["id"]) for row in ALL if "expect" in row]
REFUSED = [pytest.param(row, id=row["id"]) for row in ALL if "refused" in row]
JSON = {"content-type": "application/json"}
LINES = {"content-type": "application/x-ndjson"}


def parts_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"tool_name": "t", "data": 1, "id": part} for part in row.get("parts", ())]


def body_of(row: dict[str, Any]) -> bytes:
    return json.dumps(
        {
            "deltas": row["deltas"],
            "parts": parts_of(row),
            "results": row.get("results", []),
            "options": row["options"],
            "include": ["diagnostics"],
        }
    ).encode()


def events_in(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *({"type": "part", **part} for part in parts_of(row)),
        *({"type": "results", **one} for one in row.get("results", ())),
        *({"type": "delta", "text": text} for text in row["deltas"]),
        {"type": "end"},
    ]


def came_to(answer: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    found = {**answer, **answer.get("diagnostics", {})}
    for citation in found["citations"]:
        citation.pop("target", None)
    return {key: found[key] for key in row["expect"]}


@pytest.mark.parametrize("row", ROWS)
def test_a_row(client: httpx.Client, row: dict[str, Any]) -> None:
    plain = client.post("/v1/extract", content=body_of(row), headers=JSON)
    assert plain.status_code == 200, plain.text
    assert came_to(plain.json(), row) == row["expect"]
    stream = client.post("/v1/stream", content=body_of(row), headers=JSON)
    assert text_of(events_of(stream.content)) == row["expect"]["text"]
    start = {"type": "start", "options": row["options"], "include": ["diagnostics"]}
    lines = "".join(json.dumps(event) + "\n" for event in (start, *events_in(row)))
    streamed = client.post("/v1/stream", content=lines.encode(), headers=LINES)
    assert text_of(events_of(streamed.content)) == row["expect"]["text"]


@pytest.mark.parametrize("row", ROWS[::7])
def test_a_stored_turn(client: httpx.Client, row: dict[str, Any]) -> None:
    options = {"options": row["options"], "include": ["diagnostics"]}
    turn = client.post("/v1/turns", json=options).json()["id"]
    for number, event in enumerate(events_in(row), 1):
        pushed = client.post(
            f"/v1/turns/{turn}/input",
            content=json.dumps({"seq": number, "events": [event]}).encode(),
            headers=JSON,
        )
        assert pushed.status_code == 200, pushed.text
    assert came_to(client.get(f"/v1/turns/{turn}").json(), row) == row["expect"]


@pytest.mark.parametrize("row", REFUSED)
@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", "/v1/turns"])
def test_what_is_refused(client: httpx.Client, path: str, row: dict[str, Any]) -> None:
    body = {"options": row["options"]} | ({} if path == "/v1/turns" else {"deltas": [""]})
    answer = client.post(path, json=body)
    assert answer.status_code == row["refused"]
    assert answer.json()["errors"][0]["field"] in ("options.dialect", "options.numbers")
