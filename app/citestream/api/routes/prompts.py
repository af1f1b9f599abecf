"""The route that hands out what teaches a model to cite."""

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Request, Response

import citestream
from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, problems, schema_of
from citestream.api.schemas.answers import Prompt, PromptBody
from citestream.api.schemas.examples import PROMPT, PROMPT_BODY
from citestream.api.transport.body import MIB, parsed, read_json
from citestream.service.offload import offload
from citestream.service.problems import problem_of
from citestream.targets import Preset
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
    shown = await offload(lambda: _prompt(parsed(body, PromptBody), preset), cost=len(body))
    return Response(shown, media_type="application/json")


def _prompt(body: PromptBody, preset: Preset) -> bytes:
    index = 0

    def parts() -> Iterator[citestream.PartInput]:
        nonlocal index
        for index, part in enumerate(body.parts):  # noqa: B007 - an error is told with it
            yield part.value()

    try:
        return dumps(citestream.prompt(parts(), style=body.style, preset=preset))
    except citestream.PartError as error:
        raise problem_of(error, f"parts[{index}].") from None
