"""The fold of a turn: each input event gives output events, and the end gives the answer.

Lives here: what a marker's entry means in this turn (known, unknown, the user's), when a citation
is told, and how the turn closes. Must not know how events arrive or who reads them. The plain
answer to a text is this same fold, fed once.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any, Final

from citestream.citations import CHATGPT, Engine, EngineOptions, Entry
from citestream.parts import (
    MAX_PARTS,
    DataPart,
    IdCounter,
    Origin,
    PartRegistry,
    is_user_origin_id,
    make_part,
)
from citestream.sources import Source, read_markers
from citestream.targets import Preset
from citestream.turns.answer import Answer, Diagnostics
from citestream.turns.citation import Citation, Dropped, DropReason, Include, Offsets, cite
from citestream.turns.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    GatheredInput,
    InputEvent,
    OutputEvent,
    PartInput,
    ResultsInput,
    StartInput,
    TextDelta,
)
from citestream.turns.gathering import WEB_TOOLS, Gathered, gather
from citestream.turns.known import KnownSources
from citestream.turns.named import Named, entry_of, place_at
from citestream.turns.status import STATUS, EndReason, Status

SEMANTICS: Final = 1
"""Raised whenever an answer to some input would change; a turn ends under the one it began with."""

MAX_ENTRIES: Final = 2000
"""Sources that the markers of one turn may name; those named later are dropped (``limit``)."""


class TurnOrderError(ValueError):
    """An event came where it may not stand: ``start`` behind others, anything behind ``end``."""


class TurnOverflowError(ValueError):
    """More was registered than a turn may hold; the message names the field and the limit."""


class Turn:
    """One answer: feed it the model's deltas, get clean text and citations.

    ``options`` and ``include`` hold for the whole turn. Parts may be registered before, between and
    behind the deltas: what counts is what is known when the turn ends. ``ids`` goes on counting
    assigned ids where another turn of the session stopped. ``retries`` is how often an answer that
    comes to ``retry_required`` may be brought again. With ``part_href`` an artifact carries a big
    part (over 256 KiB of JSON) as this prefix and its id instead of its data. ``preset`` is the
    table of targets for results (S3); without one they have none. Results of ``web_tools`` are
    numbered sources (S0).

        turn = Turn()
        turn.register(tool_name="search", data={"value": "..."})
        for delta in model:
            for event in turn.feed(delta):
                ...
        for event in turn.finish():
            ...
    """

    def __init__(
        self,
        *,
        options: EngineOptions | None = None,
        include: Iterable[Include] = (),
        parts: Iterable[PartInput] = (),
        ids: IdCounter | None = None,
        retries: int = 0,
        part_href: str | None = None,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
    ) -> None:
        self._preset = preset
        self._web_tools = web_tools
        self._gathered = Gathered()
        self._ids = ids or IdCounter()
        self._retries = retries
        self._part_href = part_href
        self._parts = PartRegistry()
        self._known = KnownSources(self._parts)
        self._began = False
        self._reason: EndReason | None = None
        self._status: Status = "open"
        self._count = 0  # sources named so far
        self._named: list[Named] = []  # in text order
        # By their place there: those whose part has not come, by source id, and those cited since
        # the last output.
        self._waiting: dict[str, list[int]] = {}
        self._untold: list[int] = []
        self._set_up(options or EngineOptions(), frozenset(include))
        for part in parts:
            self.register_input(part)

    def _set_up(self, options: EngineOptions, include: frozenset[Include]) -> None:
        self._options = options
        self._include = include
        self._engine = Engine(options, self._known)
        # The end of the text shown, and the character before it: an offset settles there or one
        # character earlier.
        self._here = Offsets(0, 0, 0)
        self._last = ""

    # -- input --------------------------------------------------------------------------------

    def accept(self, event: InputEvent) -> list[OutputEvent]:
        """Take one input event; return the output events that follow from it.

        Raises :class:`TurnOrderError` for an event out of order, and what :meth:`register` raises.
        """
        if isinstance(event, DeltaInput):
            return self.feed(event.text)
        if isinstance(event, PartInput):
            self.register_input(event)
            return self._drain()
        if isinstance(event, ResultsInput):
            event = self.settle(event, lambda data: self._ids.assign("tool", data, self._parts))
        if isinstance(event, GatheredInput):
            self._take(event)
            return self._drain()
        if isinstance(event, CustomInput):
            self._begin()
            return [*self._drain(), CustomEvent(event.name, event.value)]
        if isinstance(event, EndInput):
            return self.finish(event.reason)
        return self._start(event)

    def _start(self, event: StartInput) -> list[OutputEvent]:
        if self._began:
            raise TurnOrderError("type: 'start' may only be the first event of a turn")
        self._begin()
        self._set_up(event.options, event.include)
        return []

    def _begin(self) -> None:
        if self._reason is not None:
            raise TurnOrderError("type: the turn has ended, nothing may follow 'end'")
        self._began = True

    def register(
        self,
        *,
        tool_name: str,
        data: Any,
        id: str | None = None,  # noqa: A002
        origin: Origin = "tool",
        title: str | None = None,
        url: str | None = None,
    ) -> str:
        """Register a data part; return its id, an assigned one (``tool_data_01``) if none is given.

        Citations that were waiting for the part come with the next output. Raises
        :class:`~citestream.parts.PartError` for an id outside the grammar or data that is no JSON
        value, its child :class:`~citestream.parts.PartConflictError` for a known id with other
        data, and :class:`TurnOverflowError` for the 257th part.
        """
        return self.register_input(PartInput(tool_name, data, id, origin, title, url))

    def register_input(self, event: PartInput) -> str:
        """Do the same as :meth:`register` from a ``part`` event."""
        self._begin()
        part_id = event.id
        if part_id is None:
            part_id = self._ids.assign(event.origin, event.data, self._parts)
        part = make_part(
            part_id,
            event.tool_name,
            event.data,
            origin=event.origin,
            title=event.title,
            url=event.url,
            target=event.target,
        )
        if part_id not in self._parts and len(self._parts) >= MAX_PARTS:
            raise TurnOverflowError(f"parts: at most {MAX_PARTS} in a turn")
        if self._parts.add(part):
            self._known.add(part_id)
            for place in self._waiting.pop(part_id, ()):
                self._tell(place, part)
        return part_id

    def gather(self, tool_name: str, results: Iterable[dict[str, Any]]) -> str:
        """Register what a tool returned as a list; return the text for the model.

        Items are as in :class:`ResultsInput`. Results of a web tool are numbered, the same address
        with the same number for the whole turn. Raises what :meth:`register` raises.
        """
        event = self.settle(
            ResultsInput(tool_name, tuple(results)),
            lambda data: self._ids.assign("tool", data, self._parts),
        )
        self._take(event)
        return event.text

    def settle(self, event: ResultsInput, assign: Callable[[Any], str]) -> GatheredInput:
        """Return the event with its ids, numbers and targets; nothing is registered yet."""
        return gather(event, assign, self._gathered.sources, self._preset, self._web_tools)

    def _take(self, event: GatheredInput) -> None:
        self._gathered.take(event)
        for part in event.parts:
            self.register_input(part)
        for part, number in zip(event.parts, event.numbers, strict=True):
            if number is not None:
                self._number(number, str(part.id))

    def _number(self, number: int, part_id: str) -> None:
        """Give a part its source's number; markers that named that number have it now."""
        self._known.add_number(number, part_id)
        waiting = self._waiting.pop(str(number), [])
        part = self._parts.get(self._known.resolve(str(number)) or part_id)
        for place in waiting:
            entry = self._named[place].entry
            if part is None or not entry.numbered:
                self._waiting.setdefault(str(number), []).append(place)
            else:
                self._named[place].entry = entry._replace(source_id=part.id, numbered=False)
                self._tell(place, part)

    def feed(self, delta: str) -> list[OutputEvent]:
        """Take the next piece of the raw answer; return what it lets a reader have."""
        self._begin()
        return self._shown(self._engine.feed(delta))

    def finish(self, reason: EndReason = "complete") -> list[OutputEvent]:
        """End the answer; return the last output events, the artifact last of all.

        A turn that has ``retries`` and comes to ``retry_required`` does not end: it forgets the
        answer, tells nothing of it, and waits for another.
        """
        self._begin()
        status = STATUS[reason]
        events = self._shown(self._engine.finish())
        self._reason, self._status = reason, status
        if self._wants_retry():
            if self._retries:
                self._begin_anew()
                return events
            self._status = "retry_required"
        answer = self.answer
        return [*events, CitationsSummary(answer.citations), ArtifactEvent(answer)]

    # -- output -------------------------------------------------------------------------------

    def _shown(self, text: str) -> list[OutputEvent]:
        events = self._drain() if self._untold else []
        if text:
            events.append(TextDelta(text))
        base, before = self._here, self._last
        if text and "offsets" in self._include:
            self._here, self._last = base.after(text), text[-1]
        entries = self._engine.take()
        if not entries:
            return events
        for entry in entries:
            offsets = None
            if "offsets" in self._include:
                offsets = place_at(entry.offset, base, before, text)
            self._name(entry, offsets)
        return events + self._drain()

    def _name(self, entry: Entry, offsets: Offsets | None) -> None:
        """Take in one source that a marker names; tell its citation if its part is known."""
        if entry.numbered and (part_id := self._known.resolve(entry.source_id)):
            entry = entry._replace(source_id=part_id, numbered=False)
        named = Named(entry, offsets, over=self._count >= MAX_ENTRIES)
        self._count += 1
        place = len(self._named)
        self._named.append(named)
        if named.over or is_user_origin_id(entry.source_id):
            return
        part = self._parts.get(entry.source_id)
        if part is None:
            self._waiting.setdefault(entry.source_id, []).append(place)
        else:
            self._tell(place, part)

    def _tell(self, place: int, part: DataPart) -> None:
        if part.origin == "tool":
            named = self._named[place]
            named.citation = cite(
                part,
                named.entry.offset,
                named.entry.locator,
                self._include,
                named.offsets,
                self._gathered.target(part),
            )
            self._untold.append(place)

    def _drain(self) -> list[OutputEvent]:
        untold, self._untold = self._untold, []
        return [
            CitationEvent(citation) for place in untold if (citation := self._named[place].citation)
        ]

    # -- the answer ---------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """``open`` until the end, then what the turn came to."""
        return self._status

    @property
    def reason(self) -> EndReason | None:
        """Why the turn ended; None while it runs."""
        return self._reason

    @property
    def answer(self) -> Answer:
        """What the turn came to, or how far it has come."""
        found = (self._as_it_stands(named.citation) for named in self._named if named.citation)
        # Those of one offset stay in the order in which their markers ended.
        citations = tuple(sorted(found, key=lambda citation: citation.offset))
        cited = dict.fromkeys(citation.data_part_id for citation in citations)
        text = self._engine.text
        return Answer(
            status=self._status,
            reason=self._reason,
            text=text,
            citations=citations,
            cited_parts=tuple(part for part_id in cited if (part := self._parts.get(part_id))),
            sources=tuple(self._gathered.sources),
            cited_sources=self._cited_sources(text, cited),
            dropped=self._dropped(),
            invalid_markers=self._engine.invalid_markers,
            diagnostics=self._diagnostics() if "diagnostics" in self._include else None,
            part_href=self._part_href,
        )

    def _as_it_stands(self, citation: Citation) -> Citation:
        """A source may lose its meaning after it was cited; the end state counts (S3)."""
        part = self._parts.get(citation.data_part_id)
        target = self._gathered.target(part) if part else None
        return citation if citation.target == target else replace(citation, target=target)

    def _cited_sources(self, text: str, cited: Iterable[str]) -> tuple[int, ...]:
        """The numbers that the model wrote (``[1]``), and those of parts that its markers cite."""
        sources = self._gathered.sources
        if not sources:
            return ()
        numbers = self._gathered.numbers
        marked = (numbers[part_id] for part_id in cited if part_id in numbers)
        return tuple(sorted({*read_markers(text, sources).cited, *marked}))

    @property
    def artifact(self) -> dict[str, Any]:
        """The artifact of :attr:`answer`, a JSON object."""
        return self.answer.artifact

    @property
    def sources(self) -> tuple[Source, ...]:
        """The numbered web sources gathered so far."""
        return tuple(self._gathered.sources)

    @property
    def known(self) -> KnownSources:
        """Which sources markers may name at the moment."""
        return self._known

    @property
    def count(self) -> int:
        """How many sources its markers have named."""
        return self._count

    @property
    def held(self) -> int:
        """Code points that the engine holds back at the moment."""
        return self._engine.held

    @property
    def retries(self) -> int:
        """How often the answer may still be brought again."""
        return self._retries

    @property
    def parts(self) -> tuple[DataPart, ...]:
        """The parts registered so far, in the order they came."""
        return tuple(self._parts)

    def _dropped(self) -> tuple[Dropped, ...]:
        dropped = (
            Dropped(named.entry.source_id, named.entry.offset, named.entry.locator, reason)
            for named in self._named
            if (reason := self._drop_reason(named))
        )
        return tuple(sorted(dropped, key=lambda one: one.offset))

    def _drop_reason(self, named: Named) -> DropReason | None:
        if named.citation:
            return None
        if named.over:
            return "limit"
        if self._is_users(named.entry.source_id):
            return "user_origin"
        # While the turn runs, the part may still come.
        return None if self._reason is None else "unknown_part"

    def _is_users(self, source_id: str) -> bool:
        part = self._parts.get(source_id)
        return is_user_origin_id(source_id) or (part is not None and part.origin == "user")

    def _diagnostics(self) -> Diagnostics:
        return Diagnostics(
            tuple(self._engine.failures),
            sum(part.signs for part in self._parts),
            self._engine.widgets if CHATGPT in self._options.dialects() else None,
        )

    def _begin_anew(self) -> None:
        """Forget the answer, keep the parts: the producer is to bring another answer."""
        self._retries -= 1
        self._reason, self._status = None, "open"
        self._count = 0
        self._named.clear()
        self._waiting.clear()
        self._set_up(self._options, self._include)

    def _wants_retry(self) -> bool:
        """Tell whether all that was cited is the user's own and there is no text (S1)."""
        return (
            self._status == "completed"
            and not self._engine.length
            and bool(self._named)
            and all(self._is_users(named.entry.source_id) for named in self._named)
        )

    # -- snapshots ----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the whole turn as a JSON value.

        ``state`` is what goes on changing; it is small. ``text``, ``named`` and ``parts`` only grow
        at their ends, so who keeps them elsewhere need not write them again and again.
        """
        return {
            "state": self.state(),
            "text": self._engine.text,
            "named": self.named_rows(0),
            "parts": [asdict(part) for part in self._parts],
        }

    def state(self) -> dict[str, Any]:
        """Return what goes on changing, a small JSON value."""
        return {
            "semantics": SEMANTICS,
            "options": self._options.as_json(),
            "include": sorted(self._include),
            "retries": self._retries,
            "part_href": self._part_href,
            "began": self._began,
            "reason": self._reason,
            "status": self._status,
            "count": self._count,
            "ids": dict(self._ids.counts),
            "here": [self._here.rune, self._here.utf16, self._here.utf8],
            "last": self._last,
            "untold": list(self._untold),
            "gathered": self._gathered.state(),
            "engine": self._engine.snapshot(),
        }

    def named_rows(self, first: int) -> list[dict[str, Any]]:
        """Return the sources named from number ``first`` (from 0) on, as JSON values."""
        return [named.as_row() for named in self._named[first:]]

    @classmethod
    def restore(
        cls,
        snapshot: dict[str, Any],
        *,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
    ) -> "Turn":
        """Return a turn that goes on where :meth:`snapshot` was taken.

        Citations told before are not told again; those registered but not yet drained are.
        """
        state = snapshot["state"]
        turn = cls(
            options=EngineOptions(**state["options"]),
            include=state["include"],
            ids=IdCounter(state["ids"]),
            retries=state["retries"],
            part_href=state["part_href"],
            preset=preset,
            web_tools=web_tools,
        )
        turn._gathered = Gathered.restore(state["gathered"])
        turn._here, turn._last = Offsets(*state["here"]), state["last"]
        turn._began = state["began"]
        turn._reason, turn._status = state["reason"], state["status"]
        for part in snapshot["parts"]:
            turn._parts.add(DataPart(**part))
            turn._known.add(part["id"])
        for part_id, number in turn._gathered.numbers.items():
            turn._known.add_number(number, part_id)
        turn._engine = Engine.restore(turn._options, state["engine"], snapshot["text"], turn._known)
        for row in snapshot["named"]:
            turn._name(entry_of(row["entry"]), row["offsets"] and Offsets(*row["offsets"]))
        turn._count = state["count"]
        turn._untold = list(state["untold"])
        return turn
