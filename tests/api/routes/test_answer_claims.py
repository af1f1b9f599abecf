"""Each row of the claim vectors over HTTP: extract, lines, and a stored turn."""

import json
from typing import Any

import httpx
import pytest
from tests.sse import events_of
from tests.vectors import rows

ROWS = [pytest.param(row, id=row["id"]) for row in rows("claims.json")]
JSON = {"content-type": "application/json"}
LINES = {"content-type": "application/x-ndjson"}


def events_in(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *({"type": "part", **part} for part in row["parts"]),
        *({"type": "delta", "text": text} for text in row["deltas"]),
        {"type": "end"},
    ]


@pytest.mark.parametrize("row", ROWS)
def test_a_whole_answer(client: httpx.Client, row: dict[str, Any]) -> None:
    asked = {name: row[name] for name in ("parts", "deltas", "options", "include")}
    answer = client.post("/v1/extract", content=json.dumps(asked).encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    assert {key: answer.json()[key] for key in row["expect"]} == row["expect"]


@pytest.mark.parametrize("row", ROWS)
def test_a_stream_of_lines(client: httpx.Client, row: dict[str, Any]) -> None:
    start = {"type": "start", "options": row["options"], "include": row["include"]}
    lines = "".join(json.dumps(event) + "\n" for event in (start, *events_in(row)))
    answer = client.post("/v1/stream", content=lines.encode(), headers=LINES)
    *_, summary, closing = (event.value for event in events_of(answer.content))
    assert summary["citations"] == row["expect"]["citations"]
    assert closing.get("unsupported") == row["expect"].get("unsupported")


@pytest.mark.parametrize("row", ROWS[::5])
def test_a_stored_turn(client: httpx.Client, row: dict[str, Any]) -> None:
    options = {"options": row["options"], "include": row["include"]}
    turn = client.post("/v1/turns", json=options).json()["id"]
    for number, event in enumerate(events_in(row), 1):
        body = json.dumps({"seq": number, "events": [event]}).encode()
        pushed = client.post(f"/v1/turns/{turn}/input", content=body, headers=JSON)
        assert pushed.status_code == 200, pushed.text
    answer = client.get(f"/v1/turns/{turn}").json()
    assert {key: answer[key] for key in row["expect"]} == row["expect"]
