"""The answer to a browser that asks whether it may call; the rest is in ``tests/test_main.py``."""

import asyncio

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from citestream.api.transport.cors import Cors

ALLOWED = "https://front.example"
ASKED = {"Origin": ALLOWED, "Access-Control-Request-Method": "POST"}


async def nowhere(_: Scope, __: Receive, ___: Send) -> None:
    raise AssertionError


def asked(**changed: str) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(Cors(nowhere, [ALLOWED]))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.options("/v1/turns", headers={**ASKED, **changed})

    return asyncio.run(run())


def test_a_listed_origin_may() -> None:
    answer = asked()
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == ALLOWED


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "https://kanari.example"},
        {"Access-Control-Request-Method": "KANARI"},
    ],
)
def test_a_refusal_is_a_problem_that_repeats_nothing(changed: dict[str, str]) -> None:
    answer = asked(**changed)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:citestream:problem:bad-request"
    assert answer.headers["vary"].startswith("Origin")
    assert "kanari" not in answer.text.lower()
    listed = answer.headers.get("access-control-allow-origin")
    assert listed == (None if "Origin" in changed else ALLOWED)
