"""Every limit of a request: one below, at it, one above."""

import json
from typing import Any

import httpx
import pytest
from tests.raw_http import NDJSON, RawClient
from tests.serving import Served
from tests.sse import events_of

from citestream.service import totals

MIB = 1024 * 1024
BODY = 16 * MIB
PART = {"tool_name": "t", "data": 1}


def extract(client: httpx.Client, body: Any) -> httpx.Response:
    return client.post(
        "/v1/extract",
        content=json.dumps(body, separators=(",", ":")).encode(),
        headers={"content-type": "application/json"},
    )


def told(client: httpx.Client, *lines: dict[str, Any]) -> dict[str, Any]:
    """Return the error that ends the stream, {} when there is none."""
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    answer = client.post("/v1/stream", content=content, headers={"content-type": NDJSON})
    assert answer.status_code == 200
    last = events_of(answer.content)[-1]
    found: dict[str, Any] = last.value.get("error", {})
    return found


AROUND = pytest.mark.parametrize("beyond", [-1, 0, 1])


def checked(answer: httpx.Response, beyond: int, field: str, limit: int) -> None:
    assert answer.status_code == (200 if beyond <= 0 else 422), answer.text
    if beyond > 0:
        [problem] = answer.json()["errors"]
        assert problem["field"] == field
        assert str(limit) in problem["problem"]


@AROUND
def test_the_text(client: httpx.Client, beyond: int) -> None:
    answer = extract(client, {"text": "x" * (8 * MIB + beyond)})
    checked(answer, beyond, "text", 8 * MIB)


@AROUND
def test_the_text_is_measured_in_utf_8(client: httpx.Client, beyond: int) -> None:
    text = "é" * (4 * MIB - 1) + "x" * (2 + beyond)
    body = json.dumps({"text": text}, ensure_ascii=False).encode()
    answer = client.post("/v1/extract", content=body, headers={"content-type": "application/json"})
    checked(answer, beyond, "text", 8 * MIB)


@AROUND
def test_one_delta(client: httpx.Client, beyond: int) -> None:
    delta = "x" * (MIB + beyond)
    checked(extract(client, {"deltas": ["a", delta]}), beyond, "deltas", MIB)
    error = told(client, {"type": "delta", "text": delta})
    assert bool(error) == (beyond > 0)
    assert str(MIB) in error.get("detail", str(MIB))


@AROUND
def test_all_deltas_together(client: httpx.Client, beyond: int) -> None:
    deltas = ["x" * MIB] * 7 + ["x" * (MIB - 1), "x" * (1 + beyond)]
    checked(extract(client, {"deltas": deltas}), beyond, "deltas", 8 * MIB)
    error = told(client, *({"type": "delta", "text": delta} for delta in deltas))
    assert bool(error) == (beyond > 0)
    if beyond > 0:
        assert error["line"] == len(deltas)
        assert str(8 * MIB) in error["detail"]


@AROUND
def test_the_number_of_deltas(client: httpx.Client, beyond: int) -> None:
    answer = extract(client, {"deltas": [""] * (200_000 + beyond)})
    checked(answer, beyond, "deltas", 200_000)


