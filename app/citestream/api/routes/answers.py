"""The routes that turn a raw answer into clean text and citations: extract and stream."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from fastapi import APIRouter, Request, Response

from citestream import turns
from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, event_stream, problems, schema_of
from citestream.api.schemas.answers import Answer, AnswerBody
from citestream.api.schemas.examples import ANSWER, ANSWER_BODY
from citestream.api.transport.body import MIB, media_type, read_json
from citestream.api.transport.chunks import RequestBody
from citestream.api.transport.cursor import cursor
from citestream.api.transport.duplex import DuplexStream
from citestream.api.transport.event_stream import EventStream
from citestream.api.transport.problems import problem_object
from citestream.api.transport.stream_route import StreamRoute
from citestream.service.cited_numbers import cited_numbers
from citestream.service.formats import (
    chosen,
    filter_pipe,
    needed_by,
    options_for,
    reader_of,
    view_of,
    writer_of,
)
from citestream.service.offload import offload
from citestream.service.problems import MEDIA_TYPE, TOO_LARGE, Problem
from citestream.service.streaming import Pipe, TurnStream, answer_frames, register_all, stepped
from citestream.targets import Preset
from citestream.telemetry.logs import log_answer
from citestream.turns import Turn
from citestream.wire.formats import PassedOn, Writer
from citestream.wire.formats.native import NATIVE
from citestream.wire.input.reading import read_as
from citestream.wire.json_text import dumps

BODY_LIMIT: Final = 16 * MIB

router = APIRouter(tags=["answers"], route_class=StreamRoute)


def _ended(request: Request) -> Callable[[turns.Answer], None]:
    metrics = state_of(request).metrics

    def ended(answer: turns.Answer) -> None:
        metrics.answered(answer)
        log_answer(answer)

    return ended


def _begun(
    body: AnswerBody,
    preset: Preset | None,
    web_tools: frozenset[str],
    needed: frozenset[turns.Include] = frozenset(),
) -> tuple[Turn, list[dict[str, str]]]:
    """Return the turn with its parts and results, and what the model is to read of these."""
    turn = Turn(
        options=body.options.value(),
        include=needed.union(body.include),
        preset=preset,
        web_tools=web_tools,
        read_numbers=cited_numbers,
    )
    parts, results = (value.value() for value in body.parts), (one.value() for one in body.results)
    return turn, register_all(turn, parts, results)


def _answer(
    body: AnswerBody,
    preset: Preset | None,
    web_tools: frozenset[str],
    at_end: Callable[[turns.Answer], None],
) -> bytes:
    turn, output = _begun(body, preset, web_tools)
    for event in body.events():
        turn.accept(event)
    answer = turn.answer()
    at_end(answer)
    shown = answer.as_json()
    if body.results:
        shown["tool_output"] = output
    return dumps(shown)


@router.post(
    "/v1/extract",
    operation_id="extract",
    summary="Clean text and citations of a whole answer",
    description="Strips the citation markers from a raw answer, resolves each against the parts, "
    "and returns clean text, citations and the artifact for the reader. Pure, safe to repeat, the "
    "same as `citestream.parse`.",
    openapi_extra=body_of(AnswerBody, ANSWER_BODY),
    responses={200: schema_of(Answer, "The answer.", ANSWER), **problems(400, 409, 413, 415, 422)},
    response_class=Response,
)
async def extract(request: Request) -> Response:
    """Answer a whole raw answer at once."""
    state, at_end = state_of(request), _ended(request)
    preset, web_tools = state.preset, state.web_tools
    body = await read_json(request, BODY_LIMIT)
    answer = await offload(
        lambda: _answer(read_as(body, AnswerBody), preset, web_tools, at_end), cost=len(body)
    )
    return Response(answer, media_type="application/json")


@router.post(
    "/v1/stream",
    operation_id="stream",
    summary="Clean text and citations as server-sent events",
    description="With a JSON body, the answer is the events of the whole text. With a body of "
    "`application/x-ndjson`, one input event a line, each line is answered as soon as it "
    "arrives, while the request is still being sent. This needs a client that reads an answer "
    'before its request has ended: Node\'s `fetch` with `duplex: "half"`, `curl -T .` or '
    "aiohttp. To resume, send the same body again with `Last-Event-ID: n`; the stream "
    "continues after event n. If n was the last event, the answer is 204 for a JSON body and "
    "an empty stream for lines. When there is nothing to send for 15 seconds, a comment keeps "
    "the connection open. With `from` and `to` (see `/v1/formats`) the body is a vendor's own "
    "stream, `text/event-stream`: the same format in both gives the same stream without markers, "
    "its citations in the vendor's places. Blocks with `event: citestream` and an input event as "
    "`data` bring the parts.",
    openapi_extra=body_of(AnswerBody, ANSWER_BODY, ndjson=True, cursor=True, formats=True),
    responses={
        200: event_stream(),
        204: {"description": "Event n was the last one; there is nothing more."},
        **problems(400, 409, 413, 415, 422, 503),
    },
    response_class=EventStream,
)
async def stream(request: Request) -> Response:
    """Answer as a stream of events."""
    vendor, target = chosen(request.query_params)
    view = replace(
        view_of(request.query_params, state_of(request).settings.part_url),
        turn_id=state_of(request).new_id(),
    )
    after = cursor(request.headers.get("last-event-id"))
    state, at_end = state_of(request), _ended(request)
    settings, preset, web_tools = state.settings, state.preset, state.web_tools
    writer, needed = writer_of(target, after, view), needed_by(target)
    if media_type(request) == vendor.media_type:
        refusal = Problem(TOO_LARGE, f"body: at most {BODY_LIMIT} bytes")
        lines = RequestBody(BODY_LIMIT, refusal, settings.silence_seconds, timed=False)
        if vendor is target and vendor.filter:
            return DuplexStream(
                filter_pipe(vendor.filter, view, preset, web_tools),
                lines,
                writer=PassedOn,
                streams=state.streams,
                ping=settings.ping_seconds,
                send_timeout=settings.send_seconds,
            )
        options = options_for(target if vendor is NATIVE else vendor)
        turn = Turn(
            options=options,
            include=needed,
            preset=preset,
            web_tools=web_tools,
            read_numbers=cited_numbers,
        )
        stream = TurnStream(turn, writer, problem_object, at_end)
        return DuplexStream(
            Pipe(reader_of(vendor, needed), stream),
            lines,
            writer=type(writer),
            streams=state.streams,
            ping=settings.ping_seconds,
            send_timeout=settings.send_seconds,
        )
    if vendor is not NATIVE:
        raise Problem(MEDIA_TYPE, f"content-type: must be {vendor.media_type}")
    body = await read_json(request, BODY_LIMIT)
    replay = await offload(
        lambda: _replay(read_as(body, AnswerBody), writer, needed, preset, web_tools, at_end),
        cost=len(body),
    )
    if replay is None:
        return Response(status_code=204)
    return EventStream(
        stepped(replay, cost=len(body)),
        writer=type(writer),
        streams=state.streams,
        ping=settings.ping_seconds,
        send_timeout=settings.send_seconds,
    )


def _replay(
    body: AnswerBody,
    writer: Writer,
    needed: frozenset[turns.Include],
    preset: Preset | None,
    web_tools: frozenset[str],
    at_end: Callable[[turns.Answer], None],
) -> Iterator[bytes] | None:
    """Return the frames that the reader has not had; None when there are none."""
    stream = TurnStream(_begun(body, preset, web_tools, needed)[0], writer, problem_object, at_end)
    frames = answer_frames(stream, body.events())
    if not writer.after:
        return frames
    # How far the answer goes is known when it has been made.
    made = list(frames)
    if stream.is_behind:
        raise stream.cursor_problem()
    return iter(made) if stream.has_news else None
