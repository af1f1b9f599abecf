"""The route that brings both kinds of citation to the reader in one form."""

from typing import Any, Final

from starlette.datastructures import State

from citestream.api.operations import RENDER_LIMIT, RENDER_WEIGHT, Operation, operation_router
from citestream.api.schemas.sources import RenderBody, Rendered
from citestream.rendering import render
from citestream.sources.operations import sources_from_json


def _render(body: dict[str, Any], state: State) -> dict[str, Any]:
    rendered = render(
        body["text"],
        body.get("citations", ()),
        sources_from_json(body.get("sources", ())),
        to=body["to"],
        parts=body.get("parts", ()),
        part_numbers=body.get("part_numbers", {}),
        marker_style=body.get("marker_style", "brackets"),
        preset=state.preset,
    )
    return {"text": rendered.text, "cited": rendered.cited, "listed": rendered.listed}


OPERATIONS: Final = (
    Operation(
        "/v1/render",
        "A text with its citations, for a reader",
        "Puts a marker at each citation of a clean text, links the markers `[n]` of numbered "
        "sources, and lists under it what is cited. Sources keep their number; a cited part whose "
        "address is that of a source takes the source's number, the others count on from the "
        "highest, and parts of one source share a number. A citation with a `target` leads where "
        "the product's templates of links say.",
        "citestream.render",
        RenderBody,
        Rendered,
        _render,
        RENDER_LIMIT,
        weight=RENDER_WEIGHT,
    ),
)

router = operation_router("rendering", OPERATIONS)
