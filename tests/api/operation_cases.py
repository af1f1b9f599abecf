"""The doors of the pure operations, as the tests of each room use them."""

import json
from typing import Any

import httpx
from jsonschema import Draft202012Validator

from citestream.main import create_app
from citestream.settings import Settings

DOCUMENT: dict[str, Any] = json.loads(json.dumps(create_app(Settings()).openapi()))

CANARY = "kanarienvogel-4711"


def post(client: httpx.Client, path: str, body: Any) -> httpx.Response:
    # By hand: httpx's own encoder refuses halves of surrogate pairs and NaN.
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(path, content=content, headers={"content-type": "application/json"})


def exact(value: Any) -> str:
    """A form in which 1, 1.0 and true are not the same."""
    return json.dumps(value, sort_keys=True)


def conforms(path: str, answer: httpx.Response, document: Any = None) -> None:
    """Hold an answer against what the document says of its status."""
    document = document or DOCUMENT
    said = document["paths"][path]["post"]["responses"][str(answer.status_code)]
    kind = answer.headers["content-type"]
    schema = {**said["content"][kind]["schema"], "components": document["components"]}
    Draft202012Validator(schema).validate(answer.json())


def answered(client: httpx.Client, path: str, body: Any, document: Any = None) -> Any:
    answer = post(client, path, body)
    assert answer.status_code == 200, answer.text
    conforms(path, answer, document)
    return answer.json()


def refused(client: httpx.Client, path: str, body: Any) -> dict[str, Any]:
    """Return the problem, which says nothing of what was sent."""
    answer = post(client, path, body)
    assert 400 <= answer.status_code < 500, answer.text
    conforms(path, answer)
    assert CANARY not in answer.text
    problem: dict[str, Any] = answer.json()
    return problem


def nested(levels: int, inner: str = "0") -> bytes:
    """JSON text of that many arrays in one another."""
    return b"[" * levels + inner.encode() + b"]" * levels


def with_value(body: Any, value: bytes) -> bytes:
    """Return a body as JSON text, with ``value`` in the place of the string "HERE"."""
    return json.dumps(body).encode().replace(b'"HERE"', value)


HOSTILE_VALUES = {
    "nested 60": nested(60),
    "nested 100": nested(100),
    "nested 150": nested(150),
    "nested 400": nested(400),
    "nested 100,000": nested(100_000),
    "objects 20,000": b'{"a":' * 20_000 + b"0" + b"}" * 20_000,
    "NaN": b"NaN",
    "Infinity": b"-Infinity",
    "1e999": b"1e999",
    "20 digits": b"9" * 20,
    "4,300 digits": b"9" * 4300,
    "5,000 digits": b"-" + b"9" * 5000,
    "high half": b'"\\ud83d"',
    "low half": b'"\\ude00a"',
    "half as a key": b'{"\\ud83d":["\\ude00"]}',
    "pair": b'"\\ud83d\\ude00"',
    "NUL": b'"\\u0000"',
    "signs": b'"\\ue200cite\\ue202a\\ue201"',
    "true": b"true",
    "null": b"null",
    "float": b"1.5",
    "list": b'[1,"a",null]',
    "empty object": b"{}",
}
