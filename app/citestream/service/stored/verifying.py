"""The oracle: a stored turn folded anew from its input, and what became of each marker.

Lives here: what is behind ``citestream verify`` and ``citestream explain``. Reads only; whatever is
found is told, never mended.
"""

import json
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from citestream import citations
from citestream.citations import EngineOptions, PassageReader, read_fields
from citestream.parts import IdCounter, excerpt
from citestream.service.problems import Problem
from citestream.service.stored.recorder import Recorder, Rows
from citestream.service.stored.turns import PAGE, StoredTurns
from citestream.stores.port import EventRow, TurnRow
from citestream.turns import SEMANTICS, Citation, Dropped, InputEvent

MAX_DIFFERENCES: Final = 20
"""Differences of one turn that are told."""


async def verify(turns: StoredTurns, turn_id: str) -> list[str]:
    """Fold a turn's input anew; return in what its rows differ, at most 20 lines, none of its text.

    Events are compared byte by byte (only the last, where retention has let the others go), and so
    are parts, named sources, the engine's state, status and reason. A turn that began under other
    rules than this version's cannot be compared, and that is what is said. Raises
    :class:`Problem` for an unknown turn and :class:`~citestream.stores.port.DamagedError` for rows
    that are not what was written.
    """
    row = await turns.row(turn_id)
    if row.semantics != SEMANTICS:
        return [f"semantics: began under {row.semantics}, this version folds under {SEMANTICS}"]
    try:
        recorded, rows = _folded(row, await turns.inputs(row))
    except Problem as problem:
        return [f"input: is refused now: {problem.detail}"]
    found = [
        f"{name}: differs"
        for name, stored, made in (
            ("status", row.status, recorded.turn.status),
            ("reason", row.reason, recorded.turn.reason),
            ("state", row.state, recorded.state()),
            ("parts", await turns.log.parts(turn_id), rows.parts),
            ("named", await turns.log.named(turn_id), rows.named),
            ("results", await turns.log.results(turn_id), rows.results),
        )
        if stored != made
    ]
    if row.events != len(rows.events):
        found.append(f"events: {row.events} stored, {len(rows.events)} made")
    found += await _other_events(turns, row, rows.events)
    return found[:MAX_DIFFERENCES]


def _folded(row: TurnRow, inputs: list[InputEvent]) -> tuple[Recorder, Rows]:
    """Return the turn as it comes from its input, and all the rows it leaves."""
    state = json.loads(row.state)["turn"]
    recorded = Recorder.begin(row.id, EngineOptions(**state["options"]), state["include"])
    rows = recorded.fold(recorded.admit(inputs, IdCounter().assign))
    return recorded, rows


async def _other_events(turns: StoredTurns, row: TurnRow, made: list[EventRow]) -> list[str]:
    after = row.events - 1 if row.trimmed else 0
    found: list[str] = []
    while len(found) < MAX_DIFFERENCES:
        page = await turns.log.events(row.id, after, PAGE)
        if not page:
            break
        for number, stored in enumerate(page, after + 1):
            if number > len(made) or stored != made[number - 1]:
                found.append(f"events[{number}]: differs")
        after += len(page)
    return found


Outcome = Literal["citation", "unknown_part", "user_origin", "limit", "waiting"]


_Marked = TypeVar("_Marked", Citation, Dropped)


@dataclass(frozen=True, slots=True)
class Named:
    """One source that a marker names, and what became of it."""

    data_part_id: str
    locator: str
    outcome: Outcome
    """``citation``; why it was dropped; or ``waiting`` while its part may still come."""
    offset: int | None
    """Code points of the clean text before it; None while that is not settled."""
    resolution: str | None
    """Of a citation: ``whole``, ``resolved`` or ``unresolved``."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the raw answer: text, a marker, a candidate that failed, or an open one."""

    kind: Literal["text", "marker", "failed", "open"]
    raw: str
    named: tuple[Named, ...] = ()
    """Of a marker: its sources in text order."""
    why: str | None = None
    """Of a failed candidate: what it broke off at."""


async def explain(turns: StoredTurns, turn_id: str) -> list[Passage]:
    """Return the raw answer in passages: joined, their ``raw`` is :meth:`StoredTurns.raw`.

    Raises :class:`Problem` for an unknown turn.
    """
    row = await turns.row(turn_id)
    recorded, _ = _folded(row, await turns.inputs(row))
    state = json.loads(row.state)["turn"]
    reader = PassageReader(EngineOptions(**state["options"]), recorded.turn.known())
    reader.feed(await turns.raw(turn_id))
    return _with_outcomes(reader.passages(ended=row.ended is not None), recorded)


def _with_outcomes(found: list[citations.Passage], recorded: Recorder) -> list[Passage]:
    answer = recorded.turn.answer()
    cited, dropped = list(answer.citations), list(answer.dropped)
    parts = {part.id: part for part in recorded.turn.parts()}
    resolve = recorded.turn.known().resolve

    def outcome(source_id: str, locator: str) -> Named:
        if citation := _taken(cited, source_id, locator):
            resolution = excerpt(parts[source_id], locator).resolution
            return Named(source_id, locator, "citation", citation.offset, resolution)
        if drop := _taken(dropped, source_id, locator):
            return Named(source_id, locator, drop.reason, drop.offset, None)
        return Named(source_id, locator, "waiting", None, None)

    def known(field: str) -> bool | None:
        return field in parts or (None if answer.status == "open" else False)

    return [
        Passage(
            one.kind,
            one.raw,
            tuple(
                outcome((one.numbered and resolve(source)) or source, locator)
                for entry in one.named
                for source, locator in read_fields(*entry, known) or [entry[:2]]
            ),
            one.why,
        )
        for one in found
    ]


def _taken(those: list[_Marked], source_id: str, locator: str) -> _Marked | None:
    """Take the first of these that a marker names so; they are in text order, as the markers."""
    for number, one in enumerate(those):
        if (one.data_part_id, one.locator) == (source_id, locator):
            return those.pop(number)
    return None
