"""The OpenAPI document: what the routes declare, and the components they refer to.

FastAPI describes the routes; bodies are read by hand (their bytes are counted while they arrive),
so their schemas are put in here, and a stream is described as the union of its events, which is
what generators of clients read.
"""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from citestream._version import __version__
from citestream.api import schemas, turn_schemas
from citestream.wire import inputs

_REF: Final = "#/components/schemas/{model}"
_BODIES: Final[tuple[type[BaseModel], ...]] = (
    schemas.AnswerBody,
    schemas.PromptBody,
    inputs.InputLine,
    turn_schemas.CreateTurnBody,
    turn_schemas.PushBody,
    turn_schemas.MessageBody,
)
_ANSWERS: Final[tuple[type[BaseModel], ...]] = (
    schemas.Answer,
    schemas.StreamEvent,
    schemas.Prompt,
    schemas.Problem,
    schemas.Health,
    turn_schemas.CreatedTurn,
    turn_schemas.PushAnswer,
    turn_schemas.NextInput,
    turn_schemas.StoredAnswer,
    turn_schemas.RawText,
    turn_schemas.CreatedMessage,
    turn_schemas.Session,
    turn_schemas.History,
)
_PROBLEMS: Final = {
    400: "The request cannot be read.",
    404: "There is nothing at this address.",
    409: "The request conflicts with what is there.",
    410: "The events behind this id are no longer kept; the turn itself is.",
    413: "The body is larger than it may be.",
    415: "The body has a type or encoding that is not read.",
    422: "A field is not what it may be.",
    503: "The service takes no new work at the moment.",
}

DESCRIPTION: Final = """\
The citation layer between a language model and its readers: strips inline citation markers from \
raw answers, resolves each against the data the answer was made from, and gives clean text and \
citations. Offsets count code points. Every error is a problem object (RFC 9457) and repeats \
nothing of what was sent."""


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}


def body_of(
    model: type[BaseModel], *, ndjson: bool = False, cursor: bool = False
) -> dict[str, Any]:
    """Describe a request body (and the ``Last-Event-ID`` header)."""
    content = {"application/json": {"schema": _ref(model)}}
    if ndjson:
        content["application/x-ndjson"] = {"schema": _ref(inputs.InputLine)}
    described: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    if cursor:
        described["parameters"] = [
            {
                "name": "Last-Event-ID",
                "in": "header",
                "required": False,
                "description": "The id of the last event the reader has; the stream goes on "
                "behind it.",
                "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
                "example": "7",
            }
        ]
    return described


def schema_of(model: type[BaseModel], description: str) -> dict[str, Any]:
    """Describe a JSON answer."""
    return {"description": description, "content": {"application/json": {"schema": _ref(model)}}}


def event_stream() -> dict[str, Any]:
    """Describe a stream: the schema is one event's, for a stream has no schema of its own."""
    return {
        "description": "Server-sent events; `data:` of each is one `StreamEvent`.",
        "content": {"text/event-stream": {"schema": _ref(schemas.StreamEvent)}},
    }


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals of a route."""
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": {"schema": _ref(schemas.Problem)}},
        }
        for status in statuses
    }


def install(app: FastAPI) -> None:
    """Let the app serve the whole document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="citestream",
        version=__version__,
        openapi_version="3.1.0",
        description=DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=[
            {"name": "answers", "description": "Raw answers in, clean text and citations out."},
            {"name": "turns", "description": "Answers that outlive their connection."},
            {"name": "sessions", "description": "Turns and user messages, in order."},
            {"name": "prompts", "description": "What goes into the model."},
            {"name": "operation", "description": "The state of the process."},
        ],
        routes=app.routes,
    )
    modes: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((model, "validation") for model in _BODIES),
        *((model, "serialization") for model in _ANSWERS),
    ]
    _, definitions = models_json_schema(modes, ref_template=_REF)
    components = document.setdefault("components", {})
    components["schemas"] = dict(sorted(definitions["$defs"].items()))
    return document
