"""Every refusal as ``application/problem+json``; the server's own faults without their reasons."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from citestream.service.problems import (
    BAD_CURSOR,
    BAD_REQUEST,
    BODY_TIMEOUT,
    CURSOR_AHEAD,
    CURSOR_GONE,
    ENDED,
    EVENT_ORDER,
    EXISTS,
    FORBIDDEN,
    INPUT_ERRORS,
    INTERNAL,
    INVALID_INPUT,
    KEY_REUSED,
    MALFORMED_JSON,
    MEDIA_TYPE,
    MESSAGE_CONFLICT,
    METHOD,
    MISDIRECTED,
    NOT_FOUND,
    NOT_READY,
    OUT_OF_STEP,
    PART_CONFLICT,
    STORE_BUSY,
    STORE_FULL,
    TOO_LARGE,
    Problem,
    ProblemType,
    problem_of,
)
from citestream.stores.port import StoreError, StoreFullError
from citestream.telemetry.logs import log_failure
from citestream.wire.input.errors import FieldProblem
from citestream.wire.json_text import dumps

PROBLEM_JSON: Final = "application/problem+json"

TOO_MANY_STREAMS: Final = ProblemType("too-many-streams", "Too many open streams")
RESULT_TOO_LONG: Final = ProblemType("result-too-long", "Result too long")
HEAD_TOO_LARGE: Final = ProblemType("head-too-large", "Request head too large")
HEAD_TIMEOUT: Final = ProblemType("head-timeout", "Request head timed out")

STATUSES: Final[Mapping[ProblemType, int]] = MappingProxyType(
    {
        BAD_CURSOR: 400,
        BAD_REQUEST: 400,
        MALFORMED_JSON: 400,
        FORBIDDEN: 403,
        NOT_FOUND: 404,
        METHOD: 405,
        BODY_TIMEOUT: 408,
        CURSOR_AHEAD: 409,
        ENDED: 409,
        EXISTS: 409,
        MESSAGE_CONFLICT: 409,
        OUT_OF_STEP: 409,
        PART_CONFLICT: 409,
        CURSOR_GONE: 410,
        TOO_LARGE: 413,
        MEDIA_TYPE: 415,
        MISDIRECTED: 421,
        EVENT_ORDER: 422,
        INVALID_INPUT: 422,
        KEY_REUSED: 422,
        INTERNAL: 500,
        NOT_READY: 503,
        STORE_BUSY: 503,
        STORE_FULL: 503,
        RESULT_TOO_LONG: 422,
        HEAD_TIMEOUT: 408,
        HEAD_TOO_LARGE: 431,
        TOO_MANY_STREAMS: 503,
    }
)
"""The HTTP status of each type of problem."""

_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


def problem_object(problem: Problem) -> dict[str, Any]:
    """Return the problem as a JSON object (RFC 9457).

    Its keys are ``type``, ``title``, ``status``, ``detail``, the numbers of ``extra``, and
    ``errors`` (each ``{"field", "problem"}``) where fields are named.
    """
    shown: dict[str, Any] = {
        "type": problem.type.urn,
        "title": problem.type.title,
        "status": STATUSES[problem.type],
        "detail": problem.detail,
        **problem.extra,
    }
    if problem.fields:
        shown["errors"] = [{"field": name, "problem": text} for name, text in problem.fields]
    return shown


def respond(problem: Problem) -> Response:
    """Return the response for a problem."""
    return Response(
        dumps(problem_object(problem)),
        status_code=STATUSES[problem.type],
        media_type=PROBLEM_JSON,
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

    async def refused(_: Request, error: Exception) -> Response:
        if isinstance(error, Problem):
            return respond(error)
        if isinstance(error, INPUT_ERRORS):
            return respond(problem_of(error))
        raise error

    async def store(_: Request, error: Exception) -> Response:
        kind = STORE_FULL if isinstance(error, StoreFullError) else STORE_BUSY
        log_failure("store_failed", error)
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
        return respond(Problem(INVALID_INPUT, "invalid parameter", fields))

    async def gone(_: Request, __: Exception) -> Response:
        # The client went away in its body: there is nobody to tell, and nothing to log.
        return Response(status_code=STATUSES[BAD_REQUEST])

    async def internal(_: Request, error: Exception) -> Response:
        # Values in an exception may be text of a reader's; its kind is all that is logged.
        log_failure("unhandled", error)
        # The server closes the connection behind it: whoever keeps connections is to know.
        return respond(Problem(INTERNAL, INTERNAL.title, headers={"Connection": "close"}))

    app.add_exception_handler(Problem, refused)
    for kind in INPUT_ERRORS:
        app.add_exception_handler(kind, refused)
    app.add_exception_handler(StoreError, store)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, internal)
