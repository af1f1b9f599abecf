"""The route that hands out what teaches a model to cite."""

from typing import Final

from fastapi import APIRouter, Request, Response

from citestream import Turn
from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, problems, schema_of
from citestream.api.schemas.examples import PROMPT, PROMPT_BODY
from citestream.api.schemas.prompts import Prompt, PromptBody
from citestream.api.transport.body import MIB, read_json
from citestream.service.offload import offload
from citestream.service.problems import refused_as
from citestream.targets import Preset
from citestream.turns import refused_json
from citestream.wire.input.reading import read_as
from citestream.wire.json_text import dumps

BODY_LIMIT: Final = 16 * MIB

router = APIRouter(tags=["prompts"])


@router.post(
    "/v1/prompt",
    operation_id="prompt",
    summary="Instructions and data for the model",
    description="The paragraph that teaches a model to cite, and each part formatted so that it "
    "can be cited by id, line and pointer. Pure, safe to repeat, the same as `citestream.prompt`.",
    openapi_extra=body_of(PromptBody, PROMPT_BODY),
    responses={200: schema_of(Prompt, "The prompt.", PROMPT), **problems(400, 409, 413, 415, 422)},
    response_class=Response,
)
async def prompt(request: Request) -> Response:
    """Format parts for the model."""
    body = await read_json(request, BODY_LIMIT)
    preset = state_of(request).preset
    shown = await offload(lambda: _prompt(read_as(body, PromptBody), preset), cost=len(body))
    return Response(shown, media_type="application/json")


def _prompt(body: PromptBody, preset: Preset) -> bytes:
    turn = Turn(preset=preset)
    for index, part in enumerate(body.parts):
        with refused_as(f"parts[{index}]."):
            turn.accept(part.value())
    return dumps({**turn.prompt(style=body.style), **refused_json(turn.refused())})
