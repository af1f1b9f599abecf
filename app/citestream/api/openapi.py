"""The OpenAPI document: what the routes declare, and the components they refer to.

FastAPI describes the routes; bodies are read by hand (their bytes are counted while they arrive),
so their schemas are put in here, and a stream is described as the union of its events, which is
what generators of clients read.
"""

from collections.abc import Iterable
from typing import Any, Final, get_args

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaMode,
    JsonSchemaValue,
    models_json_schema,
)
from pydantic_core import core_schema

from citestream._version import __version__
from citestream.api.schemas.events import StreamEvent
from citestream.api.schemas.examples import INPUT_LINES, STREAM_EVENTS
from citestream.api.schemas.problems import Problem
from citestream.api.schemas.targets import declared_schemas
from citestream.api.transport.cursor import PATTERN
from citestream.targets import DeclaredKind
from citestream.wire.formats import FORMATS
from citestream.wire.formats.positions import Unit
from citestream.wire.input.events import InputLine

NDJSON_BODY: Final = "x-ndjson-body"
"""Of an operation: what each line of a body of ``application/x-ndjson`` is."""
VENDOR_BODY: Final = "x-event-stream-body"
"""Of an operation: what a body of ``text/event-stream`` is."""
_REF: Final = "#/components/schemas/{model}"
_DECLARED: Final[dict[tuple[type[BaseModel], JsonSchemaMode], tuple[Any, ...]]] = {}
"""The models that routes name through the functions below, and examples of each.

The components are made of them.
"""
_PROBLEMS: Final = {
    400: "The request cannot be read.",
    404: "Not found.",
    408: "The request body timed out.",
    409: "The request conflicts with what is there.",
    410: "The events after this id are no longer kept; the turn itself is.",
    413: "The body, or the number of values in it, is over the limit.",
    415: "The body has a type or encoding that is not read.",
    422: "A request field is invalid; `errors` names the field and its limit.",
    431: "The request line with its query is longer than 16 KiB.",
    503: "The service takes no new work now; try again later.",
}

DESCRIPTION: Final = """\
The citation layer between a language model and its readers. It removes inline citation markers \
from raw answers, resolves each against the data that the answer was made from, and returns clean \
text and citations. Markers are made of the private-use characters U+E200, U+E201 and U+E202, \
which no font shows; the examples at `/docs` write them as JSON escapes (`\\ue200`). Offsets \
count code points. Every error is a problem object (RFC 9457) and repeats nothing of what was \
sent. A request head may be refused before its route is known: with 400 if it is not HTTP/1.1, \
408 if it is not complete within 10 seconds, 431 if it has more than 16 KiB or 64 fields."""


def _content(model: type[BaseModel], mode: JsonSchemaMode, *examples: Any) -> dict[str, Any]:
    _DECLARED[model, mode] = examples
    return {"schema": {"$ref": _REF.format(model=model.__name__)}}


def body_of(
    model: type[BaseModel],
    example: Any,
    *,
    ndjson: bool = False,
    cursor: bool = False,
    formats: bool = False,
) -> dict[str, Any]:
    """Describe a request body, with ``cursor`` also the ``Last-Event-ID`` header, with ``formats``
    also the parameters that say which stream it is.

    A body of lines and a vendor's stream are described apart, in :data:`NDJSON_BODY` and
    :data:`VENDOR_BODY`: of two media types in one body some generators (orval 8) send neither, and
    none of them can write lines.
    """
    content = {"application/json": _content(model, "validation", example)}
    described: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    if ndjson:
        described[NDJSON_BODY] = _content(InputLine, "validation", *INPUT_LINES)
    if formats:
        described[VENDOR_BODY] = {"schema": {"type": "string"}, "example": _VENDOR_STREAM}
    if cursor:
        described["parameters"] = [
            {
                "name": "Last-Event-ID",
                "in": "header",
                "required": False,
                "description": "The id of the last event that the reader has, if any; the "
                "stream continues after it.",
                "schema": {"type": "string", "pattern": PATTERN, "examples": ["7"]},
            }
        ]
    if formats:
        described.setdefault("parameters", []).extend(_FORMAT_PARAMETERS)
    return described


def _query(name: str, description: str, choices: list[str]) -> dict[str, Any]:
    schema = {"type": "string", "enum": choices, "examples": choices[-1:]}
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
    }


