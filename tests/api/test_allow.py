"""A refused method is told all that the address takes (RFC 9110, 10.2.1)."""

import asyncio

import httpx
import pytest

from citestream.main import create_app
from citestream.settings import Settings


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/extract", "POST"),
        ("/v1/turns/turn-7", "DELETE, GET"),
        ("/v1/turns/turn-7/input", "GET, POST"),
        ("/livez", "GET"),
    ],
)
def test_names_every_method_of_the_address(path: str, allowed: str) -> None:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(Settings()))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.patch(path)

    answer = asyncio.run(run())
    assert answer.status_code == 405
    assert answer.json()["type"] == "urn:citestream:problem:method-not-allowed"
    assert answer.headers["allow"] == allowed
