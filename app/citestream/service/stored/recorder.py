"""A running turn between two pushes: the fold, its counts, and how both are kept.

Lives here: which rows a push leaves, and how a turn comes back from rows. Must not know how the
store keeps them or who is waiting.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service.problems import INPUT_ERRORS, problem_of
from citestream.service.totals import Totals, parts_of
from citestream.stores.port import EventRow, Kept, PartRow
from citestream.targets import Preset
from citestream.turns import (
    GatheredInput,
    Include,
    InputEvent,
    PartInput,
    ResultsInput,
    Status,
    Turn,
    gather,
    input_event,
)
from citestream.wire.json_text import dumps

RETRIES: Final = 1
"""How often a stored turn may be answered again when an answer cites only what is the user's."""


@dataclass(slots=True)
class Rows:
    """What some input events leave to be kept."""

    inputs: list[bytes] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)
    afresh: bool = False
    status: Status = "open"
    """What the turn has come to; ``retry_required`` also when it goes on waiting for an answer."""
    assigned: list[dict[str, str]] = field(default_factory=list)
    """Id and tool name of each part registered, in order."""
    tool_output: list[dict[str, str]] = field(default_factory=list)
    """What the model is to read of results, in order."""


class RecordedTurn:
    """A turn that is written down as it goes."""

    def __init__(self, turn: Turn, totals: Totals | None = None) -> None:
        self.turn = turn
        self._totals = totals or Totals()
        self._kept = turn.count  # sources named that have rows

    @classmethod
    def begin(
        cls, turn_id: str, options: EngineOptions, include: Iterable[Include]
    ) -> "RecordedTurn":
        """Return a new turn."""
        href = f"/v1/turns/{turn_id}/parts/"
        return cls(Turn(options=options, include=include, retries=RETRIES, part_href=href))

    @classmethod
    def restore(cls, kept: Kept) -> "RecordedTurn":
        """Return the turn that left these rows."""
        state = json.loads(kept.row.state)
        turn = Turn.restore(
            {
                "state": state["turn"],
                "text": "".join(json.loads(data)["text"] for data in kept.deltas),
                "parts": [json.loads(row.data) for row in kept.parts],
                "named": [json.loads(row) for row in kept.named],
            }
        )
        return cls(turn, Totals(*state["totals"]))

    @property
    def state(self) -> bytes:
        """What is kept of the turn beside its rows."""
        totals = self._totals
        return dumps(
            {"turn": self.turn.state(), "totals": [totals.text, totals.deltas, totals.parts]}
        )

    @property
    def size(self) -> int:
        """About how many bytes it holds in memory."""
        return self._totals.text + self._totals.parts

    def accept(
        self,
        events: Iterable[InputEvent],
        ids: IdCounter,
        taken: set[str],
        first: int = 0,
        preset: Preset | None = None,
    ) -> Rows:
        """Fold events in; return what is to be kept.

        A part without an id gets one that is not in ``taken``, to which every part's id is added;
        results get their targets from ``preset``.
        Raises what the turn raises, with ``events[n]`` before the field, counted from ``first``;
        the turn is then no longer what is kept, and must be restored.
        """
        rows = Rows()
        for index, given in enumerate(events, first):
            try:
                self._accept(self._settled(given, ids, taken, preset), rows, taken)
            except INPUT_ERRORS as error:
                raise problem_of(error, f"events[{index}].") from None
        if self.turn.count > self._kept:
            rows.named = [record(row) for row in self.turn.named_rows(self._kept)]
        self._kept = self.turn.count
        return rows

    def _settled(
        self, event: InputEvent, ids: IdCounter, taken: set[str], preset: Preset | None
    ) -> InputEvent:
        """Return the event with all that a later reading could not find out again."""

        def assign(data: Any) -> str:
            part_id = ids.assign("tool", data, taken)
            taken.add(part_id)
            return part_id

        if isinstance(event, ResultsInput):
            return gather(event, assign, self.turn.sources, preset)
        if isinstance(event, PartInput) and event.id is None:
            return replace(event, id=ids.assign(event.origin, event.data, taken))
        return event

    def _accept(self, event: InputEvent, rows: Rows, taken: set[str]) -> None:
        brought = parts_of(event)
        rows.assigned += registered(brought)
        if isinstance(event, GatheredInput):
            rows.tool_output.append({"tool_name": event.tool_name, "text": event.text})
        self._totals.admit(event)
        rows.inputs.append(record(event.as_json()))
        retries = self.turn.retries
        known = len(self.turn.parts) if brought else None
        for made in self.turn.accept(event):
            rows.events.append(EventRow(made.type, dumps(made.as_json())))
        rows.status = self.turn.status
        if self.turn.retries < retries:
            rows.status = "retry_required"
            rows.afresh = True
            self._kept = 0
        if known is not None:
            for part in self.turn.parts[known:]:
                taken.add(part.id)
                rows.parts.append(PartRow(part.id, record(asdict(part))))


def registered(parts: Iterable[PartInput]) -> list[dict[str, str]]:
    """Return what a producer learns of its parts."""
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
    """Tell whether ``given`` is what was accepted as ``row``: an id it leaves open may be any."""
    if row == record(given.as_json()):
        return True
    kept = json.loads(row)
    told = given.as_json()
    if isinstance(given, PartInput) and given.id is None and kept["type"] == "part":
        kept["id"] = None
    if isinstance(given, ResultsInput):
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
