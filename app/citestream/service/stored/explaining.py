"""What became of each marker of a stored answer (``citestream explain``).

Reads only. Must not know who asks.
"""

from dataclasses import dataclass
from typing import Literal, TypeVar

from citestream import citations
from citestream.citations import PassageReader, read_fields
from citestream.parts import excerpt
from citestream.service.stored.reading import TurnReader
from citestream.service.stored.recorder import Recorder
from citestream.service.stored.verifying import folded
from citestream.stores.port import Key, TurnLog
from citestream.turns import Citation, Dropped

Outcome = Literal["citation", "unknown_part", "user_origin", "limit", "waiting"]
_Marked = TypeVar("_Marked", Citation, Dropped)


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
    passages = PassageReader(recorder.turn.options, recorder.turn.known())
    passages.feed(await reader.raw(key))
    return _with_outcomes(passages.passages(ended=row.ended is not None), recorder)


def _with_outcomes(found: list[citations.Passage], recorder: Recorder) -> list[Passage]:
    answer = recorder.turn.answer()
    cited, dropped = list(answer.citations), list(answer.dropped)
    parts = {part.id: part for part in recorder.turn.citable()}
    resolve = recorder.turn.known().resolve

    def outcome(source_id: str, locator: str) -> SourceOutcome:
        if citation := _taken(cited, source_id, locator):
            resolution = excerpt(parts[source_id], locator).resolution
            return SourceOutcome(source_id, locator, "citation", citation.offset, resolution)
        if drop := _taken(dropped, source_id, locator):
            return SourceOutcome(source_id, locator, drop.reason, drop.offset, None)
        return SourceOutcome(source_id, locator, "waiting", None, None)

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
