"""The routes of stored turns: create, push, follow, read, remove."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response

from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, event_stream, problems, schema_of
from citestream.api.schemas import examples
from citestream.api.schemas.answers import ArtifactData
from citestream.api.schemas.prompts import Prompt
from citestream.api.schemas.turns import (
    ID_PATTERN,
    CreatedTurn,
    CreateTurnBody,
    NextInput,
    PushAnswer,
    PushBody,
    RawText,
    StoredAnswer,
)
from citestream.api.transport.body import MIB, incoming, media_type, read_model
from citestream.api.transport.cursor import PATTERN, cursor
from citestream.api.transport.event_stream import EventStream
from citestream.api.transport.responses import json_body, json_response
from citestream.parts import MAX_PARTS
from citestream.service.formats import (
    FILLING,
    VERCEL_AI,
    follower_of,
    reading,
    view_of,
    written_format,
)
from citestream.service.offload import offload
from citestream.service.problems import (
    CURSOR_AHEAD,
    CURSOR_GONE,
    NOT_READY,
    Problem,
)
from citestream.service.stored.including import READABLE
from citestream.service.stored.line_push import LinePush
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import StoreError, TurnRow
from citestream.telemetry.logs import log_event
from citestream.turns import Include, InputEvent, PromptStyle
from citestream.wire.formats import Writer
from citestream.wire.formats.native import NATIVE, NativeWriter
from citestream.wire.json_text import dumps

PUSH_LIMIT: Final = 8 * MIB

router = APIRouter(tags=["turns"])

TurnId = Annotated[str, Path(pattern=ID_PATTERN, description="The turn's id.", examples=["turn-7"])]


Included = Literal["excerpt", "offsets", "source"]
"""What a reader may add: :data:`~citestream.service.stored.including.READABLE`."""


def turns_of(request: Request) -> StoredTurns:
    """Return the service's stored turns."""
    return state_of(request).turns


@router.post(
    "/v1/turns",
    operation_id="turns_create",
    summary="Create a stored turn",
    description="A turn outlives its connection: producers push input events into it, readers "
    "follow it and resume after any event. With `Idempotency-Key` the same request again gives "
    "the same turn.",
    openapi_extra=body_of(CreateTurnBody, examples.CREATE_TURN_BODY),
    responses={
        201: schema_of(CreatedTurn, "It has been created.", examples.CREATED_TURN),
        **problems(400, 409, 413, 415, 422, 503),
    },
    status_code=201,
    response_class=Response,
)
async def create(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            max_length=128,
            description="Your name for this creation: repeated with the same body within a day, "
            "it answers with the turn that was created first, even if that has been removed since.",
            examples=["order-66"],
        ),
    ] = None,
) -> Response:
    """Create a turn."""
    if state_of(request).streams.draining:
        raise Problem(NOT_READY, "the process is about to stop", headers={"Retry-After": "2"})
    body = await read_model(request, CreateTurnBody, MIB)
    created = await turns_of(request).create(
        turn_id=body.turn_id,
        session_id=body.session_id,
        options=body.options.value(),
        include=body.include,
        labels=dict(body.labels),
        carry=body.carry,
        key=idempotency_key,
    )
    return json_response(created, 201)


@router.post(
    "/v1/turns/{turn_id}/input",
    operation_id="turns_push",
    summary="Push input events",
    description="`seq` is the number of the first event of this push; a turn's events count "
    "from 1. Events that were already accepted under these numbers are compared and skipped, "
    "so a push may be repeated. A body of `application/x-ndjson` with `?seq=` is committed "
    "while it arrives; after a broken connection, `GET` on the same address returns the "
    "number to continue from. With `?from=` the body is a vendor's own stream, "
    "`text/event-stream`, from its beginning: its deltas and its end are the events.",
    openapi_extra=body_of(PushBody, examples.PUSH_BODY, ndjson=True),
    responses={
        200: schema_of(PushAnswer, "The events are committed.", examples.PUSH_ANSWER),
        **problems(400, 404, 409, 413, 415, 422, 503),
    },
    response_class=Response,
)
async def push(
    request: Request,
    turn_id: TurnId,
    seq: Annotated[
        int | None,
        Query(
            ge=1,
            le=10**12,
            description="With an NDJSON body: the number of its first event, from 1.",
            examples=[1],
        ),
    ] = None,
    source: Annotated[
        str,
        Query(
            alias="from",
            description="The format of a streamed body, one of `GET /v1/formats` with a reader.",
            examples=["native"],
        ),
    ] = "native",
) -> Response:
    """Accept input events."""
    del source  # read by the function that knows the formats
    turns = turns_of(request)
    kind = media_type(request)
    if kind == "application/json":
        body = await read_model(request, PushBody, PUSH_LIMIT)
        events: list[InputEvent] = [line.root.value() for line in body.events]
        return json_response((await turns.push(turn_id, body.seq, events)).as_json())
    reader = reading(request.query_params, kind)
    lines = LinePush(turns, turn_id, 1 if seq is None else seq, reader)
    chunks = incoming(request, PUSH_LIMIT, state_of(request).settings.silence_seconds)
    async with state_of(request).streams.pushing():
        with closing(chunks):
            # In a task of its own: each step of this one passes the awaits of all middlewares.
            answer = await asyncio.create_task(lines.answer(chunks.read), name="citestream-push")
    return json_response(answer.as_json())


