"""A stream of OpenAI chat completion chunks, read into input events.

The format: server-sent events, each ``data:`` a ``chat.completion.chunk`` of which only
``choices[].delta.content`` (or ``refusal``), ``choices[].finish_reason`` and ``error`` matter here,
then ``[DONE]``.
Must not know where the bytes come from. Whatever the stream holds is the producer's affair: nothing
here raises, a stream that cannot be read has failed.
"""

import json
import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput, EndReason
from citestream.wire.formats.format import Format, Reader
from citestream.wire.formats.openai_chat_filter import ChatFilter
from citestream.wire.ndjson import LineTooLongError
from citestream.wire.sse import EventReader

_DONE: Final = "[DONE]"

_REASONS: Final = MappingProxyType[str, EndReason](
    {"length": "length", "content_filter": "stopped", "error": "failed"}
)
"""What a ``finish_reason`` means; every other one is the model's own end."""

_CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class ChatReader(Reader):
    """Gives the deltas of the first choice, and the end.

    The ``end`` event is given when the stream says so, or else by ``finish``. A stream that stops
    without ``[DONE]`` and without a ``finish_reason`` has failed. Nothing raises.
    """

    __slots__ = ("_events", "_over", "_reason", "_seen", "problem")

    def __init__(self) -> None:
        self._events = EventReader()
        self._over = False
        self._seen = False
        self._reason: EndReason | None = None
        self.problem = ""

    def feed(self, chunk: bytes) -> Iterator[DeltaInput | EndInput]:
        """Yield what ``chunk`` completes; nothing once the stream is over."""
        try:
            for data in self._events.feed(chunk):
                if self._over:
                    return
                yield from self._read(data)
        except LineTooLongError as error:
            if not self._over:
                yield self._fail(f"a line of the stream is {error}")

    def finish(self) -> Iterator[DeltaInput | EndInput]:
        """Yield the end, if the stream has not given it."""
        if self._over:
            return
        if self._reason:
            yield self._end(self._reason)
        elif self._seen:
            yield self._fail("the stream broke off before its end")
        else:
            yield self._fail("the input holds no event of a chat stream")

    def _read(self, data: str) -> Iterator[DeltaInput | EndInput]:
        if data.strip() == _DONE:
            yield self._end(self._reason or "complete")
            return
        try:
            # Not the strict reader: a NaN in a log probability must not cost the answer. Halves of
            # surrogate pairs stay as they are, the next delta may bring the other one.
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            yield self._fail("an event of the stream is not JSON")
            return
        if not isinstance(chunk, dict):
            return
        self._seen = True
        if chunk.get("error") or chunk.get("object") == "error":
            yield self._fail("the stream ended with an error" + _code_of(chunk.get("error")))
            return
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                yield from self._choice(choice)

    def _choice(self, choice: dict[str, Any]) -> Iterator[DeltaInput]:
        delta = choice.get("delta")
        if isinstance(delta, dict):
            yield from map(DeltaInput, _texts(delta))
        finish = choice.get("finish_reason")
        if finish and isinstance(finish, str):
            self._reason = _REASONS.get(finish, "complete")

    def _end(self, reason: EndReason) -> EndInput:
        self._over = True
        if reason == "failed" and not self.problem:
            self.problem = "the stream ended with an error"
        return EndInput(reason)

    def _fail(self, problem: str) -> EndInput:
        self.problem = problem
        return self._end("failed")


def _texts(delta: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a delta: its content, a string or a list of pieces (Mistral), a refusal.

    Of pieces only those of text are the answer; others are what the model thought.
    """
    for content in (delta.get("content"), delta.get("refusal")):
        pieces = content if isinstance(content, list) else [{"text": content}]
        for piece in pieces:
            text = piece.get("text") if isinstance(piece, dict) else None
            if text and isinstance(text, str):
                yield text


def _code_of(error: object) -> str:
    """Return the error's code in parentheses, when it is a plain word."""
    for key in ("code", "type"):
        code = str(error.get(key)) if isinstance(error, dict) and error.get(key) else ""
        if _CODE.fullmatch(code):
            return f" ({code})"
    return ""


OPENAI_CHAT: Final = Format("openai-chat", "text/event-stream", ChatReader, filter=ChatFilter)
