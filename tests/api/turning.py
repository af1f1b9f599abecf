"""Stored turns as a client drives them: create, push whole or by lines, follow."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from tests.raw_http import RawClient
from tests.sse import Event, events_of

NDJSON = {"Content-Type": "application/x-ndjson"}
START, DELIM, STOP = "\ue200", "\ue202", "\ue201"


def marker(*fields: str) -> str:
    return START + DELIM.join(("cite", *fields)) + STOP


def part(id_: str | None = "p1", data: Any = "Tides turn.", **more: Any) -> dict[str, Any]:
    given = {} if id_ is None else {"id": id_}
    return {"type": "part", "tool_name": "search", "data": data, **given, **more}


def delta(text: str) -> dict[str, Any]:
    return {"type": "delta", "text": text}


END: dict[str, Any] = {"type": "end"}
FACT = [part(), delta("Tides turn"), delta(marker("p1")), delta("."), END]
"""A turn of one cited sentence: three deltas' events, a citation, summary, artifact."""


def created(client: httpx.Client, **body: Any) -> str:
    answer = client.post("/v1/turns", json=body)
    assert answer.status_code == 201, answer.text
    found: str = answer.json()["id"]
    return found


def push(client: httpx.Client, turn: str, seq: int, *events: dict[str, Any]) -> httpx.Response:
    return client.post(f"/v1/turns/{turn}/input", json={"seq": seq, "events": events})


def pushed(client: httpx.Client, turn: str, seq: int, *events: dict[str, Any]) -> dict[str, Any]:
    answer = push(client, turn, seq, *events)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def lines_of(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def push_lines(client: httpx.Client, turn: str, seq: int, body: bytes) -> httpx.Response:
    return client.post(f"/v1/turns/{turn}/input?seq={seq}", content=body, headers=NDJSON)


def told(client: httpx.Client, **body: Any) -> str:
    """A turn that has ended with :data:`FACT`."""
    turn = created(client, **body)
    pushed(client, turn, 1, *FACT)
    return turn


def events(client: httpx.Client, turn: str, after: int | None = None) -> list[Event]:
    """All events of an ended turn behind one."""
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    answer = client.get(f"/v1/turns/{turn}/events", headers=headers)
    assert answer.status_code == 200, answer.text
    return events_of(answer.content)


def problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["type"] == f"urn:citestream:problem:{kind}"
    assert found["status"] == status
    return found


@contextmanager
def following(port: int, turn: str, after: int | None = None) -> Iterator[RawClient]:
    """A reader on a socket of its own, its head sent and the answer's head read."""
    cursor = "" if after is None else f"Last-Event-ID: {after}\r\n"
    with RawClient(port) as raw:
        raw.send(
            f"GET /v1/turns/{turn}/events HTTP/1.1\r\nHost: localhost\r\n{cursor}\r\n".encode()
        )
        assert raw.status() == 200
        assert raw.headers["content-type"] == "text/event-stream; charset=utf-8"
        yield raw
