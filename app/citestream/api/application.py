"""The ASGI application itself: FastAPI's, in its layers, which serves our document.

Must not know which routes it has.
"""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from citestream.api.openapi import document
from citestream.api.transport.direct_send import DirectSend


class Application(FastAPI):
    """An application that describes itself whole, with its streams and bodies.

    ``around`` wraps it from the inside out. What FastAPI itself adds as middleware is inside of the
    layer that answers for faults of this program, so its fields would be missing there. None of
    ``around`` may change the body of an answer: bodies of streams are sent past them.
    """

    def __init__(
        self, *, around: Sequence[Callable[[ASGIApp], ASGIApp]] = (), **named: Any
    ) -> None:
        super().__init__(**named)
        self._around = around

    def build_middleware_stack(self) -> ASGIApp:
        """Return the application in its layers.

        A middleware that somebody added gets to see the bodies of streams, too.
        """
        stack = super().build_middleware_stack()
        for wrap in self._around:
            stack = wrap(stack)
        return stack if self.user_middleware else DirectSend(stack)

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; it is made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self)
        return self.openapi_schema
