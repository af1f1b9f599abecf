"""The routes that tell the state of the process."""

from fastapi import APIRouter, Request, Response

from citestream.api.dependencies import state_of
from citestream.api.openapi import problems, schema_of
from citestream.api.schemas.health import Health
from citestream.service.problems import NOT_READY, Problem
from citestream.telemetry.metrics import MEDIA_TYPE
from citestream.wire.json_text import dumps

router = APIRouter(tags=["operation"])

_HEALTH = {"status": "ok"}
_OK = dumps(_HEALTH)


@router.get(
    "/livez",
    operation_id="livez",
    summary="Whether the process runs",
    responses={200: schema_of(Health, "It runs.", _HEALTH)},
    response_class=Response,
)
async def livez() -> Response:
    """Answer as long as the event loop turns."""
    return Response(_OK, media_type="application/json")


@router.get(
    "/readyz",
    operation_id="readyz",
    summary="Whether the process takes work",
    responses={200: schema_of(Health, "It takes work.", _HEALTH), **problems(503)},
    response_class=Response,
)
async def readyz(request: Request) -> Response:
    """Answer 200 while new work is taken."""
    if state_of(request).streams.draining:
        raise Problem(NOT_READY, "the process is about to stop")
    if not await state_of(request).turns.log.ready():
        raise Problem(NOT_READY, "the store takes no writes")
    return Response(_OK, media_type="application/json")


@router.get(
    "/metrics",
    operation_id="metrics",
    summary="Figures for Prometheus",
    responses={
        200: {
            "description": "Prometheus' text form.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
    response_class=Response,
)
async def metrics(request: Request) -> Response:
    """Return the figures of the process."""
    page = state_of(request).metrics.page()
    return Response(page, media_type=MEDIA_TYPE)
