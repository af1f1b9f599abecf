"""An answer as a stream of OpenAI's Responses interface.

Lives here: the events in their order, each text and its annotations repeated whole where the
vendor's clients read them. Must not know who reads.
"""

from collections.abc import Iterator
from typing import Any, Final

from citestream.turns import Answer
from citestream.wire.formats.annotations import annotation_of
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse

_USAGE: Final = {
    "input_tokens": 0,
    "output_tokens": 0,
    "total_tokens": 0,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 0},
}


class ResponsesWriter(VendorWriter):
    """Writes one message of one content part. ``sequence_number`` is the position less one."""

    __slots__ = ("_annotations",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._annotations: list[dict[str, Any]] = []

    def _event(self, type_: str, **fields: Any) -> bytes:
        # The position is that of the event before.
        return sse({"type": type_, "sequence_number": self.position, **fields}, type_)

    def _in_text(self, type_: str, **fields: Any) -> bytes:
        place = {"item_id": self._item_id(), "output_index": 0, "content_index": 0}
        return self._event(type_, **place, **fields)

    def _item_id(self) -> str:
        return f"msg_{self.view.turn_id or 'citestream'}"

    def _response(self, status: str, output: list[Any], **more: Any) -> dict[str, Any]:
        return {
            "id": f"resp_{self.view.turn_id or 'citestream'}",
            "object": "response",
            "created_at": self.view.created,
            "status": status,
            "model": "citestream",
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            **more,
        }

    def _part(self) -> dict[str, Any]:
        return {
            "type": "output_text",
            "text": "".join(self._text),
            "annotations": list(self._annotations),
            "logprobs": [],
        }

    def _item(self, status: str, content: list[Any]) -> dict[str, Any]:
        return {
            "id": self._item_id(),
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _open(self) -> Iterator[bytes]:
        yield self._event("response.created", response=self._response("in_progress", []))
        item = self._item("in_progress", [])
        yield self._event("response.output_item.added", output_index=0, item=item)
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        yield self._in_text("response.content_part.added", part=part)

    def _delta(self, text: str) -> Iterator[bytes]:
        yield self._in_text("response.output_text.delta", delta=text, logprobs=[])

    def _cite(self, one: Cited) -> Iterator[bytes]:
        annotation = annotation_of(one)
        index = len(self._annotations)
        self._annotations.append(annotation)
        yield self._in_text(
            "response.output_text.annotation.added", annotation_index=index, annotation=annotation
        )

    def _end_text(self, status: str) -> Iterator[bytes]:
        text = "".join(self._text)
        yield self._in_text("response.output_text.done", text=text, logprobs=[])
        yield self._in_text("response.content_part.done", part=self._part())
        item = self._item(status, [self._part()])
        yield self._event("response.output_item.done", output_index=0, item=item)

    def _close(self, answer: Answer) -> Iterator[bytes]:
        whole = answer.reason == "complete"
        status = "completed" if whole else "incomplete"
        yield from self._end_text(status)
        more: dict[str, Any] = {"usage": _USAGE}
        if not whole:
            stopped = answer.reason == "stopped"
            more["incomplete_details"] = {
                "reason": "content_filter" if stopped else "max_output_tokens"
            }
        if field := field_of(answer):
            more["citestream"] = field
        response = self._response(status, [self._item(status, [self._part()])], **more)
        yield self._event(f"response.{status}", response=response)

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        if self._opened:
            yield from self._end_text("incomplete")
        message = error.get("detail") or error.get("title")
        yield self._event("error", code="server_error", message=message, param=None)
