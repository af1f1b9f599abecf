"""A running turn between two pushes: the fold, its counts, and how both are stored.

Lives here: which rows a push leaves, and how a turn is restored from rows. Must not know how the
store keeps them or who is waiting.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from citestream.citations import EngineOptions
from citestream.parts import DataPart
from citestream.service.problems import INPUT_ERRORS, problem_of
from citestream.service.totals import Totals
from citestream.stores.port import EventRow, PartRow, TurnSnapshot
from citestream.targets import Preset
from citestream.turns import (
    ArtifactEvent,
    Assign,
    CitationsSummary,
    Include,
    InputEvent,
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


class Recorder:
    """A turn that is written down as it goes."""

    def __init__(
        self, turn: Turn, totals: Totals | None = None, retries: int = RETRIES, began: bool = False
    ) -> None:
        self.turn = turn
        self._totals = totals or Totals()
        self._retries = retries
        self._began = began
        # Entries named and events of results that have rows.
        self._named = len(turn.named_rows(0))
        self._results = len(turn.results_rows(0))

    @classmethod
    def begin(cls, turn_id: str, options: EngineOptions, include: Iterable[Include]) -> "Recorder":
        """Return a new turn."""
        href = f"/v1/turns/{turn_id}/parts/"
        return cls(Turn(options=options, include=include, part_href=href))

    @classmethod
    def restore(cls, stored: TurnSnapshot) -> "Recorder":
        """Return the turn that left these rows."""
        state = json.loads(stored.row.state)
        turn = Turn.restore(
            {
                "state": state["turn"],
                "text": "".join(json.loads(data)["text"] for data in stored.deltas),
                "parts": [json.loads(row.data) for row in stored.parts],
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
            }
        )

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
        intake = self.turn.intake(assign, preset, web_tools)
        totals = replace(self._totals)
        steps: list[tuple[InputEvent, Registration | None]] = []
        for index, event in enumerate(events, first):
            try:
                if isinstance(event, StartInput) and (self._began or steps):
                    raise TurnOrderError("type: 'start' may only be the first event of a turn")
                registration = None
                if isinstance(event, PartInput | ResultsInput | SettledResults):
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
        return rows

    def _fold(self, event: InputEvent, registration: Registration | None, rows: Rows) -> None:
        rows.inputs.append(record(event.as_json()))
        if registration:
            rows.assigned += registered(registration.parts)
            rows.refused += registration.refused
            if isinstance(event, SettledResults):
                rows.tool_output.append({"tool_name": event.tool_name, "text": event.text})
            for part in self.turn.new_parts(registration):
                rows.parts.append(PartRow(part.id, record(part.as_json())))
            made = self.turn.take(registration)
        else:
            made = self.turn.accept(event)
        rows.status = self.turn.status
        if rows.status == "retry_required" and self._retries:
            # No reader sees how this answer ended: the producer is to push another.
            made = [one for one in made if not isinstance(one, CitationsSummary | ArtifactEvent)]
            self._retries -= 1
            self.turn.reset()
            self._named = 0
            rows.reset = True
        rows.events += [EventRow(one.type, dumps(one.as_json())) for one in made]


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
    told = given.as_json()
    if isinstance(given, PartInput) and given.id is None and kept["type"] == "part":
        kept["id"] = None
    if isinstance(given, PartInput | ResultsInput):
        kept = {name: kept.get(name) for name in told}
    return _canonical(kept) == _canonical(told)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def answer_in(event: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that a closing event holds."""
    parts = event["artifact"]["parts"]
    answer = {
        "status": event["status"],
        "reason": event["reason"],
        "text": parts[0]["text"] if parts else "",
        "citations": parts[0]["metadata"]["citations"] if parts else [],
    }
    return {**answer, **{name: value for name, value in event.items() if name != "type"}}
