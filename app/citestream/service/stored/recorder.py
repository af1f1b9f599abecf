"""A running turn between two pushes: the fold, its counts, and how both are stored.

Lives here: which rows a push leaves, and how a turn is restored from rows. Must not know how the
store keeps them or who is waiting.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from citestream.citations import EngineOptions
from citestream.parts import DataPart, same_json
from citestream.parts.text import weight
from citestream.service.offload import LOOP_COST
from citestream.service.problems import INPUT_ERRORS, problem_of
from citestream.service.stored.closing import Closing, Lengths, write_closing
from citestream.service.totals import CITATION_COST, Totals
from citestream.stores.port import EventRow, PartRow, TurnRow, TurnSnapshot
from citestream.targets import Preset
from citestream.turns import (
    ArtifactEvent,
    Assign,
    CitationsSummary,
    CustomInput,
    DeltaInput,
    Include,
    InputEvent,
    OutputEvent,
    PartInput,
    Refused,
    Registration,
    ResultsInput,
    SettledResults,
    StartInput,
    Status,
    Turn,
    TurnOrderError,
    input_event,
)
from citestream.wire.json_text import dumps

RETRIES: Final = 1
"""How often a stored turn may be answered again when an answer cites only what is the user's."""
EVENT_COST: Final = 32
"""What an event costs whatever is in it, in the unit of ``service.offload``: some 30 µs."""
ROW_COST: Final = 8
"""The same for a row that is read."""
PART_PASSES: Final = 4
"""How often the data of a part is walked through: sealed, measured, written twice."""


@dataclass(slots=True)
class Rows:
    """What some input events leave to be stored."""

    inputs: list[bytes] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)
    results: list[bytes] = field(default_factory=list)
    reset: bool = False
    """Whether the ``named`` rows stored so far are to be forgotten: another answer begins."""
    status: Status = "open"
    """What the turn came to; ``retry_required`` also when it waits for another answer."""
    assigned: list[dict[str, str]] = field(default_factory=list)
    """Id and tool name of each part registered, in order."""
    tool_output: list[dict[str, str]] = field(default_factory=list)
    """What the model is to read of results, in order."""
    refused: list[Refused] = field(default_factory=list)
    """Parts and results that could not be registered."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The events of a push, checked and settled; the recorder is as it was."""

    steps: list[tuple[InputEvent, Registration | None]]
    """Each event as it is stored, and what it registers."""
    first: int
    """The place of the first of them in the push."""
    totals: Totals

    def events(self) -> list[InputEvent]:
        """Return the events as they are stored."""
        return [event for event, _ in self.steps]


