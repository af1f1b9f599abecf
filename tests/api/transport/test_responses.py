"""Plain values as answers in JSON."""

import asyncio
import json
from typing import Any

import pytest

from citestream.api.transport.responses import InPieces, json_response


@pytest.mark.parametrize("value", [{"text": "tide ✓", "next": 3}, [], None])
@pytest.mark.parametrize("status", [200, 201])
def test_a_value_is_the_body_under_the_status(value: object, status: int) -> None:
    answer = json_response(value, status)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert json.loads(bytes(answer.body)) == value


def test_an_answer_in_pieces_has_its_length_and_all_its_bytes() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    answer = InPieces([b"[1,", b"2]"], "application/json")
    asyncio.run(answer({"type": "http", "method": "POST"}, receive, send))
    head, *bodies = sent
    assert dict(head["headers"]) == {b"content-length": b"5", b"content-type": b"application/json"}
    assert [(one["body"], one.get("more_body", False)) for one in bodies] == [
        (b"[1,", True),
        (b"2]", True),
        (b"", False),
    ]
