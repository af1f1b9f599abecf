"""Routes of streams: documented as all others, and nothing is kept of the call while they run."""

import asyncio
import gc
import weakref
from typing import Any

import httpx
from fastapi import APIRouter, FastAPI, Request, Response

from citestream.api.transport.stream_route import StreamRoute


class Refused(Exception):  # noqa: N818
    """What an endpoint may raise."""


kept: list[weakref.ref[Request]] = []


class Slow(Response):
    """A response that looks, while it runs, what of the call is still there."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        gc.collect()
        self.body = b"released" if kept[-1]() is None else b"kept"
        await super().__call__(scope, receive, send)


def application() -> FastAPI:
    router = APIRouter(route_class=StreamRoute)

    @router.post("/slow", summary="Slow")
    async def slow(request: Request) -> Response:
        if await request.body() == b"refuse":
            raise Refused
        kept.append(weakref.ref(request))
        return Slow(headers={"content-length": "8"})

    app = FastAPI()
    app.include_router(router)
    app.add_exception_handler(Refused, lambda *_: Response("refused", 418))
    return app


def call(method: str, content: bytes = b"") -> httpx.Response:
    async def scene() -> httpx.Response:
        transport = httpx.ASGITransport(app=application())
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, "/slow", content=content)

    return asyncio.run(scene())


def test_the_request_is_released_when_the_response_runs() -> None:
    assert call("POST").text == "released"


def test_what_an_endpoint_raises_is_answered_by_the_application() -> None:
    assert call("POST", b"refuse").status_code == 418


def test_other_methods_are_refused_as_everywhere() -> None:
    assert call("GET").status_code == 405


def test_the_route_is_documented() -> None:
    assert application().openapi()["paths"]["/slow"]["post"]["summary"] == "Slow"
