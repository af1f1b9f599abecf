"""OpenAI's chat completions: what a stream of chunks says of its first choice.

The format: server-sent events, each ``data:`` a ``chat.completion.chunk`` of which only
``choices[].delta.content`` (or ``refusal``), ``choices[].finish_reason`` and ``error`` matter here,
then ``[DONE]``. Must not know where the bytes come from.
"""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput, EndReason
from citestream.wire.formats.format import Format
from citestream.wire.formats.openai_chat_filter import ChatFilter
from citestream.wire.formats.openai_chat_writer import ChatWriter
from citestream.wire.formats.vendor_reader import VendorReader

_REASONS: Final = MappingProxyType[str, EndReason](
    {"length": "length", "content_filter": "stopped", "error": "failed"}
)
"""What a ``finish_reason`` means; every other one is the model's own end."""


class ChatReader(VendorReader):
    """Gives the deltas of the first choice, and the end that ``[DONE]`` or ``finish`` is."""

    __slots__ = ()

    kind = "chat"

    def _take(self, event: dict[str, Any]) -> Iterator[DeltaInput | EndInput]:
        choices = event.get("choices")
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


OPENAI_CHAT: Final = Format("openai-chat", "text/event-stream", ChatReader, ChatWriter, ChatFilter)
