"""What the document shows is what the service says."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from citestream.api.schemas.examples import INPUT_LINES, STREAM_EVENTS
from citestream.main import create_app
from citestream.settings import Settings

# Each finds what those before it left.
STORY = [
    "sessions_add_message",
    "turns_create",
    "turns_push",
    "turns_next",
    "turns_get",
    "turns_part",
    "turns_raw",
    "sessions_get",
    "sessions_history",
]
NAMES = {"turn_id": "turn-7", "session_id": "session-1", "part_id": "tool_data_02"}
TIMES = ("created", "ended")


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def service(tmp_path: Path) -> tuple[dict[str, Any], Any]:
    """The document, and a function that sends several requests and returns the answers."""
    app = create_app(Settings(store_url=f"sqlite:///{tmp_path}/turns.db"))
    document = json.loads(json.dumps(app.openapi()))

    def send(*requests: dict[str, Any]) -> list[httpx.Response]:
        async def run() -> list[httpx.Response]:
            transport = httpx.ASGITransport(app)
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
            ):
                return [await client.request(**request) for request in requests]

        return asyncio.run(run())

    return document, send


def shown(document: dict[str, Any]) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the example request and its example answer of each operation that has JSON."""

    def example(said: dict[str, Any]) -> Any:
        content = said.get("content", {}).get("application/json")
        name = content and content["schema"]["$ref"].rpartition("/")[2]
        return name and document["components"]["schemas"][name]["examples"][0]

    return {
        operation["operationId"]: (
            {
                "method": method,
                "url": path.format(**NAMES),
                "json": example(operation.get("requestBody", {})),
            },
            answer,
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for status in ("200", "201")
        if (answer := example(operation["responses"].get(status, {})))
    }


def test_the_answers_to_the_examples_are_the_examples(service: Any) -> None:
    document, send = service
    examples = shown(document)
    order = [*STORY, *sorted(examples.keys() - set(STORY))]
    answers = send(*(examples[name][0] for name in order))
    for name, answer in zip(order, answers, strict=True):
        assert without_times(answer.json()) == without_times(examples[name][1]), name


def test_the_events_for_the_example_lines_are_the_example_events(service: Any) -> None:
    _, send = service
    body = "\n".join(json.dumps(line) for line in INPUT_LINES)
    headers = {"content-type": "application/x-ndjson"}
    [answer] = send({"method": "POST", "url": "/v1/stream", "content": body, "headers": headers})
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert [json.loads(line) for line in data] == STREAM_EVENTS


def test_the_document_is_served(service: Any) -> None:
    document, send = service
    [answer] = send({"method": "GET", "url": "/openapi.json"})
    assert answer.json() == document
