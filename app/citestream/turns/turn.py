"""The fold of a turn: each input event gives output events, and the end gives the answer.

Lives here: the order of events, when a citation is sent, and how the turn closes. Must not know how
events arrive or who reads them. The plain answer to a text is this same fold, fed once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

from citestream.citations import CHATGPT, EngineOptions
from citestream.citations.known import KnownSources
from citestream.citations.snapping import WHITE_SPACE
from citestream.parts import DataPart, IdCounter, Origin, PartError
from citestream.parts.text import SIGNS
from citestream.sources import Source, cited_numbers
from citestream.targets import Preset
from citestream.turns.answer import Answer, Diagnostics, Refused
from citestream.turns.citation import Include, known_includes
from citestream.turns.citing import Citing
from citestream.turns.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    InputEvent,
    OutputEvent,
    PartInput,
    RegisteredEvent,
    ResultsInput,
    SettledResults,
    SourceEvent,
    StartInput,
    TextDelta,
    part_input,
)
from citestream.turns.intake import Assign, Intake, Registration
from citestream.turns.material import Material
from citestream.turns.prompt import PromptStyle
from citestream.turns.reading import output_event
from citestream.turns.results import WEB_TOOLS
from citestream.turns.status import STATUS, EndReason, Status
from citestream.turns.transcript import Transcript

SEMANTICS: Final = 1
"""Raised whenever an answer to some input would change; a turn ends under the one it began with."""


CitedNumbers: TypeAlias = Callable[[str, Sequence[Source]], tuple[int, ...]]
"""Returns the numbers of those of the sources that a text cites."""


class TurnOrderError(ValueError):
    """An event at a place where it may not be: ``start`` after others, anything after ``end``."""


class PresetMismatchError(ValueError):
    """A turn is to be restored with another preset than the one that its snapshot was made with."""


class Turn:
    """One answer: feed it the model's deltas, get clean text and citations.

    ``options`` and ``include`` hold for the whole turn. Parts may be registered before, between and
    after the deltas: what counts is what is known when the turn ends. ``ids`` goes on counting
    assigned ids where another turn of the session stopped. With ``part_href`` an artifact has a big
    part (over 256 KiB of JSON) as this prefix and its id instead of its data. ``preset`` is the
    table of targets for results (S3); without one they have none. Results of ``web_tools`` are
    numbered sources (S0). ``parts`` are registered first; each may be a dict of the fields of
    :class:`PartInput`. ``carried`` are parts of earlier turns that this one may cite, under their
    old ids; they take no slot among the parts. ``read_numbers`` finds the ``[n]`` of a long text in
    a way of its own, with the same result. Raises ``ValueError`` for an unknown name in
    ``include``, and what :meth:`register` raises with ``parts[n]`` before it.

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
        parts: Iterable[PartInput | Mapping[str, Any]] = (),
        ids: IdCounter | None = None,
        part_href: str | None = None,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
        carried: Iterable[DataPart] = (),
        read_numbers: CitedNumbers = cited_numbers,
    ) -> None:
        self._material = Material(
            ids=ids or IdCounter(), preset=preset, web_tools=web_tools, carried=carried
        )
        self._citing = Citing(self._material)
        self._part_href = part_href
        self._read_numbers = read_numbers
        self._options = options or EngineOptions()
        self._include = known_includes(include)
        self._transcript = Transcript(self._options, self._include, self._material)
        self._began = False
        self._reason: EndReason | None = None
        self._status: Status = "open"
        self._answer: Answer | None = None
        # Events about what was registered that no output had yet.
        self._pending: list[OutputEvent] = []
        for index, part in enumerate(parts):
            try:
                self.register_input(part_input(part))
            except PartError as error:
                error.args = (f"parts[{index}].{error}",)
                raise

    # -- input --------------------------------------------------------------------------------

    def accept(self, event: InputEvent) -> list[OutputEvent]:
        """Take one input event; return the output events that follow from it.

        Raises :class:`TurnOrderError` for an event out of order, and what :meth:`register` raises;
        nothing has changed then.
        """
        match event:
            case DeltaInput():
                return self.feed(event.text)
            case PartInput() | ResultsInput() | SettledResults():
                return self.take(self.intake().admit(event))
            case CustomInput():
                self._begin()
                return [*self._drain(), CustomEvent(event.name, event.value)]
            case EndInput():
                return self.finish(event.reason)
            case StartInput():
                return self._start(event)
            case _:
                assert_never(event)

    def _start(self, event: StartInput) -> list[OutputEvent]:
        if self._began:
            raise TurnOrderError("type: 'start' may only be the first event of a turn")
        self._begin()
        include = known_includes(event.include)
        self._transcript = Transcript(event.options, include, self._material)
        self._options, self._include = event.options, include
        return []

    def _begin(self) -> None:
        if self._reason is not None:
            raise TurnOrderError("type: the turn has ended, nothing may follow 'end'")
        self._began = True

    def intake(
        self,
        assign: Assign | None = None,
        preset: Preset | None = None,
        web_tools: frozenset[str] | None = None,
    ) -> Intake:
        """Return what checks and settles events before they are taken; the turn stays as it is.

        ``assign`` gives ids in place of the turn's own counter; ``preset``, the table of targets,
        and ``web_tools`` are used in place of the turn's own.
        """
        return self._material.intake(assign, preset, web_tools)

    def new_parts(self, registration: Registration) -> list[DataPart]:
        """Return those parts of a registration that :meth:`take` will add."""
        return self._material.new_parts(registration)

    def take(self, registration: Registration) -> list[OutputEvent]:
        """Register what :meth:`intake` admitted; return what follows from it.

        That is, where ``include`` asks for them, a ``source`` event for each new source and a
        ``registered`` event, then the citations that waited for a part. Raises
        :class:`TurnOrderError` after the end.
        """
        self._register(registration)
        return self._drain()

    def register(
        self,
        *,
        tool_name: str,
        data: Any,
        id: str | None = None,  # noqa: A002
        origin: Origin = "tool",
        title: str | None = None,
        url: str | None = None,
        target: dict[str, Any] | None = None,
    ) -> str:
        """Register a data part; return its id, an assigned one (``tool_data_01``) if none is given.

        ``data`` is any JSON value. ``target`` is what a citation of the part points at (S3): a JSON
        object of one of the nine kinds, ``{"kind": "web", "url": "https://…"}``, or of a kind that
        the turn's preset declares. Keys that its kind does not have are dropped; the address of a
        document is its readable page.

        Citations that waited for the part are among the next output. Raises
        :class:`~citestream.parts.PartError` for an id outside the grammar, a target of no known
        kind, or data that is no JSON value, with the place of what is none
        (``data/rows/0/when: a datetime is not a JSON value``); its child
        :class:`~citestream.parts.PartConflictError` for a known id with other data;
        :class:`TurnOverflowError` for one part too many; and :class:`TurnOrderError` after the end.
        The turn is then as it was.
        """
        return self.register_input(PartInput(tool_name, data, id, origin, title, url, target))

    def register_event(self, event: PartInput | ResultsInput) -> Registration:
        """Register what an event has; return it with its ids, numbers and targets settled.

        What follows from it is sent with the next output. Data that cannot be held is named in
        ``refused``. Raises what :meth:`register` raises, but for such data.
        """
        return self._register(self.intake().admit(event))

    def register_input(self, event: PartInput) -> str:
        """Do the same as :meth:`register` from a ``part`` event."""
        return self._register(self.intake().admit(event, strict=True)).parts[0].id

    def register_results(
        self, tool_name: str, results: Iterable[Any], *, web: bool | None = None
    ) -> str:
        """Register what a tool returned as a list; return the text for the model.

        Items are as in :class:`ResultsInput`, any JSON values. Results of a web tool are numbered,
        the same address with the same number for the whole turn; ``web`` says whether this is one,
        by default when it is in ``web_tools``. An item that is no JSON, or cannot be held, is left
        out and named in :attr:`Answer.refused`. Raises :class:`TurnOverflowError` for one part too
        many and :class:`TurnOrderError` after the end.
        """
        event = self.register_event(ResultsInput(tool_name, tuple(results), web)).event
        return event.text if isinstance(event, SettledResults) else ""

    def _register(self, registration: Registration) -> Registration:
        # What it makes citations of is sent with the next output.
        self._begin()
        self._material.add_results(registration)
        ledger = self._transcript.ledger
        for part in registration.parts:
            if self._material.add(part):
                self._citing.prepare(part, self._include)
                ledger.part_added(part.id)
            if number := self._material.results.number(part.id):
                ledger.number_added(number)
        self._pending += self._announced(registration)
        return registration

    def _announced(self, registration: Registration) -> Iterator[RegisteredEvent | SourceEvent]:
        """Yield the events that say what was registered, as far as ``include`` asks for them."""
        event = registration.event
        settled = event if isinstance(event, SettledResults) else None
        if settled and "sources" in self._include:
            yield from map(SourceEvent, settled.added)
        if "registered" in self._include:
            yield RegisteredEvent(
                tuple((part.id, part.tool_name) for part in registration.parts),
                ((settled.tool_name, settled.text),) if settled else (),
                registration.refused,
            )

    def feed(self, delta: str) -> list[OutputEvent]:
        """Take the next piece of the raw answer; return what it lets a reader have.

        Raises :class:`TurnOrderError` after the end.
        """
        if self._reason is not None or not self._began:
            self._begin()
        return self._shown(self._transcript.engine.feed(delta))

    def finish(self, reason: EndReason = "complete") -> list[OutputEvent]:
        """End the answer; return the last output events, the artifact last of all.

        Raises :class:`TurnOrderError` after the end, and ``ValueError`` for an unknown reason.
        """
        if reason not in STATUS:
            raise ValueError(f"reason: must be one of {', '.join(STATUS)}")
        self._begin()
        events = self._shown(self._transcript.engine.finish())
        self._transcript.ledger.close()
        self._reason, self._status = reason, STATUS[reason]
        if self._status == "completed" and self._wants_retry():
            self._status = "retry_required"
        events += self._drain()
        answer = self.answer()
        return [*events, CitationsSummary(answer.citations), ArtifactEvent(answer)]

    def _wants_retry(self) -> bool:
        transcript = self._transcript
        return transcript.ledger.wants_retry() and not transcript.engine.text.strip(WHITE_SPACE)

    def reset(self) -> None:
        """Open an ended turn for another answer: its citations are forgotten, its parts stay.

        White space that was shown stays too; the other answer follows it.
        """
        state, text = self._transcript.state(), self._transcript.engine.text
        self._reason, self._status, self._answer = None, "open", None
        self._transcript = Transcript(self._options, self._include, self._material)
        self._transcript.follow(state, text, self._material)

    # -- output -------------------------------------------------------------------------------

    def _shown(self, text: str) -> list[OutputEvent]:
        transcript = self._transcript
        events = self._drain() if transcript.ledger.unsent or self._pending else []
        if text:
            events.append(TextDelta(text))
        if transcript.settle(text):
            events += self._drain()
        return events

    def _drain(self) -> list[OutputEvent]:
        ledger = self._transcript.ledger
        for named in ledger.unsent:
            self._material.carry(named.source_id)
        pending, self._pending = self._pending, []
        return [
            *pending,
            *(CitationEvent(self._citing.citation(one, self._include)) for one in ledger.take()),
        ]

    # -- the answer ---------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """``open`` until the end, then what the turn came to."""
        return self._status

    @property
    def options(self) -> EngineOptions:
        """How the text is treated."""
        return self._options

    @property
    def include(self) -> frozenset[Include]:
        """What its citations and its answer have beside what they always have."""
        return self._include

    @property
    def reason(self) -> EndReason | None:
        """Why the turn ended; None while it runs."""
        return self._reason

    def answer(self) -> Answer:
        """Return what the turn came to, computed once; or, while it runs, how far it has come."""
        if self._answer is not None:
            return self._answer
        answer = self._answer_now()
        if self._reason is not None:
            self._answer = answer
        return answer

    def _answer_now(self) -> Answer:
        material, transcript = self._material, self._transcript
        engine, ledger = transcript.engine, transcript.ledger
        # Those of one offset stay in the order in which their markers ended.
        cited_sources = sorted(
            (named for named in ledger.sources() if named.cited),
            key=lambda named: named.offset,
        )
        citations = tuple(self._citing.citation(one, self._include) for one in cited_sources)
        cited = dict.fromkeys(citation.data_part_id for citation in citations)
        text = engine.text
        diagnostics = None
        if "diagnostics" in self._include:
            diagnostics = Diagnostics(
                tuple(engine.failures),
                material.replaced_signs(),
                sum(map(text.count, SIGNS)),
                engine.widgets if CHATGPT in self._options.dialects() else None,
            )
        return Answer(
            status=self._status,
            reason=self._reason,
            text=text,
            citations=citations,
            cited_parts=tuple(map(material.__getitem__, cited)),
            sources=material.results.sources(),
            cited_sources=self._cited_sources(text, cited),
            dropped=ledger.dropped(ended=self._reason is not None),
            invalid_markers=engine.invalid_markers,
            diagnostics=diagnostics,
            refused=self.refused(),
            part_href=self._part_href,
            unsupported=sum(one.is_unsupported() for one in citations)
            if "check" in self._include
            else None,
        )

    def _cited_sources(self, text: str, cited: Iterable[str]) -> tuple[int, ...]:
        """The numbers that the model wrote (``[1]``), and those of parts that its markers cite."""
        results = self._material.results
        sources = results.sources()
        if not sources:
            return ()
        marked = (number for part_id in cited if (number := results.number(part_id)))
        return tuple(sorted({*self._read_numbers(text, sources), *marked}))

    def sources(self) -> tuple[Source, ...]:
        """Return the numbered web sources so far."""
        return self._material.results.sources()

    def refused(self) -> tuple[Refused, ...]:
        """Return the first 20 parts and results that could not be registered."""
        return tuple(self._material.refused)

    def parts(self) -> tuple[DataPart, ...]:
        """Return the parts registered so far, in order; carried ones are not among them."""
        return self._material.parts()

    def citable(self) -> list[DataPart]:
        """Return all parts that may be cited, carried ones included."""
        return self._material.citable()

    def may_carry(self) -> bool:
        """Tell whether the turn may cite parts of earlier turns."""
        return self._material.may_carry()

    def carried_cited(self, first: int = 0) -> list[DataPart]:
        """Return the carried parts that are cited, from number ``first`` (from 0) on."""
        return self._material.carried_cited(first)

    def prompt(
        self, part_ids: Iterable[str] | None = None, *, style: PromptStyle = "markers"
    ) -> dict[str, Any]:
        """Return what teaches a model to cite the parts registered so far.

        ``part_ids`` chooses some of them, in that order. The result is ``{"instructions": str,
        "parts": [{"id": str, "text": str}]}``; each id, line and pointer in a text resolves when
        the model cites it as printed. Raises ``KeyError`` for an id that no part has.
        """
        return self._material.prompt(part_ids, style)

    def again(self, include: Iterable[Include] = ()) -> "Turn":
        """Return a turn with the same options and parts, which has no text; it also includes
        ``include``.
        """
        rows = self._material.rows()
        turn = Turn(
            options=self._options,
            include=self._include.union(include),
            ids=IdCounter(dict(self._material.ids.counts)),
            part_href=self._part_href,
            preset=self._material.preset,
            web_tools=self._material.web_tools,
            carried=[DataPart.from_json(part) for part in rows["carried"]],
            read_numbers=self._read_numbers,
        )
        turn._material.restore({**rows, "carried_cited": []}, [])
        return turn

    def known(self) -> KnownSources:
        """Return which sources markers may name at the moment."""
        return self._material.known

    def named(self) -> int:
        """Return how many entries the markers have so far."""
        return len(self._transcript.ledger)

    def held(self) -> int:
        """Return how many code points the engine holds back at the moment."""
        return self._transcript.engine.held

    # -- snapshots ----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the whole turn as a JSON value: ``state``, ``text``, ``named``, ``results``,
        ``parts``, ``carried``, ``carried_cited``.

        ``state`` changes all the time and is small. The others only grow at their ends, so that a
        caller that keeps them elsewhere need not write them again and again.
        """
        return {
            "state": self.state(),
            "text": self._transcript.engine.text,
            "named": self.named_rows(0),
            **self._material.rows(),
        }

    def state(self) -> dict[str, Any]:
        """Return what goes on changing, a small JSON object.

        The keys are those of what the turn was made with (``semantics``, ``options``, ``include``,
        ``part_href``, ``preset``, ``web_tools``) and of how far it is (``began``, ``reason``,
        ``status``, ``ids``, ``refused``, ``pending``, ``here``, ``last``, ``unsent``, ``engine``
        and perhaps ``claims``); :meth:`restore` alone reads them.
        """
        material = self._material
        return {
            "semantics": SEMANTICS,
            "options": self._options.as_json(),
            "include": sorted(self._include),
            "part_href": self._part_href,
            "preset": material.preset.digest if material.preset else None,
            "web_tools": sorted(material.web_tools),
            "began": self._began,
            "reason": self._reason,
            "status": self._status,
            "ids": dict(material.ids.counts),
            "refused": list(map(Refused.as_json, material.refused)),
            "pending": [one.as_json() for one in self._pending],
            **self._transcript.state(),
        }

    def named_rows(self, first: int) -> list[dict[str, Any]]:
        """Return what markers named from entry ``first`` (from 0) on, as JSON values."""
        return self._transcript.ledger.rows(first)

    def results_rows(self, first: int) -> list[dict[str, Any]]:
        """Return what results settled from event ``first`` (from 0) on, as JSON values."""
        return self._material.results.rows(first)

    @classmethod
    def restore(
        cls,
        snapshot: dict[str, Any],
        *,
        preset: Preset | None = None,
        read_numbers: CitedNumbers = cited_numbers,
    ) -> "Turn":
        """Return a turn that goes on where :meth:`snapshot` was taken.

        ``preset`` must be the table of targets that the turn had (None for none), so that one turn
        never types its results by two tables; :class:`PresetMismatchError` says that it is not.

        Citations that were sent before are not sent again; those whose part was registered but that
        no output had yet are.
        """
        state = snapshot["state"]
        if state["preset"] != (preset.digest if preset else None):
            raise PresetMismatchError("preset: must be the preset that the snapshot was made with")
        turn = cls(
            options=EngineOptions(**state["options"]),
            include=state["include"],
            ids=IdCounter(state["ids"]),
            part_href=state["part_href"],
            preset=preset,
            web_tools=frozenset(state["web_tools"]),
            carried=[DataPart.from_json(part) for part in snapshot["carried"]],
            read_numbers=read_numbers,
        )
        turn._began = state["began"]
        turn._reason, turn._status = state["reason"], state["status"]
        turn._pending = [output_event(one) for one in state["pending"]]
        turn._material.restore(snapshot, state["refused"])
        turn._transcript.restore(
            state,
            snapshot["text"],
            snapshot["named"],
            turn._include,
            turn._material,
            ended=turn._reason is not None,
        )
        return turn
