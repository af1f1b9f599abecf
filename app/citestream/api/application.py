"""The ASGI application itself: FastAPI's, which serves our document and sends bodies directly.

Must not know which routes it has.
"""

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from citestream.api.openapi import document
from citestream.api.transport.cors import Cors
from citestream.api.transport.direct_send import past_middlewares


class Application(FastAPI):
    """An application that describes itself whole, with its streams and bodies."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; it is made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self)
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        """Return all layers; bodies of streams are sent past those that care for heads alone."""
        return past_middlewares(super().build_middleware_stack(), self.user_middleware, {Cors})