@router.get(
    "/v1/turns/{turn_id}/input",
    operation_id="turns_next",
    summary="Get the number of the next input event",
    responses={
        200: schema_of(NextInput, "The next number.", examples.NEXT_INPUT),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def next_input(request: Request, turn_id: TurnId) -> Response:
    """Return the number of the next input event."""
    turns = turns_of(request)
    row = await turns.reader.row(turns.key(turn_id))
    return json_response({"next": row.next, "status": row.status})


@router.get(
    "/v1/turns/{turn_id}/events",
    operation_id="turns_events",
    summary="Follow a turn",
    description="Sends the events of the turn from the beginning, or after `Last-Event-ID` (a "
    "header, or `?last_event_id=` where headers cannot be set; the header takes precedence). "
    "Live and replayed streams are the same: every reader gets the same events with the same "
    "ids. After the last event of an ended turn the answer is 204, so that `EventSource` "
    "stops. With `to` the stream has the format of a vendor.",
    responses={
        200: event_stream(),
        204: {"description": "This was the last event, and the turn has ended."},
        **problems(400, 404, 409, 410, 422, 503),
    },
    response_class=EventStream,
)
async def events(
    request: Request,
    turn_id: TurnId,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID",
            description="The id of the last event the reader has, if any.",
            examples=["7"],
            json_schema_extra={"pattern": PATTERN},
        ),
    ] = None,
    from_query: Annotated[
        str | None,
        Query(
            alias="last_event_id",
            description="The same, in the address.",
            examples=["7"],
            json_schema_extra={"pattern": PATTERN},
        ),
    ] = None,
    include: Annotated[
        list[Included] | None,
        Query(
            max_length=len(READABLE),
            description="Fields to add to each citation for this reader, in addition to those that "
            "the turn was created with: `excerpt`, `offsets`, `source`. Event ids stay the same.",
            examples=[["offsets"]],
        ),
    ] = None,
    to: Annotated[
        str,
        Query(
            description="The format of the stream, one of `GET /v1/formats` with a writer. In a "
            "vendor's format it is sent from the beginning; with `openai-responses` it continues "
            "after `starting_after`; with `vercel-ai` the answer is 204 when no event is "
            "left to replay.",
            examples=["native"],
        ),
    ] = "native",
    starting_after: Annotated[
        str | None,
        Query(
            description="With `to=openai-responses`: the `sequence_number` of the last event that "
            "the reader has, from 0.",
            examples=["7"],
        ),
    ] = None,
    offset_unit: Annotated[
        str | None,
        Query(
            description="With a vendor's format: the unit of offsets in its own places, `rune` "
            "(code points), `utf16` or `utf8`, in place of the one that its users assume.",
            examples=["rune"],
        ),
    ] = None,
) -> Response:
    """Follow a turn."""
    del to, starting_after, offset_unit  # read by the functions that know the formats
    turns, settings, query = turns_of(request), state_of(request).settings, request.query_params
    row = await turns.reader.row(turns.key(turn_id))
    target = written_format(query)
    added: frozenset[Include] = frozenset(include or ())
    if target is NATIVE:
        after = cursor(last_event_id if last_event_id is not None else from_query)
        writer: Writer = NativeWriter(after)
        _check_cursor(row, after)
        if row.ended is not None and after == row.events:
            return Response(status_code=204)
    else:
        if row.trimmed and target.name == VERCEL_AI:
            return Response(status_code=204)
        _check_cursor(row, 0)
        view = replace(view_of(query, settings.part_url), turn_id=turn_id, created=int(row.created))
        writer, added = follower_of(target, query, view), added | FILLING
    return EventStream(
        _frames(turns, turn_id, writer, added),
        writer=type(writer),
        streams=state_of(request).streams,
        returns=True,
        ping=settings.ping_seconds,
        send_timeout=settings.send_seconds,
        max_age=settings.follow_seconds * random.uniform(0.9, 1.1),  # noqa: S311
    )