def test_the_number_of_deltas_in_lines(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert totals.MAX_DELTAS == 200_000
    monkeypatch.setattr(totals, "MAX_DELTAS", 200)
    delta = {"type": "delta", "text": ""}
    assert not told(client, *[delta] * 200)
    error = told(client, *[delta] * 201)
    assert error["line"] == 201
    assert "200" in error["detail"]


@AROUND
def test_the_number_of_parts(client: httpx.Client, beyond: int) -> None:
    parts = [PART] * (2000 + beyond)
    checked(extract(client, {"text": "a", "parts": parts}), beyond, "parts", 2000)
    error = told(client, *({"type": "part", **part} for part in parts))
    assert bool(error) == (beyond > 0)
    if beyond > 0:
        assert (error["line"], error["status"]) == (2001, 413)
        assert "2000" in error["detail"]


@AROUND
def test_the_size_of_a_part(client: httpx.Client, beyond: int) -> None:
    part = {**PART, "data": "x" * (4 * MIB - 2 + beyond)}
    answer = extract(client, {"text": "a", "parts": [part]})
    checked(answer, beyond, "parts[0].data", 4 * MIB)
    assert bool(told(client, {"type": "part", **part})) == (beyond > 0)


def nested(depth: int) -> Any:
    value: Any = 0
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


@AROUND
def test_the_depth_of_a_part(client: httpx.Client, beyond: int) -> None:
    part = {**PART, "data": nested(64 + beyond)}
    answer = extract(client, {"text": "a", "parts": [part]}).json()
    refused = [one["problem"] for one in answer.get("refused", [])]
    assert refused == (["data: nested more than 64 deep"] if beyond > 0 else [])
    assert not told(client, {"type": "part", **part})


@AROUND
def test_a_custom_event(client: httpx.Client, beyond: int) -> None:
    value = "x" * (64 * 1024 - 2 + beyond)
    error = told(client, {"type": "custom", "name": "n", "value": value})
    assert bool(error) == (beyond > 0)
    if beyond > 0:
        assert error["errors"] == [{"field": "value", "problem": "at most 65536 bytes of JSON"}]


@AROUND
@pytest.mark.parametrize(
    ("field", "limit"), [("tool_name", 300), ("title", 10_000), ("url", 10_000), ("id", 128)]
)
def test_the_names_of_a_part(client: httpx.Client, beyond: int, field: str, limit: int) -> None:
    part = {**PART, field: "😀" * (limit + beyond)}
    checked(extract(client, {"text": "a", "parts": [part]}), beyond, f"parts[0].{field}", limit)


@AROUND
def test_the_name_of_a_custom_event(client: httpx.Client, beyond: int) -> None:
    error = told(client, {"type": "custom", "name": "é" * (128 + beyond), "value": 1})
    assert bool(error) == (beyond > 0)


@AROUND
def test_what_include_lists(client: httpx.Client, beyond: int) -> None:
    answer = extract(client, {"text": "a", "include": ["excerpt"] * (8 + beyond)})
    checked(answer, beyond, "include", 8)


# -- the body ------------------------------------------------------------------------------------


def padded(size: int) -> bytes:
    head = b'{"text":"a"'
    return head + b" " * (size - len(head) - 1) + b"}"


@AROUND
@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", "/v1/prompt"])
def test_a_body_of_known_length(server: Served, path: str, beyond: int) -> None:
    """Above the limit it is refused before any of it has come."""
    body = padded(BODY + beyond)
    if path == "/v1/prompt":
        body = body.replace(b'"text":"a"', b'"parts":[]')
    with RawClient(server.port) as raw:
        raw.request(path, kind="application/json", length=len(body))
        if beyond <= 0:
            raw.send(body)
            assert raw.status() == 200
        else:
            assert raw.status() == 413
            assert str(BODY) in json.loads(raw.body())["detail"]


@AROUND
def test_a_body_of_unknown_length(server: Served, beyond: int) -> None:
    """Above the limit it is refused while it still comes."""
    body = padded(BODY + beyond)
    with RawClient(server.port) as raw:
        raw.request("/v1/extract", kind="application/json")
        for at in range(0, len(body), MIB):
            raw.chunk(body[at : at + MIB])
        if beyond <= 0:
            raw.end()
        assert raw.status() == (200 if beyond <= 0 else 413)
        answer = json.loads(raw.body())
        assert answer.get("type") == ("urn:citestream:problem:too-large" if beyond > 0 else None)


@AROUND
def test_a_body_of_lines(server: Served, beyond: int) -> None:
    """What was answered before stays; the end of the stream says why."""
    first = b'{"type":"delta","text":"good"}\n'
    body = first + (b" " * 1023 + b"\n") * (BODY // 1024)
    body = body[: BODY + beyond]
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        raw.chunk(first)
        assert raw.status() == 200
        assert raw.event().value["text"] == "good"
        for at in range(len(first), len(body), MIB):
            raw.chunk(body[at : at + MIB])
        if beyond <= 0:
            raw.end()
        last = list(raw.events())[-1]
    if beyond <= 0:
        assert last.type == "artifact"
    else:
        assert last.value["error"]["type"] == "urn:citestream:problem:too-large"
        assert str(BODY) in last.value["error"]["detail"]


@AROUND
def test_a_line(server: Served, beyond: int) -> None:
    line = b'{"type":"delta","text":"good"}'
    line += b" " * (8 * MIB + beyond - len(line))
    with RawClient(server.port) as raw:
        raw.request("/v1/stream", length=len(line) + 1)
        raw.send(line + b"\n")
        raw.status()
        events = list(raw.events())
    if beyond <= 0:
        assert events[0].value["text"] == "good"
    else:
        [error] = events
        assert (error.value["error"]["line"], error.value["error"]["status"]) == (1, 413)
        assert str(8 * MIB) in error.value["error"]["detail"]
