"""Answers in JSON that are made of plain values; must not know what the values mean."""

from typing import Any

from fastapi import Response

from citestream.wire.json_text import dumps


def json_response(value: Any, status: int = 200) -> Response:
    """Return the answer whose body is ``value``, in JSON."""
    return json_body(dumps(value), status)


def json_body(body: bytes, status: int = 200) -> Response:
    """Return the answer whose body is a JSON text already."""
    return Response(body, status_code=status, media_type="application/json")
