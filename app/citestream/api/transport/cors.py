"""Calls from browsers: which origins may, and a refusal in the form of every other.

Must not know which routes there are.
"""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from citestream.api.transport.problems import respond
from citestream.service.problems import BAD_REQUEST, Problem


class Cors(CORSMiddleware):
    """Lets pages of exactly these origins call the service and read its answers."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=["GET", "HEAD", "POST", "DELETE"],
            # Any: origins are named exactly, and clients of vendors send dozens of their own.
            allow_headers=["*"],
            allow_credentials=True,
            expose_headers=["Retry-After", "X-Request-Id"],
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser that asks whether it may call."""
        allowed = super().preflight_response(request_headers)
        if allowed.status_code == 200:
            return allowed
        refused = respond(Problem(BAD_REQUEST, "origin: it or the method is not allowed"))
        for name, value in allowed.headers.items():
            if name not in refused.headers:
                refused.headers[name] = value
        return refused
