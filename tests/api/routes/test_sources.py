"""Numbered web sources over HTTP."""

import json
from typing import Any

import httpx
import pytest
from tests.api.operation_cases import (
    CANARY,
    HOSTILE_VALUES,
    answered,
    conforms,
    exact,
    post,
    refused,
    with_value,
)
from tests.vectors import rows

from citestream.api.routes.sources import OPERATIONS

SOURCE = {"index": 1, "title": "A", "url": "https://example.org/a"}
BODIES: dict[str, dict[str, Any]] = {
    "number": {"known": [], "results": [{"title": "A", "url": "https://a"}]},
    "page": {"known": [], "title": "A", "url": "https://a", "body": "b"},
    "collect": {"calls": [{"sources": [SOURCE]}]},
    "link": {"markdown": "a [1]", "sources": [SOURCE]},
    "list": {"sources": [SOURCE]},
    "render": {"markdown": "a [1]", "sources": [SOURCE]},
}


@pytest.mark.parametrize("row", rows("sources.json"), ids=lambda row: row["id"])
def test_row(client: httpx.Client, row: dict[str, Any]) -> None:
    answer = answered(client, f"/v1/sources/{row['op']}", row["input"])
    assert exact(answer) == exact(row["expect"]), row["why"]


def test_there_is_a_door_for_each_operation() -> None:
    assert {operation.path.rpartition("/")[2] for operation in OPERATIONS} == {
        row["op"] for row in rows("sources.json")
    }


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
@pytest.mark.parametrize("op", BODIES)
def test_any_value_in_any_field_is_answered_or_refused(
    client: httpx.Client, op: str, value: bytes
) -> None:
    for field in BODIES[op]:
        answer = post(client, f"/v1/sources/{op}", with_value(BODIES[op] | {field: "HERE"}, value))
        assert answer.status_code in (200, 400, 422)
        conforms(f"/v1/sources/{op}", answer)


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
@pytest.mark.parametrize("field", SOURCE)
def test_any_value_in_a_source(client: httpx.Client, field: str, value: bytes) -> None:
    for op in ("link", "list", "render"):
        body = BODIES[op] | {"sources": [SOURCE | {field: "HERE"}]}
        answer = post(client, f"/v1/sources/{op}", with_value(body, value))
        assert answer.status_code in (200, 400, 422)
        conforms(f"/v1/sources/{op}", answer)


@pytest.mark.parametrize(
    ("op", "change", "field"),
    [
        ("number", {"results": [CANARY]}, "results[0]"),
        ("list", {"sources": [SOURCE] * 2_001}, "sources"),
        ("number", {"known": [SOURCE | {"index": 0}]}, "known[0].index"),
        ("number", {"known": [SOURCE | {"index": 2**53}]}, "known[0].index"),
        ("page", {"links": [CANARY, 1]}, "links[1]"),
        ("collect", {"calls": [CANARY]}, "calls[0]"),
        ("link", {"marker_style": CANARY}, "marker_style"),
        ("link", {CANARY: 1}, "body"),
        ("list", {"sources": [SOURCE | {CANARY: 1}]}, "sources[0]"),
        ("render", {"tools_line": [CANARY]}, "tools_line"),
    ],
)
def test_a_caller_s_mistake_names_its_field(
    client: httpx.Client, op: str, change: dict[str, Any], field: str
) -> None:
    problem = refused(client, f"/v1/sources/{op}", BODIES[op] | change)
    assert problem["type"] == "urn:citestream:problem:invalid-input"
    assert [error["field"] for error in problem["errors"]] == [field]


def test_a_result_that_would_be_too_long_is_refused_before_it_is_built(
    client: httpx.Client,
) -> None:
    source = SOURCE | {"url": "https://example.org/" + CANARY * 110}
    for op in ("link", "render"):
        problem = refused(
            client, f"/v1/sources/{op}", {"markdown": "[1] " * 16_000, "sources": [source]}
        )
        assert problem["type"] == "urn:citestream:problem:result-too-long"
        assert (problem["status"], problem["limit"]) == (422, 8 * 1024 * 1024)


def test_the_limits_of_a_body(client: httpx.Client) -> None:
    def size(op: str, length: int) -> int:
        body = json.dumps(BODIES[op] | {"markdown": ""} if op != "list" else BODIES[op]).encode()
        body += b" " * (length - len(body))
        return post(client, f"/v1/sources/{op}", body).status_code

    mib = 1024 * 1024
    assert [size("link", mib), size("link", mib + 1)] == [200, 413]
    assert [size("list", mib), size("list", mib + 1)] == [200, 413]
    assert [size("render", 16 * mib), size("render", 16 * mib + 1)] == [200, 413]