class Recorder:
    """A turn that is written down as it goes."""

    def __init__(
        self, turn: Turn, totals: Totals | None = None, retries: int = RETRIES, began: bool = False
    ) -> None:
        self.turn = turn
        self._totals = totals or Totals()
        self._retries = retries
        self._began = began
        self._closing: tuple[Lengths, str | None] | None = None
        self._marking = True  # whether markers may be waiting for the text that settles them
        # Entries named and events of results that have rows.
        self._named = len(turn.named_rows(0))
        self._results = len(turn.results_rows(0))
        self._may_carry = turn.may_carry()
        self._carried = len(turn.carried_cited())

    @classmethod
    def begin(
        cls,
        turn_id: str,
        options: EngineOptions,
        include: Iterable[Include],
        carried: Iterable[PartRow] = (),
    ) -> "Recorder":
        """Return a new turn that may cite the parts ``carried`` of earlier ones."""
        href = f"/v1/turns/{turn_id}/parts/"
        parts = [DataPart.from_json(_part_fields(row)) for row in carried]
        return cls(Turn(options=options, include=include, part_href=href, carried=parts))

    @classmethod
    def restore(cls, stored: TurnSnapshot) -> "Recorder":
        """Return the turn that left these rows."""
        state = json.loads(stored.row.state)
        # Those that were cited are among the parts, so that they stay when their turn is removed.
        carried = {row.id: _part_fields(row) for row in stored.carried}
        cited = {row.id: _part_fields(row) for row in stored.parts if is_carried(row)}
        turn = Turn.restore(
            {
                "state": state["turn"],
                "text": "".join(json.loads(data)["text"] for data in stored.deltas),
                "parts": [_part_fields(row) for row in stored.parts if row.id not in cited],
                "carried": list((carried | cited).values()),
                "carried_cited": list(cited),
                "named": [json.loads(row) for row in stored.named],
                "results": [json.loads(row) for row in stored.results],
            }
        )
        return cls(turn, Totals(*state["totals"]), state["retries"], began=stored.row.next > 1)

    def state(self) -> bytes:
        """Return what is stored of the turn beside its rows."""
        totals = self._totals
        return dumps(
            {
                "turn": self.turn.state(),
                "totals": [totals.text, totals.deltas, totals.parts],
                "retries": self._retries,
                "closing": self._closing,
            }
        )

    @staticmethod
    def closing_of(row: TurnRow, event: EventRow) -> Closing:
        """Return the pieces of the last event of an ended turn."""
        lengths, text = json.loads(row.state)["closing"]
        return Closing(event.data, Lengths(*lengths), text)

    def cost(self, events: Sequence[InputEvent]) -> int:
        """Return what it costs to take events in, in the unit of ``service.offload``."""
        named = self.turn.named()
        cost = EVENT_COST * len(events)
        if "excerpt" in self.turn.include and (self._marking or _marks(events)):
            cost += LOOP_COST  # a character may settle many markers, each with an excerpt
        for event in events:
            cost += self._totals.cost(event, named)
            match event:
                case PartInput():
                    cost += PART_PASSES * weight(event.data, LOOP_COST)
                case ResultsInput():
                    cost += PART_PASSES * weight(event.results, LOOP_COST)
                case CustomInput():
                    cost += weight(event.value, LOOP_COST)
            if cost > LOOP_COST:
                break
        return cost

    @property
    def size(self) -> int:
        """About how many bytes it holds in memory."""
        return self._totals.text + self._totals.parts

    def admit(
        self,
        events: Iterable[InputEvent],
        assign: Assign,
        first: int = 0,
        preset: Preset | None = None,
        web_tools: frozenset[str] | None = None,
    ) -> Admitted:
        """Check the events of a push and resolve what a replay could not find out again.

        A part without an id gets one from ``assign``; results get their targets from ``preset``,
        and numbers when their tool is one of ``web_tools``. Raises the :class:`Problem` of the
        first event that cannot be taken, with ``events[n]`` before the field, counted from
        ``first``. The recorder does not change.
        """
        intake = None  # most pushes bring deltas alone
        totals = self._totals.copy()
        steps: list[tuple[InputEvent, Registration | None]] = []
        for index, event in enumerate(events, first):
            try:
                if isinstance(event, StartInput) and (self._began or steps):
                    raise TurnOrderError("type: 'start' may only be the first event of a turn")
                registration = None
                if isinstance(event, PartInput | ResultsInput | SettledResults):
                    intake = intake or self.turn.intake(assign, preset, web_tools)
                    registration = intake.admit(event)
                    event = registration.event
                totals.admit(event)
            except INPUT_ERRORS as error:
                raise problem_of(error, f"events[{index}].") from None
            steps.append((event, registration))
        return Admitted(steps, first, totals)

    def fold(self, admitted: Admitted) -> Rows:
        """Fold admitted events in; return what is to be stored.

        Raises a :class:`Problem` for an event after the end of the turn; the recorder is then no
        longer what is stored, and must be restored.
        """
        rows = Rows()
        self._totals = admitted.totals
        self._began = self._began or bool(admitted.steps)
        for index, (event, registration) in enumerate(admitted.steps, admitted.first):
            try:
                self._fold(event, registration, rows)
            except TurnOrderError as error:
                raise problem_of(error, f"events[{index}].") from None
        rows.named = list(map(record, self.turn.named_rows(self._named)))
        rows.results = list(map(record, self.turn.results_rows(self._results)))
        self._named += len(rows.named)
        self._results += len(rows.results)
        if "excerpt" in self.turn.include:
            shown = any(row.type == "delta" for row in rows.events)
            self._marking = _marks(admitted.events()) or (self._marking and not shown)
        return rows

    def _fold(self, event: InputEvent, registration: Registration | None, rows: Rows) -> None:
        rows.inputs.append(record(event.as_json()))
        if registration:
            rows.assigned += registered(registration.parts)
            rows.refused += registration.refused
            if isinstance(event, SettledResults):
                rows.tool_output.append({"tool_name": event.tool_name, "text": event.text})
            rows.parts += map(_part_row, self.turn.new_parts(registration))
            made = self.turn.take(registration)
        else:
            made = self.turn.accept(event)
        if self._may_carry:
            carried = self.turn.carried_cited(self._carried)
            rows.parts += [_part_row(part, carried=True) for part in carried]
            self._carried += len(carried)
        rows.status = self.turn.status
        if rows.status == "retry_required" and self._retries:
            # No reader sees how this answer ended: the producer is to push another.
            made = [one for one in made if not isinstance(one, CitationsSummary | ArtifactEvent)]
            self._retries -= 1
            self.turn.reset()
            self._named = 0
            rows.reset = True
        rows.events += map(self._written, made)

    def _written(self, event: OutputEvent) -> EventRow:
        if isinstance(event, ArtifactEvent):
            data, lengths = write_closing(event)
            # An artifact without parts does not say the white space that readers have.
            self._closing = lengths, None if lengths.parts else event.answer.text
            return EventRow(event.type, data)
        return EventRow(event.type, dumps(event.as_json()))


