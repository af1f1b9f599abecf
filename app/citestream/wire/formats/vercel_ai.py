"""The UI message stream of the Vercel AI SDK, 5 to 7.

Lives here: its chunks as all these versions take them; clients of early ones end a stream at a
chunk or field that they do not know. Must not know who reads.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from citestream.turns import Answer
from citestream.wire.formats.format import Format
from citestream.wire.formats.positions import Unit
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse


class VercelWriter(VendorWriter):
    """Writes one text part. Each source is said once, each citation names its source."""

    __slots__ = ("_cited_count", "_sources")

    unit: ClassVar[Unit] = "utf16"
    headers: ClassVar[Mapping[str, str]] = {"x-vercel-ai-ui-message-stream": "v1"}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sources: set[str] = set()
        self._cited_count = 0

    def _open(self) -> Iterator[bytes]:
        yield sse({"type": "start", "messageId": self.view.turn_id or "citestream"})
        yield sse({"type": "text-start", "id": "text"})

    def _delta(self, text: str) -> Iterator[bytes]:
        yield sse({"type": "text-delta", "id": "text", "delta": text})

    def _cite(self, one: Cited) -> Iterator[bytes]:
        source = one.citation.data_part_id
        if source not in self._sources:
            self._sources.add(source)
            title = one.title or source
            if one.url is not None:
                yield sse(
                    {"type": "source-url", "sourceId": source, "url": one.url, "title": title}
                )
            else:
                document = {"mediaType": "text/plain", "title": title}
                yield sse({"type": "source-document", "sourceId": source, **document})
        self._cited_count += 1
        data = {"sourceId": source, "start": one.start, "end": one.end}
        yield sse({"type": "data-citation", "id": f"citation-{self._cited_count}", "data": data})

    def _close(self, answer: Answer) -> Iterator[bytes]:
        end: dict[str, Any] = {"type": "text-end", "id": "text"}
        if field := field_of(answer):
            end["providerMetadata"] = {"citestream": field}
        yield sse(end)
        yield sse({"type": "finish"})
        yield b"data: [DONE]\n\n"

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        if self._opened:
            yield sse({"type": "text-end", "id": "text"})
        yield sse({"type": "error", "errorText": error.get("detail") or error.get("title")})


VERCEL_AI: Final = Format("vercel-ai", "text/event-stream", writer=VercelWriter)