def _check_cursor(row: TurnRow, after: int) -> None:
    if after > row.events:
        raise Problem(CURSOR_AHEAD, f"last-event-id: the last event is {row.events}")
    if row.trimmed and after < row.events - 1:
        raise Problem(CURSOR_GONE, "last-event-id: read the turn itself, it is kept whole")


async def _frames(
    turns: StoredTurns, turn_id: str, writer: Writer, include: frozenset[Include]
) -> AsyncGenerator[bytes, None]:
    first = 0 if writer.replays else writer.after
    pages = turns.follow_including(turn_id, first, include) if include else None
    try:
        async for page in pages or turns.follow(turn_id, first):
            yield b"".join(
                [writer.encode_stored(event.type, event.data, number) for number, event in page]
            )
    except (Problem, StoreError) as error:
        # The reader returns, and is then answered before the headers are sent.
        log_event("follower_left", reason=type(error).__name__)


@router.get(
    "/v1/turns/{turn_id}",
    operation_id="turns_get",
    summary="Read a turn",
    description="Returns the answer so far, and the whole answer once the turn has ended.",
    responses={
        200: schema_of(StoredAnswer, "The turn.", examples.STORED_ANSWER),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def get(request: Request, turn_id: TurnId) -> Response:
    """Return the answer of a turn."""
    turns = turns_of(request)
    return json_body(await turns.reader.answer(turns.key(turn_id)))


@router.get(
    "/v1/turns/{turn_id}/parts/{part_id:path}",
    operation_id="turns_part",
    summary="Read a cited part",
    description="A part that the turn cites, as the artifact carries it. What is not cited is not "
    "passed on.",
    responses={
        200: schema_of(ArtifactData, "The part.", examples.CITED_PART),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def part(
    request: Request,
    turn_id: TurnId,
    part_id: Annotated[
        str, Path(max_length=128, description="The part's id.", examples=["tool_data_02"])
    ],
) -> Response:
    """Return a cited part."""
    turns = turns_of(request)
    return json_body(await turns.reader.part(turns.key(turn_id), part_id))


@router.get(
    "/v1/turns/{turn_id}/prompt",
    operation_id="turns_prompt",
    summary="Instructions and data for the model",
    description="The paragraph that teaches a model to cite, and the parts registered so far, each "
    "with the id that the turn knows it by. Every id, line and pointer in it resolves when the "
    "model cites it as printed. A push answer names this address.",
    responses={
        200: schema_of(Prompt, "The prompt.", examples.PROMPT),
        **problems(404, 422, 431, 503),
    },
    response_class=Response,
)
async def prompt(
    request: Request,
    turn_id: TurnId,
    part_id: Annotated[
        list[Annotated[str, Query(max_length=128)]] | None,
        Query(
            max_length=MAX_PARTS,
            description="The parts to show, in this order; all when none is named.",
            examples=[["tool_data_02"]],
        ),
    ] = None,
    style: Annotated[
        PromptStyle,
        Query(
            description="How the model is to cite: `markers`, by the ids of parts; `numbers`, by "
            "the numbers of web sources.",
            examples=["markers"],
        ),
    ] = "markers",
) -> Response:
    """Return what a model needs to cite the parts of a turn."""
    turns = turns_of(request)
    return json_response(await turns.reader.prompt(turns.key(turn_id), part_id, style))


@router.get(
    "/v1/turns/{turn_id}/raw",
    operation_id="turns_raw",
    summary="Read the raw answer",
    description="What the model wrote, markers and all: for the model's next call, never for "
    "readers.",
    responses={
        200: schema_of(RawText, "The raw text.", examples.RAW_TEXT),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def raw(request: Request, turn_id: TurnId) -> Response:
    """Return the raw text of a turn."""
    turns = turns_of(request)
    text = await turns.reader.raw(turns.key(turn_id))
    return json_body(await offload(lambda: dumps({"text": text}), cost=len(text)))


@router.delete(
    "/v1/turns/{turn_id}",
    operation_id="turns_delete",
    summary="Remove a turn",
    description="The turn and all that is its; its followers end.",
    responses={204: {"description": "It is gone."}, **problems(404, 422, 503)},
    status_code=204,
    response_class=Response,
)
async def delete(request: Request, turn_id: TurnId) -> Response:
    """Remove a turn."""
    await turns_of(request).delete(turn_id)
    return Response(status_code=204)
