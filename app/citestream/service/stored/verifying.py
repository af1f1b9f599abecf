"""The oracle: a stored turn is folded again from its input and compared (``citestream verify``).

Reads only; what is found is reported, never mended.
"""

import json
from typing import Final

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service.problems import Problem
from citestream.service.stored.reading import PAGE, TurnReader
from citestream.service.stored.recorder import Recorder, Rows, is_carried
from citestream.stores.port import EventRow, Key, PartRow, TurnLog, TurnRow
from citestream.turns import SEMANTICS, InputEvent

MAX_DIFFERENCES: Final = 20
"""Differences of one turn that are reported."""


async def verify(log: TurnLog, key: Key) -> list[str]:
    """Fold a turn's input again; return in what its rows differ, at most 20 lines without its text.

    Events are compared byte by byte (only the last, where retention has let the others go), and so
    are parts, named sources, the engine's state, status and reason. A turn that began under other
    rules than this version's cannot be compared, and that is what is said. Raises
    :class:`Problem` for an unknown turn and :class:`~citestream.stores.port.DamagedError` for rows
    that are not what was written.
    """
    reader = TurnReader(log)
    row = await reader.row(key)
    if row.semantics != SEMANTICS:
        return [f"semantics: began under {row.semantics}, this version folds under {SEMANTICS}"]
    try:
        recorder, rows = folded(row, await reader.inputs(row), await log.parts(key))
    except Problem as problem:
        return [f"input: is refused now: {problem.detail}"]
    found = [
        f"{name}: differs"
        for name, stored, made in (
            ("status", row.status, recorder.turn.status),
            ("reason", row.reason, recorder.turn.reason),
            ("state", row.state, recorder.state()),
            ("parts", await log.parts(key), rows.parts),
            ("named", await log.named(key), rows.named),
            ("results", await log.results(key), rows.results),
        )
        if stored != made
    ]
    if row.events != len(rows.events):
        found.append(f"events: {row.events} stored, {len(rows.events)} made")
    found += await _other_events(log, row, rows.events)
    return found[:MAX_DIFFERENCES]


def folded(row: TurnRow, inputs: list[InputEvent], parts: list[PartRow]) -> tuple[Recorder, Rows]:
    """Return the turn that follows from its input, and all the rows that it leaves.

    Of ``parts``, as they are stored, those of earlier turns that it cites were known from the
    beginning.
    """
    state = json.loads(row.state)["turn"]
    recorder = Recorder.begin(
        row.id, EngineOptions(**state["options"]), state["include"], filter(is_carried, parts)
    )
    return recorder, recorder.fold(recorder.admit(inputs, IdCounter().assign))


async def _other_events(log: TurnLog, row: TurnRow, made: list[EventRow]) -> list[str]:
    after = row.events - 1 if row.trimmed else 0
    found: list[str] = []
    while len(found) < MAX_DIFFERENCES:
        page = await log.events(row.key, after, PAGE)
        if not page:
            break
        for number, stored in enumerate(page, after + 1):
            if number > len(made) or stored != made[number - 1]:
                found.append(f"events[{number}]: differs")
        after += len(page)
    return found
