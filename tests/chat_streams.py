"""Streams of chat completion chunks, written from deltas as providers write them."""

import json
from typing import Any

DONE = b"data: [DONE]\n\n"


def event(value: object) -> bytes:
    """One event; private-use signs and halves of surrogate pairs are escaped, as on the wire."""
    return f"data: {json.dumps(value)}\n\n".encode()


def chunk(choice: dict[str, Any], **others: object) -> bytes:
    return event({"object": "chat.completion.chunk", "choices": [choice], **others})


def piece(text: str) -> bytes:
    return chunk({"index": 0, "delta": {"content": text}, "finish_reason": None})


def finish(reason: str) -> bytes:
    return chunk({"index": 0, "delta": {}, "finish_reason": reason})


def transcript(deltas: list[str], reason: str = "stop") -> bytes:
    """A whole stream: the role first, then the deltas, the finish, the usage, the end."""
    role = chunk({"index": 0, "delta": {"role": "assistant", "content": ""}})
    usage = event({"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 9}})
    return role + b"".join(map(piece, deltas)) + finish(reason) + usage + DONE
