"""An answer as a stream of Anthropic's Messages interface.

Lives here: the events in their order; the text is cut into blocks where a citation settles, for a
citation of this vendor belongs to a whole block. Must not know who reads.
"""

from collections.abc import Iterator
from typing import Any

from citestream.turns import Answer
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse


class AnthropicWriter(VendorWriter):
    """Writes one message. A block that ends with a cited claim is closed before text follows."""

    __slots__ = ("_block", "_cited_here", "_sources")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._block = 0
        self._cited_here: list[Cited] = []
        self._sources: list[str] = []

    def _event(self, type_: str, **fields: Any) -> bytes:
        return sse({"type": type_, **fields}, type_)

    def _in_block(self, type_: str, **fields: Any) -> bytes:
        return self._event(type_, index=self._block, **fields)

    def _open(self) -> Iterator[bytes]:
        message: dict[str, Any] = {
            "id": f"msg_{self.view.turn_id or 'citestream'}",
            "type": "message",
            "role": "assistant",
            "model": "citestream",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        yield self._event("message_start", message=message)
        yield self._begin_block()

    def _begin_block(self) -> bytes:
        block = {"type": "text", "text": "", "citations": []}
        return self._in_block("content_block_start", content_block=block)

    def _delta(self, text: str) -> Iterator[bytes]:
        if self._cited_here and text.strip():
            yield from self._end_block()
            self._block += 1
            yield self._begin_block()
        yield self._in_block("content_block_delta", delta={"type": "text_delta", "text": text})

    def _cite(self, one: Cited) -> Iterator[bytes]:
        self._cited_here.append(one)
        yield from ()

    def _end_block(self) -> Iterator[bytes]:
        for one in self._cited_here:
            delta = {"type": "citations_delta", "citation": self._citation(one)}
            yield self._in_block("content_block_delta", delta=delta)
        self._cited_here = []
        yield self._in_block("content_block_stop")

    def _citation(self, one: Cited) -> dict[str, Any]:
        part_id, excerpt = one.citation.data_part_id, one.citation.excerpt
        if part_id not in self._sources:
            self._sources.append(part_id)
        return {
            "type": "search_result_location",
            "cited_text": excerpt.text if excerpt else "",
            "search_result_index": self._sources.index(part_id),
            "source": one.url or part_id,
            "title": one.title,
            "start_block_index": 0,
            "end_block_index": 1,
        }

    def _close(self, answer: Answer) -> Iterator[bytes]:
        yield from self._end_block()
        reasons = {"complete": "end_turn", "stopped": "refusal"}
        reason = reasons.get(answer.reason or "complete", "max_tokens")
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield self._event("message_delta", delta=delta, usage={"output_tokens": 0})
        field = field_of(answer)
        yield self._event("message_stop", **({"citestream": field} if field else {}))

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        if self._opened:
            yield from self._end_block()
        shown = {"type": "api_error", "message": error.get("detail") or error.get("title")}
        yield self._event("error", error=shown)
