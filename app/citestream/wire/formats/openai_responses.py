"""OpenAI's Responses interface: what a stream of its events says of the answer.

The format: server-sent events whose JSON has ``type``; ``response.output_text.delta`` (or
``response.refusal.delta``) is text, ``response.completed``, ``.incomplete`` and ``.failed`` are the
end. Must not know where the bytes come from.
"""

from collections.abc import Iterator
from typing import Any, Final

from citestream.turns import DeltaInput, EndInput
from citestream.wire.formats.format import Format
from citestream.wire.formats.openai_responses_filter import ResponsesFilter
from citestream.wire.formats.openai_responses_writer import ResponsesWriter
from citestream.wire.formats.vendor_reader import VendorReader

_TEXTS: Final = ("response.output_text.delta", "response.refusal.delta")


class ResponsesReader(VendorReader):
    """Gives the deltas of all content parts in their order, and the end."""

    __slots__ = ()

    kind = "Responses"

    def _take(self, event: dict[str, Any]) -> Iterator[DeltaInput | EndInput]:
        type_, delta = event.get("type"), event.get("delta")
        if type_ in _TEXTS and isinstance(delta, str) and delta:
            yield DeltaInput(delta)
        elif type_ == "response.completed":
            yield self._end("complete")
        elif type_ == "response.failed":
            yield self._fail("the stream ended with an error")
        elif type_ == "response.incomplete":
            response = event.get("response")
            details = response.get("incomplete_details") if isinstance(response, dict) else None
            why = details.get("reason") if isinstance(details, dict) else None
            yield self._end("stopped" if why == "content_filter" else "length")


OPENAI_RESPONSES: Final = Format(
    "openai-responses", "text/event-stream", ResponsesReader, ResponsesWriter, ResponsesFilter
)
