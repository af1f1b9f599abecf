"""One text of a vendor's stream: raw deltas in, clean text and settled citations out.

Lives here: what every filter needs of a text, and what the texts of one stream share: the parts
that may be cited, and the field ``citestream``. Must not know any vendor's shapes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import quote

from citestream.citations import EngineOptions
from citestream.turns import (
    Citation,
    CitationEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    Include,
    InputEvent,
    OutputEvent,
    StartInput,
    TextDelta,
    Turn,
    TurnOrderError,
)
from citestream.turns.claiming import Covered
from citestream.wire.formats.positions import SIZES, Positions, Unit
from citestream.wire.formats.ranges import Cited, Ranges

VENDOR_OPTIONS: Final = EngineOptions(invalid_markers="drop")
"""How a vendor's text is treated unless a ``start`` event says otherwise: its reader has no use for
a broken marker."""

MakeTurn = Callable[[StartInput], Turn]
"""Makes a turn under these options, with what is known before the stream begins."""


@dataclass(frozen=True, slots=True)
class View:
    """How citations are shown in a vendor's places.

    ``offset_unit`` None: what the users of the format assume. ``part_url`` is a template of
    ``{part_id}``, ``{locator}``, ``{tool_name}`` and ``{turn_id}`` that makes an address for a part
    without one.
    """

    offset_unit: Unit | None = None
    part_url: str | None = None
    turn_id: str = ""
    created: int = 0
    """When the answer began, seconds since 1970, for formats that say it."""

    def address(self, part_id: str, tool_name: str, url: str | None, locator: str) -> str | None:
        """Return where a reader opens a part whose own address is ``url``, if anywhere."""
        if url or not self.part_url:
            return url
        address = self.part_url
        for name, value in (
            ("part_id", part_id),
            ("locator", locator),
            ("tool_name", tool_name),
            ("turn_id", self.turn_id),
        ):
            address = address.replace("{" + name + "}", quote(value, safe=""))
        return address


@dataclass(slots=True)
class CleanText:
    """One text. ``index`` are the vendor's coordinates of it, as they stand in the field."""

    turn: Turn
    unit: Unit
    view: View
    index: dict[str, int] = field(default_factory=dict)
    length: int = 0
    """Code points of clean text so far."""
    changed: bool = False
    """Whether the clean text differs from the raw one."""
    ended: bool = False
    last_shown: str = ""
    """What the last delta made visible."""
    _raw: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    _settled: list[Citation] = field(default_factory=list)
    _positions: Positions | None = None
    _read: int = 0
    _ranges: Ranges = field(init=False)

    def __post_init__(self) -> None:
        self._ranges = Ranges(self.unit)

    def feed(self, raw: str) -> str:
        """Take a delta; return what of it and of those before may be shown."""
        if self.ended:
            return ""
        self._raw.append(raw)
        shown = self.take(self.turn.feed(raw))
        self.last_shown = shown
        if shown != raw:
            self.changed = True
        return shown

    def finish(self) -> str:
        """Take the end of the text; return what was held."""
        if self.ended:
            return ""
        self.ended = True
        shown = self.take(self.turn.finish())
        self.changed = self.changed or bool(shown)
        return shown

    def take(self, events: Iterable[OutputEvent]) -> str:
        """Note what the turn gave; return the text in it."""
        shown = ""
        for event in events:
            if isinstance(event, TextDelta):
                shown += event.text
            elif isinstance(event, CitationEvent):
                self._settled.append(event.citation)
        if shown:
            self._text.append(shown)
            self.length += len(shown)
        return shown

    def raw(self) -> str:
        """The raw text so far."""
        return _joined(self._raw)

    def text(self) -> str:
        """The clean text so far."""
        return "".join(self._text)

    def held(self) -> bool:
        """Whether a part of the raw text waits for what follows."""
        return not self.ended and bool(self.turn.held())

    def fresh(self) -> list[Cited]:
        """Return the citations that have settled since the last call, in their order."""
        settled = sorted(self._settled, key=lambda one: one.offset)
        self._settled = []
        return [self._cited(one) for one in settled]

    def _cited(self, citation: Citation) -> Cited:
        part = next(part for part in self.turn.citable() if part.id == citation.data_part_id)
        start, end, at = self._ranges.of(citation)
        url = self.view.address(part.id, part.tool_name, part.url, citation.locator)
        return Cited(citation, part.title, url, start, end, at, part)

    # -- the vendor's own positions -----------------------------------------------------------

    def moved(self, position: int, unit: Unit) -> int:
        """Return the place in the clean text of a vendor's position in the raw one."""
        return self._placed(unit).moved(position) if self.changed else position

    def is_decided(self, position: int, unit: Unit) -> bool:
        """Whether a vendor's position reaches into no open candidate."""
        return not self.held() or self._placed(unit).is_decided(position)

    def _placed(self, unit: Unit) -> Positions:
        if self._positions is None:
            self._positions = Positions(self.turn.options, self.turn.known(), unit)
        for raw in self._raw[self._read :]:
            self._positions.read(raw)
        self._read = len(self._raw)
        if self.ended:
            self._positions.finish()
        return self._positions

    def between(self, start: int, end: int, unit: Unit) -> str:
        """Return the clean text of a range in ``unit``."""
        if unit == "rune":
            return self.text()[start:end]
        code = "utf-16-le" if unit == "utf16" else "utf-8"
        width = 2 if unit == "utf16" else 1
        return self.text().encode(code)[start * width : end * width].decode(code, "replace")

    def size(self, unit: Unit) -> int:
        """Return how long the clean text is."""
        return SIZES[unit](self.text())


