"""The routes of sessions: messages in, the session for readers, people and models out."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, problems, schema_of
from citestream.api.schemas import examples
from citestream.api.schemas.turns import (
    ID_PATTERN,
    CreatedMessage,
    History,
    MessageBody,
    Session,
    SessionList,
)
from citestream.api.transport.body import MIB, read_model
from citestream.api.transport.lenient_json import read_records
from citestream.api.transport.responses import json_body, json_response
from citestream.rendering import Form
from citestream.service.history import Histories
from citestream.service.offload import offload
from citestream.service.sessions import Conversations
from citestream.wire.json_text import dumps

MESSAGE_LIMIT: Final = 64 * MIB
MAX_PAGE: Final = 200
EXPORT_MEDIA: Final[dict[Form, str]] = {
    "markdown": "text/markdown",
    "html": "text/html",
    "text": "text/plain",
}

router = APIRouter(tags=["sessions"])

SessionId = Annotated[
    str, Path(pattern=ID_PATTERN, description="The session's id.", examples=["session-1"])
]


def _conversations(request: Request) -> Conversations:
    return state_of(request).conversations


def _histories(request: Request) -> Histories:
    return state_of(request).histories


@router.get(
    "/v1/sessions",
    operation_id="sessions_list",
    summary="List the sessions",
    description="The newest first, page by page.",
    responses={
        200: schema_of(SessionList, "A page.", examples.SESSION_LIST),
        **problems(422, 503),
    },
    response_class=Response,
)
async def list_sessions(
    request: Request,
    before: Annotated[
        str | None,
        Query(
            max_length=200,
            description="`next` of the page before; without it the newest are listed.",
            examples=["1795982225.3~session-1"],
        ),
    ] = None,
    limit: Annotated[
        int,
        Query(ge=1, le=MAX_PAGE, description="How many a page has at most.", examples=[200]),
    ] = MAX_PAGE,
) -> Response:
    """Return a page of the sessions."""
    return json_response(await _conversations(request).list(before, limit))


@router.post(
    "/v1/sessions/{session_id}/messages",
    operation_id="sessions_add_message",
    summary="Keep a user message",
    description="Creates the session if it is new. Context records are stored as they were "
    "sent, without bytes (`dataUrl`). A record that cannot be used is left out and named in "
    "`unavailable`; the others are stored. A message that is sent again with its id is stored "
    "once and gets the first answer; other content under that id is refused.",
    openapi_extra=body_of(MessageBody, examples.MESSAGE_BODY),
    responses={
        201: schema_of(CreatedMessage, "It has been kept.", examples.CREATED_MESSAGE),
        **problems(400, 409, 413, 415, 422, 503),
    },
    status_code=201,
    response_class=Response,
)
async def add_message(request: Request, session_id: SessionId) -> Response:
    """Keep a user message."""
    body = await read_model(request, MessageBody, MESSAGE_LIMIT, read_records)
    message_id = body.id or state_of(request).new_id()
    created = await _conversations(request).add_message(
        session_id, message_id, body.text, body.context, dict(body.attachments)
    )
    return json_response(created, 201)


@router.get(
    "/v1/sessions/{session_id}",
    operation_id="sessions_get",
    summary="Read a session again",
    description="Messages and turns in order, each answer with the same sources and citations as "
    "when it ended.",
    responses={
        200: schema_of(Session, "The session.", examples.SESSION),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def get(
    request: Request,
    session_id: SessionId,
    after: Annotated[
        int,
        Query(
            ge=0,
            le=10**12,
            description="The position after which to begin; positions count from 1.",
            examples=[0],
        ),
    ] = 0,
    limit: Annotated[
        int,
        Query(ge=1, le=MAX_PAGE, description="How many items a page has at most.", examples=[200]),
    ] = MAX_PAGE,
) -> Response:
    """Return a page of a session."""
    return json_body(await _conversations(request).session(session_id, after, limit))


@router.get(
    "/v1/sessions/{session_id}/history",
    operation_id="sessions_history",
    summary="The conversation for the next call of a model",
    description="What was said, in order, clean unless the markers are asked for. Turns that still "
    "run and answers without text are left out. With `for=anthropic` it begins with a user message "
    "and has no white space where that provider refuses it.",
    responses={
        200: schema_of(History, "The conversation.", examples.HISTORY),
        **problems(404, 422, 503),
    },
    response_class=Response,
)
async def history(
    request: Request,
    session_id: SessionId,
    provider: Annotated[
        Literal["openai", "anthropic", "text"],
        Query(alias="for", description="Whose form the messages take.", examples=["openai"]),
    ] = "openai",
    markers: Annotated[
        Literal["clean", "raw", "restore"],
        Query(
            description="Which markers answers have: `clean` none, `raw` those that the model "
            "wrote, `restore` one for each citation that was resolved, so that nothing invalid "
            "teaches the model. A citation that the turn's dialect cannot spell is left out.",
            examples=["clean"],
        ),
    ] = "clean",
    numbers: Annotated[
        Literal["keep", "strip"] | None,
        Query(
            description="Whether earlier answers keep the numbers of their own sources (`[1]`), "
            "which mean another list in the next turn. The default is `strip`, and `keep` "
            "with `for=text`.",
            examples=["strip"],
        ),
    ] = None,
) -> Response:
    """Return the conversation."""
    found = await _histories(request).history(session_id, provider, markers, numbers)
    cost = sum(len(one["content"]) for one in found["messages"])
    return json_body(await offload(lambda: dumps(found), cost=cost))


@router.get(
    "/v1/sessions/{session_id}/export",
    operation_id="sessions_export",
    summary="The conversation for people",
    description="What was said, in order: each answer with its markers and the list of its "
    "sources, as `/v1/render` shows it. Turns that still run are left out. HTML is sanitised, a "
    "section for each message.",
    responses={
        200: {
            "description": "The conversation.",
            "content": {media: {"schema": {"type": "string"}} for media in EXPORT_MEDIA.values()},
        },
        **problems(404, 413, 422, 503),
    },
    response_class=Response,
)
async def export(
    request: Request,
    session_id: SessionId,
    to: Annotated[
        Form, Query(description="The form of the answer.", examples=["markdown"])
    ] = "markdown",
) -> Response:
    """Return the conversation for people."""
    text = await _histories(request).export(session_id, to)
    # What models and users wrote is shown, and may do nothing.
    headers = {"Content-Security-Policy": "default-src 'none'; sandbox"} if to == "html" else {}
    media = f"{EXPORT_MEDIA[to]}; charset=utf-8"
    return Response(text.encode(), media_type=media, headers=headers)


@router.delete(
    "/v1/sessions/{session_id}",
    operation_id="sessions_delete",
    summary="Remove a session",
    description="The session with its messages and turns; followers of its turns end.",
    responses={204: {"description": "It is gone."}, **problems(404, 422, 503)},
    status_code=204,
    response_class=Response,
)
async def delete(request: Request, session_id: SessionId) -> Response:
    """Remove a session."""
    await _conversations(request).delete(session_id)
    return Response(status_code=204)
