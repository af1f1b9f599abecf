"""The routes that tell the state of the process."""

from fastapi import APIRouter, Response

from citestream.api.document import problems, schema_of
from citestream.api.schemas import Health
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
async def readyz() -> Response:
    """Answer 200 while new work is taken."""
    return Response(_OK, media_type="application/json")
