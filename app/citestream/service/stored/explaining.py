"""What became of each marker of a stored answer (``citestream explain``).

Reads only. Must not know who asks.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

from citestream.citations import Engine, EngineOptions, read_fields
from citestream.citations.dialects import DIALECTS
from citestream.parts import excerpt
from citestream.service.stored.reading import TurnReader
from citestream.service.stored.recorder import Recorder
from citestream.service.stored.verifying import folded
from citestream.stores.port import Key, TurnLog
from citestream.turns import Citation, Dropped

Outcome = Literal["citation", "unknown_part", "user_origin", "limit", "waiting"]


@dataclass(frozen=True, slots=True)
class SourceOutcome:
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
    named: tuple[SourceOutcome, ...] = ()
    """Of a marker: its sources in text order."""
    why: str | None = None
    """Of a failed candidate: what it broke off at."""


async def explain(log: TurnLog, key: Key) -> list[Passage]:
    """Return the raw answer in passages: joined, their ``raw`` is :meth:`TurnReader.raw`.

    Raises :class:`Problem` for an unknown turn.
    """
    reader = TurnReader(log)
    row = await reader.row(key)
    recorder, _ = folded(row, await reader.inputs(row), await log.parts(key))
    options = EngineOptions(dialect=recorder.turn.options.dialect)
    passages = _passages(await reader.raw(key), options, ended=row.ended is not None)
    return _with_outcomes(passages, options, recorder)


def _passages(raw: str, options: EngineOptions, *, ended: bool) -> list[Passage]:
    """Cut the raw text where candidates begin and end, one character at a time."""
    engine = Engine(options)
    passages: list[Passage] = []
    begun = 0  # the first character of the passage at hand
    inside = False
    failed = 0

    def cut(kind: Literal["text", "marker", "failed", "open"], end: int, why: str | None) -> None:
        nonlocal begun
        if end > begun:
            passages.append(Passage(kind, raw[begun:end], why=why))
        begun = end

    for at, character in enumerate(raw):
        engine.feed(character)
        if engine.invalid_markers > failed:
            failed = engine.invalid_markers
            cut("failed", at, f"U+{ord(character):04X}")
            inside = False
        if engine.held and not inside:
            cut("text", at, None)
            inside = True
        elif inside and not engine.held:
            cut("marker", at + 1, None)
            inside = False
    if inside:
        cut("failed" if ended else "open", len(raw), "the end of the text" if ended else None)
    cut("text", len(raw), None)
    return passages


def _with_outcomes(
    passages: list[Passage], options: EngineOptions, recorder: Recorder
) -> list[Passage]:
    answer = recorder.turn.answer()
    cited, dropped = deque(answer.citations), deque(answer.dropped)
    parts = {part.id: part for part in recorder.turn.citable()}

    def outcome(source_id: str, locator: str) -> SourceOutcome:
        # Both are in text order, so the next of one of them is this one, or it waits.
        if _is(cited, source_id, locator):
            offset = cited.popleft().offset
            resolution = excerpt(parts[source_id], locator).resolution
            return SourceOutcome(source_id, locator, "citation", offset, resolution)
        if _is(dropped, source_id, locator):
            drop = dropped.popleft()
            return SourceOutcome(source_id, locator, drop.reason, drop.offset, None)
        return SourceOutcome(source_id, locator, "waiting", None, None)

    def known(field: str) -> bool | None:
        return field in parts or (None if answer.status == "open" else False)

    dialect = DIALECTS[options.dialect]
    return [
        Passage(
            "marker",
            one.raw,
            tuple(
                outcome(*pair)
                for entry in dialect.entries(one.raw.removesuffix(dialect.end))
                for pair in read_fields(*entry, known) or [entry[:2]]
            ),
        )
        if one.kind == "marker"
        else one
        for one in passages
    ]


def _is(following: deque[Any], source_id: str, locator: str) -> bool:
    first: Citation | Dropped | None = following[0] if following else None
    return first is not None and (first.data_part_id, first.locator) == (source_id, locator)