def _marks(events: Iterable[InputEvent]) -> bool:
    """Tell whether there may be a piece of a marker in deltas, or a start that asks for excerpts.

    The signs of markers are private characters, which are not printable.
    """
    return any(
        isinstance(event, StartInput)
        or (isinstance(event, DeltaInput) and not event.text.isprintable())
        for event in events
    )


def restore_cost(stored: TurnSnapshot) -> int:
    """Return what it costs to restore a turn, in the unit of ``service.offload``."""
    rows = [*stored.deltas, *stored.named, *stored.results]
    rows += (row.data for row in (*stored.parts, *stored.carried))
    return ROW_COST * len(rows) + sum(map(len, rows)) + CITATION_COST * len(stored.named)


def _part_row(part: DataPart, *, carried: bool = False) -> PartRow:
    about = part.as_json()
    del about["data"]
    if carried:
        about["carried"] = True
    return PartRow(part.id, record(about), record(part.data))


def _part_fields(row: PartRow) -> dict[str, Any]:
    about = json.loads(row.about)
    about.pop("carried", None)
    return {**about, "data": json.loads(row.data)}


def stored_part(row: PartRow) -> DataPart:
    """Return a part as it is stored."""
    return DataPart.from_json(_part_fields(row))


def is_carried(row: PartRow) -> bool:
    """Tell whether a part of a turn is one of an earlier turn that it cites."""
    return "carried" in json.loads(row.about)


def registered(parts: Iterable[PartInput | DataPart]) -> list[dict[str, str]]:
    """Return what a producer is told of its parts: ``id`` and ``tool_name`` of each."""
    return [{"id": str(part.id), "tool_name": part.tool_name} for part in parts]


def record(value: Any) -> bytes:
    """Return a JSON value as bytes; a half of a surrogate pair is kept as it is, escaped."""
    try:
        return dumps(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def recorded_event(row: bytes) -> InputEvent:
    """Return the input event that was recorded as ``row``."""
    return input_event(json.loads(row))


def same_event(row: bytes, given: InputEvent) -> bool:
    """Tell whether ``given`` was accepted as ``row``; an id that it leaves open fits any."""
    if row == record(given.as_json()):
        return True
    kept = json.loads(row)
    told = json.loads(record(given.as_json()))
    if isinstance(given, PartInput) and given.id is None and kept["type"] == "part":
        kept["id"] = None
    if isinstance(given, PartInput | ResultsInput):
        kept = {name: kept.get(name) for name in told}
    return same_json(kept, told)
