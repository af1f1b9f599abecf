"""Fields that one reader of a stored turn asked for, added to the citations in its events.

Lives here: which fields can be computed when events are read. The numbers of events never change by
it. Must not know how events are framed or sent.
"""

import json
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from typing import Any, Final

from citestream.parts import DataPart, Excerpts
from citestream.service.offload import offload
from citestream.stores.port import EventRow
from citestream.turns import Include
from citestream.turns.citation import Source
from citestream.turns.offsets import Offsets
from citestream.wire.json_text import dumps

READABLE: Final[tuple[Include, ...]] = ("excerpt", "offsets", "source")
"""What needs only the text so far and the cited part."""
_ORDER: Final = (
    *("data_part_id", "offset", "locator", "target", "resolution", "excerpt", "offsets"),
    *("source", "claim", "check"),
)
_PIECE: Final = 1024
"""Code points between two known places of a text; an offset is counted from the one before it."""
_HELD: Final = 8 * 1024 * 1024
"""Bytes of JSON of the cited parts that one reader holds at a time."""


class Places:
    """A text that grows, and each of its places in three units."""

    def __init__(self) -> None:
        self._starts = [Offsets(0, 0, 0)]
        self._pieces = [""]

    def add(self, text: str) -> None:
        """Append a delta."""
        while text:
            if len(self._pieces[-1]) == _PIECE:
                self._starts.append(self._starts[-1].after(self._pieces[-1]))
                self._pieces.append("")
            room = _PIECE - len(self._pieces[-1])
            self._pieces[-1] += text[:room]
            text = text[room:]

    def at(self, offset: int) -> Offsets:
        """Return the place at an offset in code points, at most the length of the text."""
        index = bisect_right(self._starts, offset, key=lambda place: place.rune) - 1
        start = self._starts[index]
        return start.after(self._pieces[index][: offset - start.rune])


class Including:
    """Adds the fields of ``include`` to the events of one turn, for one reader.

    It is given all events from the first, or, of a turn whose events were trimmed, the artifact
    alone. ``part`` returns a part of the turn by its id, with the bytes that it holds.
    """

    def __init__(
        self, include: frozenset[Include], part: Callable[[str], Awaitable[tuple[DataPart, int]]]
    ) -> None:
        self._include = include
        self._part = part
        self._places = Places()
        self._excerpts = Excerpts()
        self._parts: dict[str, DataPart] = {}
        self._held = 0
        self._added: dict[tuple[str, int, str], dict[str, Any]] = {}

    async def event(self, row: EventRow) -> EventRow:
        """Return an event with the fields in each of its citations."""
        if row.type == "delta":
            self._places.add(json.loads(row.data)["text"])
        if row.type not in ("citation", "citations_summary", "artifact"):
            return row
        event = await offload(lambda: json.loads(row.data), cost=len(row.data))
        citations = _citations(event)
        if row.type == "artifact" and citations and not self._places.at(1).rune:
            self._places.add(event["artifact"]["parts"][0]["text"])
        for citation in citations:
            await self._add(citation)
        return EventRow(row.type, await offload(lambda: dumps(event), cost=len(row.data)))

    async def _add(self, citation: dict[str, Any]) -> None:
        key = (citation["data_part_id"], citation["offset"], citation["locator"])
        if key not in self._added:
            self._added[key] = await self._fields(*key)
        whole = {**self._added[key], **citation}
        citation.clear()
        citation.update((name, whole[name]) for name in _ORDER if name in whole)

    async def _fields(self, part_id: str, offset: int, locator: str) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if "offsets" in self._include:
            fields["offsets"] = self._places.at(offset).as_json()
        if self._include & {"excerpt", "source"}:
            part = await self._held_part(part_id)
            if "source" in self._include:
                source = Source(part.tool_name, part.title, part.url, part.source)
                fields["source"] = source.as_json()
            if "excerpt" in self._include:
                cost = part.json_size()
                found = await offload(lambda: self._excerpts.excerpt(part, locator), cost=cost)
                fields["resolution"] = found.resolution
                fields["excerpt"] = {"text": found.text, "truncated": found.truncated}
        return fields

    async def _held_part(self, part_id: str) -> DataPart:
        if part_id not in self._parts:
            part, size = await self._part(part_id)
            if self._held + size > _HELD:
                self._parts.clear()
                self._excerpts, self._held = Excerpts(), 0
            self._parts[part_id] = part
            self._held += size
        return self._parts[part_id]


def _citations(event: dict[str, Any]) -> list[dict[str, Any]]:
    match event["type"]:
        case "citation":
            return [event["citation"]]
        case "citations_summary":
            return list(event["citations"])
        case _:
            texts = [part for part in event["artifact"]["parts"] if "text" in part]
            return [one for part in texts for one in part["metadata"]["citations"]]
