"""The events of AG-UI 1.0.

Lives here: its events; a citation is a ``CUSTOM`` event, for the protocol has none of its own. Must
not know who reads.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from citestream.turns import Answer, CustomEvent, OutputEvent
from citestream.wire.formats.format import Format
from citestream.wire.formats.positions import Unit
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse


class AgUiWriter(VendorWriter):
    """Writes one text message of a run. The application's own events are ``CUSTOM`` as well."""

    __slots__ = ()

    unit: ClassVar[Unit] = "utf16"

    def _message(self) -> dict[str, str]:
        return {"messageId": self.view.turn_id or "citestream"}

    def _run(self) -> dict[str, str]:
        run = self.view.turn_id or "citestream"
        return {"threadId": run, "runId": run}

    def _events(self, event: OutputEvent) -> Iterator[bytes]:
        if isinstance(event, CustomEvent):
            if not self._opened:
                self._opened = True
                yield from self._open()
            yield sse({"type": "CUSTOM", "name": event.name, "value": event.value})
            return
        yield from super()._events(event)

    def _open(self) -> Iterator[bytes]:
        yield sse({"type": "RUN_STARTED", **self._run()})
        yield sse({"type": "TEXT_MESSAGE_START", **self._message(), "role": "assistant"})

    def _delta(self, text: str) -> Iterator[bytes]:
        yield sse({"type": "TEXT_MESSAGE_CONTENT", **self._message(), "delta": text})

    def _cite(self, one: Cited) -> Iterator[bytes]:
        value: dict[str, Any] = {
            **self._message(),
            "dataPartId": one.citation.data_part_id,
            "locator": one.citation.locator,
            "start": one.start,
            "end": one.end,
        }
        value |= {"title": one.title} if one.title else {}
        value |= {"url": one.url} if one.url else {}
        yield sse({"type": "CUSTOM", "name": "citation", "value": value})

    def _close(self, answer: Answer) -> Iterator[bytes]:
        end: dict[str, Any] = {"type": "TEXT_MESSAGE_END", **self._message()}
        if field := field_of(answer):
            end["metadata"] = {"citestream": field}
        yield sse(end)
        yield sse({"type": "RUN_FINISHED", **self._run()})

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        if self._opened:
            yield sse({"type": "TEXT_MESSAGE_END", **self._message()})
        else:
            self._opened = True
            yield sse({"type": "RUN_STARTED", **self._run()})  # the first event must be this one
        yield sse({"type": "RUN_ERROR", "message": error.get("detail") or error.get("title")})


AG_UI: Final = Format("ag-ui", "text/event-stream", writer=AgUiWriter)
