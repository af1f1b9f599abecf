"""Request bodies: counted while they arrive, read strictly, checked field by field."""

import asyncio
import math
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

from fastapi import Request
from pydantic import BaseModel
from starlette.requests import ClientDisconnect

from citestream.api.transport.chunks import RequestBody
from citestream.service.offload import offload
from citestream.service.problems import BODY_TIMEOUT, MEDIA_TYPE, TOO_LARGE, Problem
from citestream.wire.input.parts import MAX_DEPTH
from citestream.wire.input.reading import read_as
from citestream.wire.json_text import loads

MIB: Final = 1024 * 1024
BODY_SECONDS: Final = 30.0
"""A body that is read as a whole must be there so long after its head."""

Model = TypeVar("Model", bound=BaseModel)


def media_type(request: Request) -> str:
    """Return the body's media type; refuse a charset other than UTF-8 and any content encoding."""
    kind, *parameters = request.headers.get("content-type", "").split(";")
    for parameter in parameters:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "charset" and value.strip('"').lower() not in ("utf-8", "utf8"):
            raise Problem(MEDIA_TYPE, "content-type: the charset must be utf-8")
    encodings = request.headers.getlist("content-encoding")
    if any(encoding.lower() != "identity" for encoding in encodings):
        raise Problem(MEDIA_TYPE, "content-encoding: only identity is read")
    return kind.strip().lower()


def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON."""
    if media_type(request) != "application/json":
        raise Problem(MEDIA_TYPE, "content-type: must be application/json")


async def read_bytes(request: Request, limit: int) -> bytes:
    """Return the body, at most ``limit`` bytes; more is refused before it is kept."""
    return b"".join(await read_chunks(request, limit))


async def read_chunks(request: Request, limit: int) -> list[bytes]:
    """Return the same in the chunks in which it arrived."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body, chunks = incoming(request, limit), list[bytes]()
            while chunk := await body.read():
                chunks.append(chunk)
            return chunks
    except TimeoutError:
        raise _too_slow(f"body: must be there within {BODY_SECONDS:g} s") from None


def incoming(request: Request, limit: int, idle: float = math.inf) -> RequestBody:
    """Return the body, to be read as it arrives; one that is declared longer is refused at once.

    A body of more than ``limit`` bytes is refused, and a client that sends nothing for ``idle``
    seconds.
    """
    refusal = Problem(TOO_LARGE, f"body: at most {limit} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and declared.isascii() and int(declared[:20]) > limit:
        raise refusal
    late = _too_slow(f"body: a pause of at most {idle:g} s")
    body = RequestBody(limit, refusal, idle, late)
    body.connect(request.receive, _gone)
    return body


def _gone() -> NoReturn:
    raise ClientDisconnect


def _too_slow(detail: str) -> Problem:
    return Problem(BODY_TIMEOUT, detail, headers={"Connection": "close"})


async def read_json(request: Request, limit: int) -> bytes:
    """Return the body of a request that declares JSON. Raises :class:`Problem`."""
    require_json(request)
    return await read_bytes(request, limit)


async def read_model(
    request: Request,
    model: type[Model],
    limit: int,
    read: Callable[[bytes], Any] | None = None,
) -> Model:
    """Read a JSON body as ``model``. Raises :class:`Problem` or an input error.

    ``read`` reads the JSON in place of :func:`~citestream.wire.input.reading.read_as`.
    """
    body = await read_json(request, limit)
    return await offload(lambda: read_as(body, model, read=read), cost=len(body))


def read_strictly(body: bytes) -> Any:
    """Read JSON. Raises :class:`~citestream.wire.json_text.JsonInputError`."""
    return loads(body, depth_limit=MAX_DEPTH)
