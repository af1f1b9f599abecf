"""Bodies of streams pass by the middlewares that look at heads alone, and by no others."""

import asyncio
from typing import Any

from starlette.middleware import Middleware

from citestream.api.transport.direct_send import direct_send, past_middlewares

Message = dict[str, Any]


class Heads:
    """A middleware that wraps ``send``."""


class Bodies:
    """Another one."""


async def answers(scope: Any, receive: Any, send: Any) -> None:
    """An application whose middleware wraps ``send``, and which sends a head and a body."""

    async def wrapped(message: Message) -> None:
        await send({**message, "wrapped": True})

    await wrapped({"type": "head"})
    await direct_send(scope, wrapped)({"type": "body"})


def sent(*middlewares: type, kind: str = "http") -> list[Message]:
    found: list[Message] = []

    async def send(message: Message) -> None:
        found.append(message)

    async def scene() -> None:
        app = past_middlewares(answers, [Middleware(one) for one in middlewares], {Heads})
        await app({"type": kind}, lambda: asyncio.sleep(0), send)  # type: ignore[arg-type]

    asyncio.run(scene())
    return found


HEAD = {"type": "head", "wrapped": True}


def test_a_body_passes_by_what_cares_for_heads() -> None:
    assert sent() == [HEAD, {"type": "body"}]
    assert sent(Heads) == [HEAD, {"type": "body"}]


def test_a_body_is_seen_by_a_middleware_that_is_not_known() -> None:
    assert sent(Heads, Bodies) == [HEAD, {"type": "body", "wrapped": True}]


def test_what_is_no_request_is_left_alone() -> None:
    assert sent(kind="lifespan") == [HEAD, {"type": "body", "wrapped": True}]
