"""Pure operations as routes: a room has a table of them, and one function makes its routes.

Must not know what an operation does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeAlias

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ValidationError
from starlette.datastructures import State

from citestream.api.dependencies import state_of
from citestream.api.openapi import body_of, problems, schema_of
from citestream.api.transport.body import MIB, read_json, read_strictly
from citestream.api.transport.problems import RESULT_TOO_LONG
from citestream.citations import MarkerInputError
from citestream.context import ContextError, ProviderTextLimitError
from citestream.parts.text import replace_surrogates, rewritten
from citestream.rendering import OffsetError
from citestream.service.offload import offload_apart
from citestream.service.problems import (
    INPUT_ERRORS,
    INVALID_INPUT,
    Problem,
    ProblemType,
    problem_of,
)
from citestream.sources import OutputTooLongError
from citestream.targets import TargetInputError
from citestream.wire.input.errors import FieldProblem, InputError, problems_of
from citestream.wire.json_text import dumps

Work: TypeAlias = Callable[[dict[str, Any], State], dict[str, Any]]
"""The posted object and what the process was started with → the whole answer."""

RENDER_LIMIT: Final = 16 * MIB
"""Bytes of the body of an operation that renders a whole answer."""
RENDER_WEIGHT: Final = 16
"""A text that is nothing but markers takes 8 to 14 microseconds a byte (measured)."""

_DEEPEST_ANSWER: Final = 254
"""What the writer of JSON takes."""

_SLICE: Final = 2_000
"""Items of a list that are written in one call: objects of six fields take about 1 ms."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One pure operation: JSON in, JSON out."""

    path: str
    summary: str
    does: str
    function: str
    """The same in Python, a dotted name."""
    body: type[BaseModel]
    answer: type[BaseModel]
    work: Work
    limit: int = MIB
    """Bytes of the body at most."""
    read: Callable[[bytes], Any] = read_strictly
    weight: int = 1
    """What a byte of the body costs at the slowest, in units of `service.offload`."""

    def operation_id(self) -> str:
        """The path as a name: ``/v1/targets/humanize-url`` is ``targets_humanize_url``."""
        return self.path.removeprefix("/v1/").replace("/", "_").replace("-", "_")


def operation_router(tag: str, operations: Iterable[Operation]) -> APIRouter:
    """Return the routes of a table."""
    router = APIRouter(tags=[tag])
    for operation in operations:
        _OPERATIONS[operation.path] = operation
        router.post(
            operation.path,
            operation_id=operation.operation_id(),
            summary=operation.summary,
            description=f"{operation.does} Pure, safe to repeat, "
            f"the same as `{operation.function}`.",
            openapi_extra=body_of(operation.body, example_of(operation.body)),
            responses={
                200: schema_of(operation.answer, "The answer.", example_of(operation.answer)),
                **problems(400, 413, 415, 422),
            },
            response_class=Response,
        )(_endpoint(operation))
    return router


def example_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the first example of each field, as one object."""
    return {
        field.alias or name: field.examples[0]
        for name, field in model.model_fields.items()
        if field.examples
    }


_OPERATIONS: Final[dict[str, Operation]] = {}
"""Every operation that has a route, by its path: what a process of its own finds one by."""

_SETTINGS: Final = ("preset", "context_settings")
"""What operations read of the process's state, values that can be pickled."""


def _endpoint(operation: Operation) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        body = await read_json(request, operation.limit)
        settings = {name: getattr(state_of(request), name) for name in _SETTINGS}
        outcome = await offload_apart(
            *(_outcome, operation.work.__module__, operation.path, settings, body),
            size=len(body),
            cost=len(body) * operation.weight,
        )
        if isinstance(outcome, _Refusal):
            raise Problem(outcome.type, outcome.detail, outcome.fields, None, **outcome.extra)
        return Response(outcome, media_type="application/json")

    return endpoint


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A problem as a value, which can be pickled."""

    type: ProblemType
    detail: str
    fields: tuple[FieldProblem, ...]
    extra: dict[str, int]


def _outcome(module: str, path: str, settings: dict[str, Any], body: bytes) -> bytes | _Refusal:
    """Return the answer of the operation at ``path``, or why there is none.

    ``module`` has the operation's table; in a process of its own it is not loaded yet.
    """
    import_module(module)
    try:
        return _answer(_OPERATIONS[path], State(settings), body)
    except INPUT_ERRORS as error:
        problem = problem_of(error)
    except Problem as found:
        problem = found
    return _Refusal(problem.type, problem.detail, problem.fields, problem.extra)


def _answer(operation: Operation, state: State, body: bytes) -> bytes:
    value = operation.read(body)
    try:
        operation.body.model_validate(value)
    except ValidationError as error:
        raise InputError(problems_of(error, operation.body)) from None
    try:
        return _written(operation.work(value, state))
    except ProviderTextLimitError as error:
        raise Problem(RESULT_TOO_LONG, str(error), limit=error.limit, over=error.over) from None
    except OutputTooLongError as error:
        raise Problem(RESULT_TOO_LONG, str(error), limit=error.limit) from None
    except (ContextError, MarkerInputError, OffsetError, TargetInputError) as error:
        rule = str(error).removeprefix(error.field).lstrip(": ")
        fields = (FieldProblem(error.field, rule),)
        raise Problem(INVALID_INPUT, f"{error.field}: {rule}", fields) from None


def _written(answer: dict[str, Any]) -> bytes:
    try:
        return b"{%s}" % b",".join(map(_field, answer, answer.values()))
    except UnicodeEncodeError:  # it repeats half of a surrogate pair
        return dumps(rewritten(answer, replace_surrogates, depth_limit=_DEEPEST_ANSWER))


def _field(name: str, value: Any) -> bytes:
    """Write one field of an answer, a long list in slices: one call holds up every thread."""
    if not isinstance(value, list) or len(value) <= _SLICE:
        return dumps({name: value})[1:-1]
    slices = (dumps(value[start : start + _SLICE]) for start in range(0, len(value), _SLICE))
    return b"%s:[%s]" % (dumps(name), b",".join(written[1:-1] for written in slices))
