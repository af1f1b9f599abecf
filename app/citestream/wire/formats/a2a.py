"""The events of A2A, 1.0 and 0.3: the objects of the HTTP+JSON binding, without an envelope.

Lives here: a task whose artifact grows by text, and ends with a data part of the citations, which
the protocol has no type for. Must not know who reads.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Final

from citestream.turns import Answer
from citestream.wire.formats.format import Format
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.vendor_writer import VendorWriter, field_of, sse

EXTENSION: Final = "urn:citestream:citations:v1"
"""The extension that an agent card declares; artifacts with citations name it."""
_ARTIFACT: Final = "answer"

Json = dict[str, Any]


class _TaskWriter(VendorWriter):
    """Writes one task. The places of citations are known when they settle, and sent at the end."""

    __slots__ = ("_appends", "_ranged")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._appends = False
        self._ranged: list[Cited] = []

    def _task(self) -> Json:
        name = self.view.turn_id or "citestream"
        return {"taskId": name, "contextId": name}

    def _open(self) -> Iterator[bytes]:
        name = self.view.turn_id or "citestream"
        yield sse(self._begun({"id": name, "contextId": name}))

    def _delta(self, text: str) -> Iterator[bytes]:
        yield self._grown(self._text_part(text))

    def _cite(self, one: Cited) -> Iterator[bytes]:
        self._ranged.append(one)
        return iter(())

    def _close(self, answer: Answer) -> Iterator[bytes]:
        if field := field_of(answer):
            places = {
                (one.citation.data_part_id, one.citation.offset, one.citation.locator): one
                for one in self._ranged
            }
            for shown in field["citations"]:
                key = (shown["data_part_id"], shown["offset"], shown["locator"])
                if found := places.get(key):
                    shown |= {"start": found.start, "end": found.end}
                    shown |= {"url": found.url} if found.url else {}
                    shown |= {"title": found.title} if found.title else {}
            yield self._grown(self._data_part(field), extensions=[EXTENSION], last=True)
        completed = answer.status == "completed"
        yield sse(self._ended("completed" if completed else "canceled", None))

    def _fail(self, error: dict[str, Any]) -> Iterator[bytes]:
        if not self._opened:
            self._opened = True
            yield from self._open()
        said = str(error.get("detail") or error.get("title"))
        yield sse(self._ended("failed", said))

    def _grown(
        self, part: Json, *, extensions: list[str] | None = None, last: bool = False
    ) -> bytes:
        artifact: Json = {"artifactId": _ARTIFACT, "parts": [part]}
        artifact |= {"extensions": extensions} if extensions else {}
        event: Json = {**self._task(), "artifact": artifact}
        event |= {"append": True} if self._appends else {}
        event |= {"lastChunk": True} if last else {}
        self._appends = True
        return sse(self._updated(event))

    @abstractmethod
    def _begun(self, task: Json) -> Json:
        """Return the event of a task that works."""

    @abstractmethod
    def _text_part(self, text: str) -> Json:
        """Return a part of text."""

    @abstractmethod
    def _data_part(self, data: Json) -> Json:
        """Return a part of data."""

    @abstractmethod
    def _updated(self, event: Json) -> Json:
        """Return the event of an artifact that grows."""

    @abstractmethod
    def _ended(self, state: str, said: str | None) -> Json:
        """Return the event of a task that has ended, with what is said of it."""


class A2aWriter(_TaskWriter):
    """Writes A2A 1.0."""

    __slots__ = ()

    def _begun(self, task: Json) -> Json:
        return {"task": {**task, "status": {"state": "TASK_STATE_WORKING"}}}

    def _text_part(self, text: str) -> Json:
        return {"text": text, "mediaType": "text/plain"}

    def _data_part(self, data: Json) -> Json:
        return {"data": data, "mediaType": "application/json"}

    def _updated(self, event: Json) -> Json:
        return {"artifactUpdate": event}

    def _ended(self, state: str, said: str | None) -> Json:
        status: Json = {"state": f"TASK_STATE_{state.upper()}"}
        if said is not None:
            task = self._task()
            parts = [self._text_part(said)]
            status["message"] = {"messageId": task["taskId"], "role": "ROLE_AGENT", "parts": parts}
        return {"statusUpdate": {**self._task(), "status": status}}


class A2aOldWriter(_TaskWriter):
    """Writes A2A 0.3, which Gemini Enterprise reads."""

    __slots__ = ()

    def _begun(self, task: Json) -> Json:
        return {"kind": "task", **task, "status": {"state": "working"}}

    def _text_part(self, text: str) -> Json:
        return {"kind": "text", "text": text}

    def _data_part(self, data: Json) -> Json:
        return {"kind": "data", "data": data}

    def _updated(self, event: Json) -> Json:
        return {"kind": "artifact-update", **event}

    def _ended(self, state: str, said: str | None) -> Json:
        status: Json = {"state": state}
        if said is not None:
            name = self._task()["taskId"]
            parts = [self._text_part(said)]
            message = {"kind": "message", "messageId": name, "role": "agent", "parts": parts}
            status["message"] = message
        return {"kind": "status-update", **self._task(), "status": status, "final": True}


A2A: Final = Format("a2a", "text/event-stream", writer=A2aWriter)
A2A_OLD: Final = Format("a2a-0.3", "text/event-stream", writer=A2aOldWriter)
