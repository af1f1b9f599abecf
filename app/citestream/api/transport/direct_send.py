"""The server's own ``send``, for the body of a response whose head has passed the middlewares.

Each middleware that looks at responses wraps ``send``, and each frame of a stream would pass all
the wrappers, though they care for the head alone. Must not know what is sent.
"""

from collections.abc import Awaitable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

_KEY: Final = "citestream.send"


class DirectSend:
    """The outermost layer of an application: keeps the server's ``send`` in the scope."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Call the application; no frame of a coroutine is put around it."""
        if scope["type"] == "http":
            scope.setdefault("extensions", {})[_KEY] = send
        return self.app(scope, receive, send)


def direct_send(scope: Scope, send: Send) -> Send:
    """Return what sends a body: the server's ``send`` where it was kept, else the wrapped one."""
    found: Send = scope.get("extensions", {}).get(_KEY, send)
    return found
