"""Answers in JSON that are made of plain values; must not know what the values mean."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from citestream.wire.json_text import dumps


def json_response(value: Any, status: int = 200) -> Response:
    """Return the answer whose body is ``value``, in JSON."""
    return json_body(dumps(value), status)


def json_body(body: bytes, status: int = 200) -> Response:
    """Return the answer whose body is a JSON text already."""
    return Response(body, status_code=status, media_type="application/json")


class InPieces(Response):
    """An answer of many bytes, sent piece by piece: each is copied, and waits for the client."""

    def __init__(self, pieces: Sequence[bytes], media_type: str) -> None:
        length = str(sum(map(len, pieces)))
        super().__init__(media_type=media_type, headers={"content-length": length})
        self._pieces = pieces

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the head and the pieces."""
        head = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **head})
        for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
