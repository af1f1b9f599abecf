"""The document that is served: whole, and true of what the routes do."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from citestream import __version__
from citestream.main import create_app
from citestream.settings import Settings

DOCUMENT: dict[str, Any] = create_app(Settings()).openapi()
OPERATIONS = {
    (method, path): operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def values(node: Any, key: str) -> Iterator[Any]:
    """Every value of ``key`` in a document."""
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for inner in node.values():
            yield from values(inner, key)
    elif isinstance(node, list):
        for inner in node:
            yield from values(inner, key)


def test_the_served_document_is_this_one(client: httpx.Client) -> None:
    answer = client.get("/openapi.json")
    assert answer.json() == DOCUMENT
    assert DOCUMENT["openapi"].startswith("3.1")
    assert DOCUMENT["info"]["version"] == __version__


def test_the_pages_for_people(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "/openapi.json" in page.text
    assert client.get("/redoc").status_code == 404


def test_operations_have_the_names_that_code_reads_well_with() -> None:
    assert {key: operation["operationId"] for key, operation in OPERATIONS.items()} == {
        ("post", "/v1/extract"): "extract",
        ("post", "/v1/stream"): "stream",
        ("post", "/v1/prompt"): "prompt",
        ("get", "/livez"): "livez",
        ("get", "/readyz"): "readyz",
    }


def test_every_reference_leads_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    references = {ref for ref in values(DOCUMENT, "$ref") if isinstance(ref, str)}
    assert references
    assert {ref.removeprefix("#/components/schemas/") for ref in references} <= schemas.keys()


def test_a_stream_is_the_union_of_its_events() -> None:
    answer = OPERATIONS["post", "/v1/stream"]["responses"]["200"]
    assert answer["content"] == {
        "text/event-stream": {"schema": {"$ref": "#/components/schemas/StreamEvent"}}
    }
    union = DOCUMENT["components"]["schemas"]["StreamEvent"]
    assert set(union["discriminator"]["mapping"]) == {
        "delta",
        "citation",
        "custom",
        "citations_summary",
        "artifact",
        "error",
    }
    for name in union["discriminator"]["mapping"].values():
        event = DOCUMENT["components"]["schemas"][name.rpartition("/")[2]]
        assert "type" in event["required"]


def test_every_field_is_described_with_an_example() -> None:
    missing = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, described in schema.get("properties", {}).items()
        if not (
            {"const", "$ref"} & described.keys()
            or ("description" in described and ({"examples", "items", "anyOf"} & described.keys()))
        )
    ]
    assert missing == []


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_refusal_is_a_problem(method: str, path: str) -> None:
    for status, answer in OPERATIONS[method, path]["responses"].items():
        if int(status) >= 400:
            assert answer["content"] == {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            }


def test_what_the_routes_answer_is_declared(client: httpx.Client) -> None:
    """Each status that a bad request can get stands in the document."""
    json = {"content-type": "application/json"}
    seen = set()
    for body, headers in (
        (b'{"text":"a"}', json),
        (b"{", json),
        (b"{}", json),
        (b"{}", {}),
        (b'{"text":"a"}', {**json, "last-event-id": "9"}),
        (b'{"text":"a"}', {**json, "last-event-id": "3"}),
    ):
        seen.add(client.post("/v1/stream", content=body, headers=headers).status_code)
    assert seen == {200, 400, 422, 415, 409, 204}
    assert seen <= set(map(int, OPERATIONS["post", "/v1/stream"]["responses"]))
