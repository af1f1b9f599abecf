"""Anthropic's Messages interface: what a stream of its events says of the answer.

The format: server-sent events whose JSON has ``type``; a ``text_delta`` is text, ``message_delta``
says why the message ends and ``message_stop`` that it does. Must not know where the bytes come
from.
"""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput, EndReason
from citestream.wire.formats.anthropic_filter import AnthropicFilter
from citestream.wire.formats.anthropic_writer import AnthropicWriter
from citestream.wire.formats.format import Format
from citestream.wire.formats.vendor_reader import VendorReader

_REASONS: Final = MappingProxyType[str, EndReason](
    {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "stopped"}
)
"""What a ``stop_reason`` means; every other one is the model's own end."""


class AnthropicReader(VendorReader):
    """Gives the deltas of all text blocks in their order, and the end."""

    __slots__ = ()

    kind = "Messages"

    def _take(self, event: dict[str, Any]) -> Iterator[DeltaInput | EndInput]:
        type_, delta = event.get("type"), event.get("delta")
        if type_ == "message_stop":
            yield self._end(self._reason or "complete")
        elif type_ == "message_delta" and isinstance(delta, dict):
            reason = delta.get("stop_reason")
            if reason and isinstance(reason, str):
                self._reason = _REASONS.get(reason, "complete")
        elif type_ in ("content_block_start", "content_block_delta"):
            block = event.get("content_block") if type_ == "content_block_start" else delta
            if isinstance(block, dict) and block.get("type") in ("text", "text_delta"):
                text = block.get("text")
                if text and isinstance(text, str):
                    yield DeltaInput(text)


ANTHROPIC: Final = Format(
    "anthropic", "text/event-stream", AnthropicReader, AnthropicWriter, AnthropicFilter
)