_FORMAT_PARAMETERS: Final = (
    _query("from", "The format of the body; `native` by default.", list(FORMATS)),
    _query("to", "The format of the answer; `native` by default.", list(FORMATS)),
    _query(
        "offset_unit",
        "The unit of offsets in the vendor's own places, in place of the one that its users "
        "assume: code points (`rune`), UTF-16 code units or bytes of UTF-8.",
        list(get_args(Unit)),
    ),
    _query("markers", "What becomes of markers: they are taken out.", ["strip"]),
)
_VENDOR_STREAM: Final = (
    'event: citestream\ndata: {"type":"part","tool_name":"search","data":"a fact"}\n\n'
    'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"A fact."}}]}'
    "\n\ndata: [DONE]\n\n"
)


def schema_of(model: type[BaseModel], description: str, example: Any) -> dict[str, Any]:
    """Describe a JSON answer."""
    content = {"application/json": _content(model, "serialization", example)}
    return {"description": description, "content": content}


def event_stream() -> dict[str, Any]:
    """Describe a stream: the schema is one event's, for a stream has no schema of its own."""
    content = _content(StreamEvent, "serialization", *STREAM_EVENTS)
    return {
        "description": "Server-sent events; `data:` of each is one `StreamEvent`.",
        "content": {"text/event-stream": content},
    }


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals of a route; a body that may be too large may also be too slow."""
    if 413 in statuses:
        statuses = tuple(sorted({*statuses, 408}))
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": _content(Problem, "serialization")},
        }
        for status in statuses
    }


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application: its routes, and the components they name."""
    described = get_openapi(
        title="citestream",
        version=__version__,
        openapi_version="3.1.0",
        description=DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=[
            {"name": "answers", "description": "Raw answers in, clean text and citations out."},
            {
                "name": "turns",
                "description": "Answers that outlive their connection: push, follow, resume, read.",
            },
            {"name": "sessions", "description": "Turns and user messages, in order."},
            {"name": "prompts", "description": "What the model is shown."},
            {"name": "rendering", "description": "Citations as a reader sees them."},
            {"name": "sources", "description": "Numbered web sources. Pure."},
            {"name": "targets", "description": "What citations point at, typed. Pure."},
            {"name": "context", "description": "What a user's message points at. Pure."},
            {"name": "operation", "description": "The state of the process."},
        ],
        routes=app.routes,
    )
    _, definitions = models_json_schema(
        list(_DECLARED), ref_template=_REF, schema_generator=_Schemas
    )
    components = described.setdefault("components", {})
    components["schemas"] = dict(sorted(definitions["$defs"].items()))
    for (model, _), examples in _DECLARED.items():
        if examples:
            components["schemas"][model.__name__]["examples"] = list(examples)
    _declare_targets(components["schemas"], app.state.preset.kinds.values())
    _fill_examples(components["schemas"])
    return described


def _declare_targets(schemas: dict[str, Any], kinds: Iterable[DeclaredKind]) -> None:
    """Add the kinds that the product declares to the union of targets."""
    union = schemas["Target"]
    for kind, name, schema in declared_schemas(kinds):
        schemas[name] = schema
        union["oneOf"].append({"$ref": _REF.format(model=name)})
        union["discriminator"]["mapping"][kind] = _REF.format(model=name)


def _fill_examples(schemas: dict[str, Any]) -> None:
    """Give each field that holds other schemas the example that theirs make."""
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            if "examples" not in field and "const" not in field:
                field["examples"] = [_example(field, schemas)]


def _example(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if "examples" in schema:
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _example(choices[0], schemas)
    if schema["type"] == "array":
        return [_example(schema["items"], schemas)]
    fields = schema["properties"]
    return {name: _example(fields[name], schemas) for name in schema.get("required", fields)}


class _Schemas(GenerateJsonSchema):
    """Schemas as generators of clients need them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Set none: titles would only repeat the fields' names."""
        del schema
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Leave answers open: a reader ignores fields it does not know."""
        shown = super().model_schema(schema)
        if self.mode == "serialization":
            shown.pop("additionalProperties", None)
        return shown

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Describe a field that an answer may leave out without the null that it never is."""
        inner = schema["schema"]
        if self.mode == "serialization" and inner["type"] == "nullable":
            return self.generate_inner(inner["schema"])
        return super().default_schema(schema)
