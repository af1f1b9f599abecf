"""A running turn between two pushes: the fold, its counts, and how both are kept.

Lives here: which rows a push leaves, and how a turn comes back from rows. Must not know how the
store keeps them or who is waiting.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service.problems import INPUT_ERRORS, problem_of
from citestream.stores.port import EventRow, PartRow
from citestream.turns import DeltaInput, Include, InputEvent, PartInput, Turn, input_event
from citestream.wire.inputs import (
    MAX_DELTAS,
    MAX_PARTS_SIZE,
    MAX_TEXT,
    FieldProblem,
    InputError,
    json_size,
    utf8_size,
)
from citestream.wire.json_text import dumps

RETRIES: Final = 1
"""How often a stored turn may be answered again when an answer cites only what is the user's."""


@dataclass(slots=True)
class Totals:
    """What has been accepted into a turn, in bytes and numbers; and how far its parts are kept."""

    text: int = 0
    deltas: int = 0
    parts: int = 0

    def admit(self, event: InputEvent) -> None:
        """Count an event; raise :class:`InputError` when a turn may not hold it."""
        if isinstance(event, DeltaInput):
            self.deltas += 1
            self.text += utf8_size(event.text)
            _within("text", self.text, MAX_TEXT, "bytes of UTF-8 in a turn")
            _within("deltas", self.deltas, MAX_DELTAS, "deltas in a turn")
        elif isinstance(event, PartInput):
            self.parts += json_size(event.data)
            _within("data", self.parts, MAX_PARTS_SIZE, "bytes of JSON in the parts of a turn")


def _within(name: str, value: int, limit: int, unit: str) -> None:
    if value > limit:
        raise InputError([FieldProblem(name, f"at most {limit} {unit}")])


@dataclass(slots=True)
class Rows:
    """What some input events leave to be kept."""

    inputs: list[bytes] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)
    afresh: bool = False
    retry_required: bool = False
    assigned: list[dict[str, str]] = field(default_factory=list)
    """Id and tool name of each part registered, in order."""


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
    def restore(
        cls, state: bytes, text: str, parts: Sequence[PartRow], named: Sequence[bytes]
    ) -> "RecordedTurn":
        """Return the turn that left these rows."""
        kept = json.loads(state)
        turn = Turn.restore(
            {
                "state": kept["turn"],
                "text": text,
                "parts": [json.loads(row.data) for row in parts],
                "named": [json.loads(row) for row in named],
            }
        )
        return cls(turn, Totals(**kept["totals"]))

    @property
    def state(self) -> bytes:
        """What is kept of the turn beside its rows."""
        return record({"turn": self.turn.state(), "totals": asdict(self._totals)})

    def accept(self, events: Iterable[InputEvent], ids: IdCounter, taken: set[str]) -> Rows:
        """Fold events in; return what is to be kept.

        A part without an id gets one that is not in ``taken``, to which every part's id is added.
        Raises what the turn raises, with ``events[n]`` before the field; the turn is then no longer
        what is kept, and must be restored.
        """
        rows = Rows()
        for index, given in enumerate(events):
            try:
                self._accept(given, rows, ids, taken)
            except INPUT_ERRORS as error:
                raise problem_of(error, f"events[{index}].") from None
        rows.named = [record(row) for row in self.turn.named_rows(self._kept)]
        self._kept = self.turn.count
        return rows

    def _accept(self, event: InputEvent, rows: Rows, ids: IdCounter, taken: set[str]) -> None:
        if isinstance(event, PartInput):
            if event.id is None:
                event = replace(event, id=ids.assign(event.origin, event.data, taken))
            rows.assigned.append({"id": str(event.id), "tool_name": event.tool_name})
        self._totals.admit(event)
        rows.inputs.append(record(event.as_json()))
        retries = self.turn.retries
        known = len(self.turn.parts) if isinstance(event, PartInput) else None
        rows.events += (
            EventRow(made.type, dumps(made.as_json())) for made in self.turn.accept(event)
        )
        rows.retry_required = self.turn.retries < retries
        if rows.retry_required:
            rows.afresh = True
            self._kept = 0
        if known is not None:
            for part in self.turn.parts[known:]:
                taken.add(part.id)
                rows.parts.append(PartRow(part.id, record(asdict(part))))


def record(value: Any) -> bytes:
    """Return a JSON value as ASCII bytes: a half of a surrogate pair is kept as it is."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def recorded_event(row: bytes) -> InputEvent:
    """Return the input event that was recorded as ``row``."""
    return input_event(json.loads(row))


def same_event(row: bytes, given: InputEvent) -> bool:
    """Tell whether ``given`` is what was accepted as ``row``: an id it leaves open may be any."""
    kept = json.loads(row)
    told = given.as_json()
    if isinstance(given, PartInput) and given.id is None and kept["type"] == "part":
        kept["id"] = None
    return _canonical(kept) == _canonical(told)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
