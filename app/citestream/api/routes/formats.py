"""The route that lists the stream formats."""

from fastapi import APIRouter, Response

from citestream.api.openapi import schema_of
from citestream.api.schemas.formats import FormatTable
from citestream.service.formats import table
from citestream.wire.json_text import dumps

router = APIRouter(tags=["answers"])

_TABLE = {"formats": table()}
_BODY = dumps(_TABLE)


@router.get(
    "/v1/formats",
    operation_id="formats",
    summary="The stream formats",
    description="Lists what `from` and `to` may name. A vendor's format with a `filter` may be "
    "both: the same stream leaves without markers, with its citations in the vendor's own places. "
    "Any other pair needs the `reader` of `from` and the `writer` of `to`.",
    responses={200: schema_of(FormatTable, "The table.", _TABLE)},
    response_class=Response,
)
async def formats() -> Response:
    """Return the table of formats."""
    return Response(_BODY, media_type="application/json")
