"""Reading an event stream as the HTML standard says (9.2.6), and not as any library does."""

import json
import re
from typing import Any, NamedTuple

_LINE_END = re.compile("\r\n|\n|\r")


class Event(NamedTuple):
    type: str
    data: str
    id: str

    @property
    def value(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data)
        return found


class Reader:
    """Feed it bytes, however they are cut, and get the events they complete."""

    def __init__(self) -> None:
        self._held = b""
        self.comments: list[str] = []
        self.retry: int | None = None
        self._type = self._data = self._id = ""
        self._has_data = False

    def feed(self, chunk: bytes) -> list[Event]:
        # A chunk may end in the middle of a character or between CR and LF, never behind a LF.
        whole, end, self._held = (self._held + chunk).rpartition(b"\n")
        if not end:
            return []
        lines = _LINE_END.split((whole + end).decode("utf-8"))
        return [event for line in lines[:-1] if (event := self._line(line))]

    def _line(self, line: str) -> Event | None:
        if not line:
            event = Event(self._type or "message", self._data.removesuffix("\n"), self._id)
            dispatched = self._has_data
            self._type = self._data = ""
            self._has_data = False
            return event if dispatched else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not name:
            self.comments.append(value)
        elif name == "event":
            self._type = value
        elif name == "data":
            self._data += value + "\n"
            self._has_data = True
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch("[0-9]+", value):
            self.retry = int(value)
        return None


def events_of(body: bytes) -> list[Event]:
    return Reader().feed(body)


def text_of(events: list[Event]) -> str:
    return "".join(event.value["text"] for event in events if event.type == "delta")
