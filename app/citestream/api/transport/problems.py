"""Every refusal as ``application/problem+json``; the server's own faults without their reasons."""

from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from citestream.service.problems import (
    BAD_REQUEST,
    INPUT_ERRORS,
    INTERNAL,
    INVALID_INPUT,
    METHOD,
    NOT_FOUND,
    STORE_BUSY,
    STORE_FULL,
    Problem,
    problem_of,
)
from citestream.stores.port import StoreError, StoreFullError
from citestream.telemetry.logs import tell_failure
from citestream.wire.input.errors import FieldProblem
from citestream.wire.json_text import dumps

MEDIA_TYPE = "application/problem+json"

_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


def respond(problem: Problem) -> Response:
    """Return the response that tells a problem."""
    return Response(
        dumps(problem.as_json()),
        status_code=problem.kind.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )


def _allowed(request: Request) -> str:
    # Each route knows only its own methods, and an address may have several routes.
    asked = [(method, {**request.scope, "method": method}) for method in _METHODS]
    return ", ".join(
        method
        for method, scope in asked
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    )


def install(app: FastAPI) -> None:
    """Register the handlers, so that no error leaves in another form."""

    async def told(_: Request, error: Exception) -> Response:
        if isinstance(error, Problem):
            return respond(error)
        if isinstance(error, INPUT_ERRORS):
            return respond(problem_of(error))
        raise error

    async def store(_: Request, error: Exception) -> Response:
        kind = STORE_FULL if isinstance(error, StoreFullError) else STORE_BUSY
        tell_failure("store_failed", error)
        return respond(Problem(kind, kind.title, headers={"Retry-After": "5"}))

    async def http(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        kind = {404: NOT_FOUND, 405: METHOD}.get(error.status_code, BAD_REQUEST)
        headers = {"Allow": _allowed(request)} if kind is METHOD else error.headers
        return respond(Problem(kind, kind.title, headers=headers))

    async def invalid(_: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        fields = tuple(
            FieldProblem(".".join(map(str, found["loc"])), found["msg"]) for found in error.errors()
        )
        return respond(Problem(INVALID_INPUT, "a parameter is not what it may be", fields))

    async def gone(_: Request, __: Exception) -> Response:
        # The client went away in its body: there is nobody to tell, and nothing to log.
        return Response(status_code=BAD_REQUEST.status)

    async def internal(_: Request, error: Exception) -> Response:
        # Values in an exception may be text of a reader's; its kind is all that is logged.
        tell_failure("unhandled", error)
        # The server closes the connection behind it: whoever keeps connections is to know.
        return respond(Problem(INTERNAL, INTERNAL.title, headers={"Connection": "close"}))

    app.add_exception_handler(Problem, told)
    for kind in INPUT_ERRORS:
        app.add_exception_handler(kind, told)
    app.add_exception_handler(StoreError, store)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, internal)
