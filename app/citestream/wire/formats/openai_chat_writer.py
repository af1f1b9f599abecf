"""An answer as a stream of OpenAI chat completion chunks.

Lives here: the chunks in their order; all annotations are in one delta before the finish chunk,
because clients of this vendor fail at two. Must not know who reads.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from citestream.turns import Answer, EndReason
from citestream.wire.formats.annotations import chat_annotation
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse

FINISH: Final[Mapping[EndReason | None, str]] = MappingProxyType(
    {"length": "length", "timeout": "length", "failed": "length", "stopped": "content_filter"}
)
"""The ``finish_reason`` of an answer that ended early; of any other it is ``stop``.

The vendor has no word for an answer that broke off: as at a limit, more was to be said.
"""


class ChatWriter(VendorWriter):
    """Writes one choice. Its id is made of the turn's."""

    __slots__ = ("_annotations",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._annotations: list[dict[str, Any]] = []

    def _chunk(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return sse(
            {
                "id": f"chatcmpl-{self.view.turn_id or 'citestream'}",
                "object": "chat.completion.chunk",
                "created": self.view.created,
                "model": "citestream",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                **more,
            }
        )

    def _open(self) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})

    def _delta(self, text: str) -> Iterator[bytes]:
        yield self._chunk({"content": text})

    def _cite(self, one: Cited) -> Iterator[bytes]:
        if made := chat_annotation(one):
            self._annotations.append(made)
        yield from ()

    def _close(self, answer: Answer) -> Iterator[bytes]:
        if self._annotations:
            yield self._chunk({"annotations": self._annotations})
        field = field_of(answer)
        more = {"citestream": field} if field else {}
        yield self._chunk({}, FINISH.get(answer.reason, "stop"), **more)
        yield b"data: [DONE]\n\n"

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        message = error.get("detail") or error.get("title")
        shown = {"message": message, "type": "server_error", "param": None, "code": None}
        yield sse({"error": shown})
