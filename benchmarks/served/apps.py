"""The applications that are measured side by side.

``/events`` of each waits as a model does before its first token, then sends one delta after the
other at the pace of tokens.

``bare`` and ``reading`` are floors: the least an ASGI application, and a FastAPI route, can do with
the same bytes. ``usual`` is what most services do: sse-starlette, and a pydantic model an event.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

from citestream.api.transport.event_stream import EventStream
from citestream.main import create_app
from citestream.settings import Settings
from citestream.turns import DeltaInput, OutputEvent, TextDelta, Turn
from citestream.wire.formats.native import NativeWriter

MAX_STREAMS = 10_000
FIRST_TOKEN_SECONDS = 1.0
TOKEN_SECONDS = 0.02
FRAME = NativeWriter().encode(TextDelta("the "), 1234)
SSE_HEAD = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
    ],
}


def _piece(data: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": True}


async def bare(scope: Any, receive: Any, send: Any) -> None:
    """``/duplex``: a ready frame for each line that is a delta; ``/events?n``: n ready frames."""
    await send(SSE_HEAD)
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
        if found := message.get("body", b"").count(b'"delta"'):
            await send(_piece(FRAME * found))
    if scope["path"] == "/events":
        await asyncio.sleep(FIRST_TOKEN_SECONDS)
    for _ in range(int(scope["query_string"] or 0)):
        await asyncio.sleep(TOKEN_SECONDS)
        await send(_piece(FRAME))
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class Answer(BaseModel):
    deltas: list[str]


class Delta(BaseModel):
    type: Literal["delta"] = "delta"
    text: str


def usual() -> FastAPI:
    """``/events``: the answer to a JSON body; ``/open``: one event, then silence."""
    app = FastAPI()

    @app.post("/events")
    async def events(answer: Answer) -> EventSourceResponse:
        async def made() -> AsyncIterator[ServerSentEvent]:
            turn = Turn()
            await asyncio.sleep(FIRST_TOKEN_SECONDS)
            for number, delta in enumerate(answer.deltas, 1):
                await asyncio.sleep(TOKEN_SECONDS)
                for event in turn.feed(delta):
                    yield _event(event, number)

        return EventSourceResponse(made())

    @app.post("/open")
    async def opened() -> EventSourceResponse:
        async def made() -> AsyncIterator[ServerSentEvent]:
            yield _event(TextDelta("the "), 1)
            await asyncio.Event().wait()

        return EventSourceResponse(made())

    return app


def _event(event: OutputEvent, number: int) -> ServerSentEvent:
    if isinstance(event, TextDelta):
        return ServerSentEvent(
            Delta(text=event.text).model_dump_json(), event="delta", id=str(number)
        )
    return ServerSentEvent(json.dumps(event.as_json()), event=event.type, id=str(number))


def ours(folder: Path) -> FastAPI:
    """Return the service; on top ``/events``, where the deltas of a body go one a send."""
    app = create_app(Settings(store_url=f"sqlite:///{folder}/turns.db", max_streams=MAX_STREAMS))

    @app.post("/events")
    async def events(answer: Answer) -> EventStream:
        async def made() -> AsyncIterator[bytes]:
            turn, writer, number = Turn(), NativeWriter(), 0
            await asyncio.sleep(FIRST_TOKEN_SECONDS)
            for delta in answer.deltas:
                await asyncio.sleep(TOKEN_SECONDS)
                for event in turn.accept(DeltaInput(delta)):
                    number += 1
                    yield writer.encode(event, number)

        return EventStream(made())

    return app


def reading() -> FastAPI:
    """``/read``: reads a body and answers."""
    app = FastAPI()

    @app.post("/read")
    async def read(request: Request) -> Response:
        await request.body()
        return Response(b'{"next":2,"parts":[],"tool_output":[],"status":"open"}', 200)

    return app
