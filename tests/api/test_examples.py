"""What the document shows is what the service says."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from citestream.api.examples import INPUT_LINES, STREAM_EVENTS
from citestream.main import create_app
from citestream.settings import Settings

APP = create_app(Settings())
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method, path, operation)
    for path, methods in APP.openapi()["paths"].items()
    for method, operation in methods.items()
}
PLAIN = [
    name
    for name, (_, _, operation) in OPERATIONS.items()
    if "application/json" in operation["responses"]["200"]["content"]
]


def request(method: str, path: str, **sent: Any) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(APP)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.request(method, path, **sent)

    return asyncio.run(run())


@pytest.mark.parametrize("name", PLAIN)
def test_the_answer_to_the_example_is_the_example(name: str) -> None:
    method, path, operation = OPERATIONS[name]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    answer = request(method, path, json=body and body["example"])
    assert answer.json() == operation["responses"]["200"]["content"]["application/json"]["example"]


def test_the_events_for_the_example_lines_are_the_example_events() -> None:
    body = "\n".join(json.dumps(line) for line in INPUT_LINES.values())
    headers = {"content-type": "application/x-ndjson"}
    answer = request("post", "/v1/stream", content=body, headers=headers)
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert [json.loads(line) for line in data] == list(STREAM_EVENTS.values())


def test_the_served_document_is_the_apps() -> None:
    assert request("get", "/openapi.json").json() == json.loads(json.dumps(APP.openapi()))
