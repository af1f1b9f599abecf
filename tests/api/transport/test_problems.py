"""Refusals over a real socket: always a problem, naming field and limit, never repeating input."""

import json
import logging
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, Query
from tests.raw_http import NDJSON, RawClient
from tests.serving import Served, serving, with_own_store
from tests.sse import events_of

from citestream.api.schemas.problems import Problem
from citestream.api.transport import problems
from citestream.api.transport.problems import STATUSES, problem_object
from citestream.main import create_app
from citestream.service import problems as service_problems
from citestream.service.problems import INVALID_INPUT, ProblemType
from citestream.settings import Settings
from citestream.turns import Turn
from citestream.wire.input.errors import FieldProblem

CANARY = "kanari"
JSON = {"content-type": "application/json"}


def told(answer: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    """Check that an answer is a problem of this kind; return it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert CANARY not in answer.text
    problem: dict[str, Any] = answer.json()
    Problem.model_validate(problem, strict=True)
    assert problem["status"] == status
    assert problem["type"] == f"urn:citestream:problem:{slug}"
    return problem


# -- address, method, type -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1", f"/{CANARY}", "/v1/extract/", "/%ff%00", "//evil"])
def test_an_unknown_address(client: httpx.Client, path: str) -> None:
    address = f"http://{client.base_url.netloc.decode()}{path}"
    told(client.get(address), 404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/extract", "POST"),
        ("OPTIONS", "/v1/stream", "POST"),
        ("DELETE", "/v1/prompt", "POST"),
        ("POST", "/livez", "GET"),
        ("PURGE", "/v1/stream", "POST"),
    ],
)
def test_another_method(client: httpx.Client, method: str, path: str, allowed: str) -> None:
    answer = client.request(method, path)
    told(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", "/v1/prompt"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": ""},
        {"content-type": f"text/{CANARY}"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/jsonx"},
        {"content-type": "application/json; charset=utf-16"},
        {"content-type": f"application/json; charset={CANARY}"},
        {"content-type": "application/json", "content-encoding": "gzip"},
        {"content-type": "application/json", "content-encoding": CANARY},
    ],
    ids=str,
)
def test_another_media_type(client: httpx.Client, path: str, headers: dict[str, str]) -> None:
    told(client.post(path, content=b"{}", headers=headers), 415, "media-type")


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json ; boundary=x",
    ],
)
def test_json_by_other_spellings(client: httpx.Client, kind: str) -> None:
    answer = client.post("/v1/extract", content=b'{"text":"a"}', headers={"content-type": kind})
    assert answer.status_code == 200


def test_lines_are_taken_by_the_stream_alone(client: httpx.Client) -> None:
    for path in ("/v1/extract", "/v1/prompt"):
        answer = client.post(path, content=b"", headers={"content-type": NDJSON})
        told(answer, 415, "media-type")


# -- JSON ----------------------------------------------------------------------------------------

DEEP = 100_000
BROKEN = {
    "empty": b"",
    "blank": b"  ",
    "truncated": b'{"text": "kanari',
    "truncated-object": b'{"kanari": 1',
    "two": b'{"text": "kanari"} {}',
    "comma": b'{"text": "kanari",}',
    "single-quotes": b"{'text': 'kanari'}",
    "control": b'{"text": "kanari\x01"}',
    "nan": b'{"text": "kanari", "d": NaN}',
    "infinity": b'{"kanari": Infinity}',
    "minus-infinity": b'{"kanari": -Infinity}',
    "overflow": b'{"kanari": 1e999}',
    "minus-overflow": b'{"kanari": -1e999}',
    "digits": b'{"kanari": ' + b"9" * 5000 + b"}",
    "utf-8": b'{"text": "kanari\xff"}',
    "overlong": b'{"text": "kanari\xc0\x80"}',
    "utf-8-surrogate": b'{"text": "kanari\xed\xa0\x80"}',
    "utf-16": '{"text": "kanari"}'.encode("utf-16"),
    "utf-16-le": '{"text": "kanari"}'.encode("utf-16-le"),
    "utf-32": '{"text": "kanari"}'.encode("utf-32"),
    "two-boms": b'\xef\xbb\xbf\xef\xbb\xbf{"text": "kanari"}',
    "twice": b'{"text": "kanari", "text": "kanari"}',
    "twice-within": b'{"text": "a", "parts": [{"kanari": 1, "kanari": 2}]}',
    "deep-list": b"[" * DEEP,
    "deep-closed": b"[" * DEEP + b"]" * DEEP,
    "deep-object": b'{"kanari":' * DEEP,
    "escape": b'{"text": "\\xkanari"}',
}


@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", "/v1/prompt"])
@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_json(client: httpx.Client, path: str, body: bytes) -> None:
    told(client.post(path, content=body, headers=JSON), 400, "malformed-json")


@pytest.mark.parametrize("name", [name for name in BROKEN if name not in ("empty", "blank")])
def test_a_line_that_is_no_json(client: httpx.Client, name: str) -> None:
    answer = client.post("/v1/stream", content=BROKEN[name], headers={"content-type": NDJSON})
    assert CANARY not in answer.text
    [event] = events_of(answer.content)
    assert event.value["error"]["type"] == "urn:citestream:problem:malformed-json"


# -- fields --------------------------------------------------------------------------------------

PART = {"tool_name": "t", "data": 1}
FIELDS: list[tuple[Any, str]] = [
    ([CANARY], "body"),
    (CANARY, "body"),
    (None, "body"),
    (1, "body"),
    ({}, "body"),
    ({CANARY: CANARY, "text": "a"}, "body"),
    ({"text": CANARY, "deltas": [CANARY]}, "body"),
    ({"text": None, "deltas": None}, "body"),
    ({"text": [CANARY]}, "text"),
    ({"text": {CANARY: 1}}, "text"),
    ({"deltas": CANARY}, "deltas"),
    ({"deltas": {CANARY: CANARY}}, "deltas"),
    ({"deltas": ["a", 1]}, "deltas[1]"),
    ({"deltas": ["a", None]}, "deltas[1]"),
    ({"text": "a", "options": CANARY}, "options"),
    ({"text": "a", "options": {CANARY: CANARY}}, "options"),
    ({"text": "a", "options": {"whitespace": CANARY}}, "options.whitespace"),
    ({"text": "a", "options": {"invalid_markers": 1}}, "options.invalid_markers"),
    ({"text": "a", "options": {"whitespace": None}}, "options.whitespace"),
    ({"text": "a", "include": CANARY}, "include"),
    ({"text": "a", "include": [CANARY]}, "include[0]"),
    ({"text": "a", "include": ["excerpt"] * 20}, "include"),
    ({"text": "a", "parts": {CANARY: 1}}, "parts"),
    ({"text": "a", "parts": [CANARY]}, "parts[0]"),
    ({"text": "a", "parts": [{}]}, "parts[0].tool_name"),
    ({"text": "a", "parts": [{"tool_name": "t"}]}, "parts[0].data"),
    ({"text": "a", "parts": [{**PART, CANARY: CANARY}]}, "parts[0]"),
    ({"text": "a", "parts": [PART, {**PART, "tool_name": [CANARY]}]}, "parts[1].tool_name"),
    ({"text": "a", "parts": [{**PART, "origin": CANARY}]}, "parts[0].origin"),
    ({"text": "a", "parts": [{**PART, "title": {CANARY: 1}}]}, "parts[0].title"),
    ({"text": "a", "parts": [{**PART, "url": 1}]}, "parts[0].url"),
    ({"text": "a", "parts": [{**PART, "id": 1}]}, "parts[0].id"),
    *(
        ({"text": "a", "parts": [{**PART, "id": bad}]}, "parts[0].id")
        for bad in ("", " ", f"/{CANARY}", f"{CANARY} {CANARY}", f"{CANARY}\n", f"{CANARY}\0")
    ),
    *(
        ({"text": "a", "parts": [{**PART, "id": bad}]}, "parts[0].id")
        for bad in (f"{CANARY}\ue200", f"{CANARY}\u2028", f"{CANARY}\ud83d", CANARY * 22)
    ),
    # Halves of surrogate pairs, where no token could have cut.
    ({"text": "a", f"{CANARY}\ud83d": 1}, "body"),
    ({"text": "a", "options": {"whitespace": f"{CANARY}\ud83d"}}, "options.whitespace"),
    ({"text": "a", "parts": [{**PART, "origin": f"{CANARY}\udc00"}]}, "parts[0].origin"),
]


@pytest.mark.parametrize(("body", "field"), FIELDS, ids=[f"{n}" for n in range(len(FIELDS))])
@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream"])
def test_what_is_no_answer_body(client: httpx.Client, path: str, body: Any, field: str) -> None:
    problem = told(
        client.post(path, content=json.dumps(body).encode(), headers=JSON), 422, "invalid-input"
    )
    assert field in [found["field"] for found in problem["errors"]]
    assert field in problem["detail"]
    assert not {"AnswerBody", "PartFields", "OptionsInput"} & set(problem["detail"].split())


LINES: list[tuple[Any, str]] = [
    ({"type": CANARY}, "type"),
    ({"type": [CANARY]}, "type"),
    ({"type": f"{CANARY}\ud83d"}, "type"),
    ({"type": "delta", "text": {CANARY: CANARY}}, "text"),
    ({"type": "delta", "text": "a", CANARY: CANARY}, "body"),
    ({"type": "end", "reason": CANARY}, "reason"),
    ({"type": "start", "options": {CANARY: CANARY}}, "options"),
    ({"type": "start", "include": [CANARY]}, "include[0]"),
    ({"type": "custom", "name": "n"}, "value"),
    ({"type": "custom", "name": CANARY * 30, "value": 1}, "name"),
    ({"type": "custom", "name": "n", "value": 1, "value_": CANARY}, "body"),
    ({"type": "part", "tool_name": "t", "data": 1, "id": f"/{CANARY}"}, "id"),
    ({"type": "part", "tool_name": "t", "data": 1, CANARY: 1}, "body"),
    ([CANARY], "body"),
]


@pytest.mark.parametrize(("line", "field"), LINES, ids=[f"{n}" for n in range(len(LINES))])
def test_what_is_no_line(client: httpx.Client, line: Any, field: str) -> None:
    answer = client.post(
        "/v1/stream", content=json.dumps(line).encode(), headers={"content-type": NDJSON}
    )
    assert CANARY not in answer.text
    [event] = events_of(answer.content)
    problem = event.value["error"]
    Problem.model_validate(problem, strict=True)
    assert (problem["status"], problem["line"]) == (422, 1)
    assert [found["field"] for found in problem["errors"]] == [field]


def test_at_most_twenty_fields_are_named(client: httpx.Client) -> None:
    body = json.dumps({"deltas": [1] * 1000}).encode()
    problem = told(client.post("/v1/extract", content=body, headers=JSON), 422, "invalid-input")
    assert len(problem["errors"]) == 20


@pytest.mark.parametrize("path", ["/v1/extract", "/v1/stream", "/v1/prompt"])
def test_a_part_id_given_twice(client: httpx.Client, path: str) -> None:
    parts = [{**PART, "id": CANARY}, {**PART, "id": CANARY, "data": {CANARY: CANARY}}]
    body = {"parts": parts} if path == "/v1/prompt" else {"parts": parts, "text": CANARY}
    problem = told(client.post(path, json=body), 409, "part-conflict")
    assert problem["detail"].startswith("parts[1].id: ")
    body["parts"] = [parts[0], parts[0]]
    assert client.post(path, json=body).status_code == 200


# -- everything else -----------------------------------------------------------------------------


def test_the_framework_s_own_refusal_and_a_fault_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    router = APIRouter()

    @router.get("/number")
    async def number(of: int = Query()) -> int:
        return of

    @router.get("/fault")
    async def fault() -> None:
        raise RuntimeError(CANARY)

    app = create_app(with_own_store(Settings()))
    app.include_router(router)
    with serving(app=app, faults=True) as server, httpx.Client(base_url=server.url) as client:
        problem = told(client.get("/number", params={"of": CANARY}), 422, "invalid-input")
        assert problem["errors"][0]["field"] == "query.of"
        told(client.get("/fault"), 500, "internal")
        assert httpx.get(f"{server.url}/livez").status_code == 200
    ours = [record for record in caplog.records if record.name == "citestream"]
    assert [record.getMessage() for record in ours] == ["unhandled"]
    assert ours[0].counts == {"error": "RuntimeError"}  # type: ignore[attr-defined]
    assert ours[0].levelno == logging.ERROR


def test_a_fault_in_a_stream_is_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Turn.feed

    def broken(self: Turn, delta: str) -> Any:
        if delta == CANARY:
            raise RuntimeError(CANARY)
        return feed(self, delta)

    monkeypatch.setattr(Turn, "feed", broken)
    with serving(Settings(), faults=True) as server:
        for kind in ("application/json", NDJSON):
            with RawClient(server.port) as raw:
                if kind == NDJSON:
                    raw.request("/v1/stream")
                    raw.line({"type": "delta", "text": "good"})
                    raw.line({"type": "delta", "text": CANARY})
                else:
                    raw.post("/v1/stream", {"deltas": ["good", CANARY]})
                assert raw.status() == 200
                first, last = raw.event(), raw.event()
                assert first.value["text"] == "good"
                assert last.type == "error"
                assert last.value["error"]["type"] == "urn:citestream:problem:internal"
                assert CANARY not in last.data
                raw.closed()


def test_a_client_gone_in_its_body_is_no_fault(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/extract", kind="application/json", length=100)
        raw.send(b"{")
        raw.reset()
    # The server of all tests complains at its end if it was one.


# -- the table -----------------------------------------------------------------------------------


def test_each_type_of_problem_has_a_status_and_a_slug_of_its_own() -> None:
    defined = [
        one
        for module in (service_problems, problems)
        for one in vars(module).values()
        if isinstance(one, ProblemType)
    ]
    assert set(defined) == set(STATUSES)
    assert len({one.slug for one in STATUSES}) == len({one.title for one in STATUSES})
    assert len(STATUSES) == len({one.slug for one in STATUSES})
    assert all(400 <= status < 600 for status in STATUSES.values())


def test_a_problem_object_names_the_fields_and_the_numbers() -> None:
    fields = (FieldProblem("parts[0].id", "1 to 128 characters"),)
    shown = problem_object(service_problems.Problem(INVALID_INPUT, "why", fields, line=3))
    assert shown == {
        "type": "urn:citestream:problem:invalid-input",
        "title": "Invalid request field",
        "status": 422,
        "detail": "why",
        "line": 3,
        "errors": [{"field": "parts[0].id", "problem": "1 to 128 characters"}],
    }
