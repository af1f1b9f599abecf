"""Gemini's ``streamGenerateContent?alt=sse``: what a stream of its chunks says of the answer.

The format: server-sent events, each ``data:`` a response whose ``candidates`` have text parts; the
one with a ``finishReason`` is the last that has text. Must not know where the bytes come from.
"""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput, EndReason
from citestream.wire.formats.format import Format
from citestream.wire.formats.gemini_filter import GeminiFilter
from citestream.wire.formats.vendor_reader import VendorReader

_REASONS: Final = MappingProxyType[str, EndReason](
    {"STOP": "complete", "FINISH_REASON_UNSPECIFIED": "complete", "MAX_TOKENS": "length"}
)
"""What a ``finishReason`` means; every other one says that the vendor stopped the model."""


class GeminiReader(VendorReader):
    """Gives the text of the first candidate, thoughts left out. ``finish`` gives the end."""

    __slots__ = ()

    kind = "Gemini"

    def _take(self, event: dict[str, Any]) -> Iterator[DeltaInput | EndInput]:
        candidates = event.get("candidates")
        for one in candidates if isinstance(candidates, list) else ():
            if isinstance(one, dict) and one.get("index", 0) == 0:
                yield from self._candidate(one)

    def _candidate(self, one: dict[str, Any]) -> Iterator[DeltaInput]:
        content = one.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            text = part.get("text") if isinstance(part, dict) else None
            if text and isinstance(text, str) and not part.get("thought"):
                yield DeltaInput(text)
        reason = one.get("finishReason")
        if reason and isinstance(reason, str):
            self._reason = _REASONS.get(reason, "stopped")


GEMINI: Final = Format("gemini", "text/event-stream", GeminiReader, filter=GeminiFilter)
