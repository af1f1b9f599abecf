"""The routes of the way back: raw answers made, cut and renamed."""

from typing import Any, Final

from starlette.datastructures import State

from citestream.api.operations import RENDER_LIMIT, RENDER_WEIGHT, Operation, operation_router
from citestream.api.schemas import markers as schemas
from citestream.citations import namespace, restore_markers, truncate


def _restore(body: dict[str, Any], _state: State) -> dict[str, Any]:
    return {"raw": restore_markers(**body)}


def _truncate(body: dict[str, Any], _state: State) -> dict[str, Any]:
    return {"raw": truncate(**body)}


def _namespace(body: dict[str, Any], _state: State) -> dict[str, Any]:
    return {"raw": namespace(**body)}


OPERATIONS: Final = (
    Operation(
        "/v1/markers/restore",
        "Put markers back into a clean text",
        "Writes one marker for each citation at its offset, so that a model can read its own "
        "earlier answer with its citations. Reading the result gives the same text and the same "
        "citations.",
        "citestream.restore_markers",
        schemas.MarkersRestoreBody,
        schemas.RawAnswer,
        _restore,
        RENDER_LIMIT,
        weight=RENDER_WEIGHT,
    ),
    Operation(
        "/v1/markers/truncate",
        "Cut a raw answer",
        "Returns the longest beginning of at most `limit` code points that ends inside no marker.",
        "citestream.truncate",
        schemas.MarkersTruncateBody,
        schemas.RawAnswer,
        _truncate,
        RENDER_LIMIT,
        weight=RENDER_WEIGHT,
    ),
    Operation(
        "/v1/markers/namespace",
        "Put the ids of a raw answer under a prefix",
        "Renames each cited id to `prefix.id` and gives each source a marker of its own, so that "
        "the answers of several models can be quoted in one.",
        "citestream.namespace",
        schemas.MarkersNamespaceBody,
        schemas.NamespacedAnswer,
        _namespace,
        RENDER_LIMIT,
        weight=RENDER_WEIGHT,
    ),
)

router = operation_router("markers", OPERATIONS)
