"""The routes of numbered web sources (S0)."""

from collections.abc import Callable
from typing import Any, Final

from citestream.api.operations import RENDER_LIMIT, RENDER_WEIGHT, Operation, Work, operation_router
from citestream.api.schemas import sources as schemas
from citestream.rendering import SOURCE_OPERATIONS


def _work(name: str) -> Work:
    operation: Callable[[dict[str, Any]], dict[str, Any]] = SOURCE_OPERATIONS[name]
    return lambda body, _state: operation(body)


OPERATIONS: Final = (
    Operation(
        "/v1/sources/number",
        "Number search results",
        "Gives each address of a turn one number and prints the results so that a model can cite "
        "them. An address that is known keeps its number.",
        "citestream.sources.number_results",
        schemas.SourcesNumberBody,
        schemas.SourcesNumberAnswer,
        _work("number"),
    ),
    Operation(
        "/v1/sources/page",
        "Number a page that was read",
        "Prints a page so that a model can cite it. A page that a search found keeps its number.",
        "citestream.sources.number_page",
        schemas.SourcesPageBody,
        schemas.SourcesPageAnswer,
        _work("page"),
    ),
    Operation(
        "/v1/sources/collect",
        "The sources of a turn",
        "Brings what the calls of a turn added into one list.",
        "citestream.sources.collect",
        schemas.SourcesCollectBody,
        schemas.SourcesCollectAnswer,
        _work("collect"),
    ),
    Operation(
        "/v1/sources/link",
        "Link the markers of an answer",
        "Makes each marker `[n]` of a known source a link; what is no marker stays byte for byte.",
        "citestream.sources.link",
        schemas.SourcesLinkBody,
        schemas.SourcesLinkAnswer,
        _work("link"),
        weight=RENDER_WEIGHT,
    ),
    Operation(
        "/v1/sources/list",
        "List sources",
        "Writes the list that stands under an answer.",
        "citestream.sources.list_block",
        schemas.SourcesListBody,
        schemas.SourcesListAnswer,
        _work("list"),
    ),
    Operation(
        "/v1/sources/render",
        "Link an answer and list its sources",
        "Links the markers and lists under the answer what it cites, or all sources when it cites "
        "none.",
        "citestream.render",
        schemas.SourcesRenderBody,
        schemas.SourcesRenderAnswer,
        _work("render"),
        RENDER_LIMIT,
        weight=RENDER_WEIGHT,
    ),
)

router = operation_router("sources", OPERATIONS)
