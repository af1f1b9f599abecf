"""Bodies of streams pass by what wraps ``send``; heads do not."""

import asyncio
from typing import Any

import pytest

from citestream.api.transport.direct_send import DirectSend, direct_send

Message = dict[str, Any]


async def answers(scope: Any, receive: Any, send: Any) -> None:
    """An application whose middleware wraps ``send``, and which sends a head and a body."""

    async def wrapped(message: Message) -> None:
        await send({**message, "wrapped": True})

    await wrapped({"type": "head"})
    await direct_send(scope, wrapped)({"type": "body"})


@pytest.mark.parametrize(
    ("app", "kind", "body"),
    [
        (DirectSend(answers), "http", {"type": "body"}),
        (DirectSend(answers), "lifespan", {"type": "body", "wrapped": True}),
        (answers, "http", {"type": "body", "wrapped": True}),
    ],
)
def test_a_body_passes_by_what_wraps_send(app: Any, kind: str, body: Message) -> None:
    found: list[Message] = []

    async def send(message: Message) -> None:
        found.append(message)

    asyncio.run(app({"type": kind}, None, send))
    assert found == [{"type": "head", "wrapped": True}, body]
