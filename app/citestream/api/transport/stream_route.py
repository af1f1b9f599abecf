"""A route whose endpoint reads the request by hand and answers with a stream.

Must not know what is asked or answered. FastAPI's own way to call an endpoint keeps the request,
two stacks for dependencies and three coroutines for as long as the response runs: 5 KiB for each
stream, a sixth of all that it takes.
"""

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send


class StreamRoute(APIRoute):
    """Documents an endpoint as FastAPI does, and calls it with the request alone.

    The endpoint declares no parameters but the request, since none are read here. What it raises is
    answered by the handlers of the application.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to this address."""
        if scope["method"] not in (self.methods or ()):
            await super().handle(scope, receive, send)
            return
        response = await self.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)