def _joined(pieces: list[str]) -> str:
    text = "".join(pieces)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class CleanTexts:
    """The texts of one stream, and what they share.

    ``unit`` is what the users of the format assume of offsets; ``include`` is what the format needs
    of a citation beyond its claim.
    """

    def __init__(
        self, make: MakeTurn, view: View, unit: Unit, include: Iterable[Include] = ()
    ) -> None:
        self._make = make
        self._view = view
        self._unit = view.offset_unit or unit
        needed: set[Include] = {"claim", *include}
        if self._unit != "rune":
            needed.add("offsets")
        self._needed = frozenset(needed)
        self._start = StartInput(VENDOR_OPTIONS)
        self._said: list[InputEvent] = []
        self.all: list[CleanText] = []

    def open(self, **index: int) -> CleanText:
        """Begin a text that may cite all parts known so far."""
        start = replace(self._start, include=self._start.include | self._needed)
        turn = self._make(start)
        for event in self._said:
            turn.accept(event)
        text = CleanText(turn, self._unit, self._view, index)
        self.all.append(text)
        return text

    def accept(self, event: InputEvent) -> None:
        """Take an event of the caller's. Raises what a turn raises; texts are the stream's own."""
        if isinstance(event, DeltaInput | EndInput):
            raise TurnOrderError("type: text and its end are given by the vendor's stream")
        if isinstance(event, StartInput):
            if self.all or self._said:
                raise TurnOrderError("type: 'start' may only be the first event")
            self._start = event
            return
        if isinstance(event, CustomInput):
            return  # a filter adds no event of its own to a vendor's stream
        if not self.all:
            self._make(self._start).accept(event)  # raises what is wrong with it
        for text in self.all:
            if not text.ended:
                text.take(text.turn.accept(event))
        self._said.append(event)

    def held(self) -> bool:
        """Whether any text has an open candidate."""
        return any(text.held() for text in self.all)

    def field(
        self, place: Callable[[CleanText, int], Mapping[str, int]] | None = None
    ) -> dict[str, Any] | None:
        """Return what the field ``citestream`` says, or None when nothing was cited or dropped.

        Keys: ``citations``, ``dropped``, ``parts``. ``place`` gives the vendor's coordinates of an
        offset of a text, by default the text's ``index``.
        """
        citations: list[dict[str, Any]] = []
        dropped: list[dict[str, Any]] = []
        parts: dict[str, dict[str, Any]] = {}
        for text in self.all:
            if not text.ended:
                continue
            answer = text.turn.answer()
            at = place or (lambda text, _: text.index)
            citations += [{**self._shown(one), **at(text, one.offset)} for one in answer.citations]
            dropped += [{**lost.as_json(), **at(text, lost.offset)} for lost in answer.dropped]
            for part in answer.artifact()["parts"][1:]:
                parts.setdefault(part["metadata"]["dataPartId"], part)
        if not citations and not dropped:
            return None
        return {"citations": citations, "dropped": dropped, "parts": list(parts.values())}

    def _shown(self, citation: Citation) -> dict[str, Any]:
        """Write a citation without what only the vendor's places needed."""
        asked = self._start.include
        claim = citation.claim
        if claim and "offsets" not in asked:
            claim = Covered(claim.start, claim.end)
        return replace(
            citation,
            claim=claim if "claim" in asked else None,
            offsets=citation.offsets if "offsets" in asked else None,
            excerpt=citation.excerpt if "excerpt" in asked else None,
        ).as_json()

    def __iter__(self) -> Iterator[CleanText]:
        return iter(self.all)
