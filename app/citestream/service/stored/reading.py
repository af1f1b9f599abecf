"""Reading stored turns: rows, answers, parts, raw text, inputs. Nothing here writes.

An ended turn is never computed again: its answer is put together from its last event. Must not know
HTTP or who pushes.
"""

import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any, Final

from citestream.parts import DataPart
from citestream.parts.locators import has_envelope
from citestream.parts.text import replace_surrogates
from citestream.service.offload import offload
from citestream.service.problems import NOT_FOUND, Problem
from citestream.service.stored.closing import Closing, write_closing
from citestream.service.stored.recorder import (
    ROW_COST,
    Recorder,
    recorded_event,
    restore_cost,
    stored_part,
)
from citestream.stores.port import DamagedError, Key, TurnLog, TurnRow, TurnSnapshot
from citestream.turns import ArtifactEvent, InputEvent, PromptStyle, prompt_of
from citestream.turns.results import numbers_in
from citestream.wire.json_text import dumps

PAGE: Final = 500
"""Rows read from the store at once."""


def not_found() -> Problem:
    """Return the problem of a turn that is not there."""
    return Problem(NOT_FOUND, "turn_id: there is no turn with this id")


class TurnReader:
    """The turns of one store, to be read."""

    def __init__(self, log: TurnLog) -> None:
        self._log = log

    async def row(self, key: Key) -> TurnRow:
        """Return the turn's row; 404 for an unknown one."""
        row = await self._log.turn(key)
        if row is None:
            raise not_found()
        return row

    async def restored(self, key: Key) -> tuple[TurnRow, Recorder] | None:
        """Return a turn as it is stored at this moment, None when it is not there."""
        snapshot = (await self._log.snapshots([key])).get(key)
        if snapshot is None:
            return None
        recorder = await offload(lambda: Recorder.restore(snapshot), cost=restore_cost(snapshot))
        return snapshot.row, recorder

    # -- answers ------------------------------------------------------------------------------

    async def answer(self, key: Key) -> bytes:
        """Return the answer as far as it has come, with the turn's ids, labels and times, as JSON.

        The members are ``id``, ``session_id``, ``labels``, ``created``, ``ended``, ``next``, and
        those of :meth:`~citestream.turns.Answer.as_json`. 404 for an unknown turn.
        """
        row, closing = await self.closing(await self.row(key))
        about = dumps(
            {
                "id": row.id,
                "session_id": row.session_id,
                "labels": json.loads(row.labels),
                "created": row.created,
                "ended": row.ended,
                "next": row.next,
                "status": row.status,
                "reason": row.reason,
            }
        )
        outcome = dumps({"status": row.status, "reason": row.reason})[1:-1]
        pieces = [
            *(about[:-1], b',"text":', closing.text(), b',"citations":', closing.citations()),
            *(b',"artifact":', closing.artifact(), closing.outcome()[len(outcome) :], b"}"),
        ]
        return b"".join(pieces)

    async def closing(self, row: TurnRow) -> tuple[TurnRow, Closing]:
        """Return how far a turn has come, as the event with which it would close, and its row."""
        if row.ended is not None:
            event = (await self._log.last_events([row.key], 1)).get(row.key)
        else:
            snapshot = (await self._log.snapshots([row.key])).get(row.key)
            if snapshot is None:
                raise not_found()
            row = snapshot.row
            if row.ended is None:
                return row, await closing_of(snapshot)
            event = (await self._log.last_events([row.key], 1)).get(row.key)
        if event is None:
            raise not_found()
        return row, Recorder.closing_of(row, event)

    async def part(self, key: Key, part_id: str) -> bytes:
        """Return a part of the turn as it is passed through, as JSON; 404 for one not cited.

        Only a citation passes a part through to readers (S1).
        """
        _, closing = await self.closing(await self.row(key))
        citations = closing.citations()
        cited = await offload(lambda: _cited_ids(citations), cost=len(citations))
        stored = await self._log.part(key, part_id) if part_id in cited else None
        if stored is None:
            raise Problem(NOT_FOUND, "part_id: the turn cites no part with this id")
        row = stored
        return await offload(lambda: _passed_through(row.about, row.data), cost=len(row.data))

    async def whole_part(self, key: Key, part_id: str) -> tuple[DataPart, int]:
        """Return a part of the turn, and the bytes of JSON of its data; 404 for an unknown one."""
        row = await self._log.part(key, part_id)
        if row is None:
            raise Problem(NOT_FOUND, "part_id: the turn has no part with this id")
        found = row
        return await offload(lambda: stored_part(found), cost=len(row.data)), len(row.data)

    async def prompt(
        self, key: Key, part_ids: Sequence[str] | None, style: PromptStyle
    ) -> dict[str, Any]:
        """Return what teaches a model to cite the parts of a turn as it is.

        ``part_ids`` chooses some of them, in that order. The result is ``{"instructions", "parts":
        [{"id", "text"}]}``. Raises :class:`Problem` for an unknown turn or part.
        """
        await self.row(key)
        if part_ids is None:
            rows = await self._log.parts(key)
        else:
            found = [await self._log.part(key, part_id) for part_id in part_ids]
            rows = [row for row in found if row is not None]
            if len(rows) < len(found):
                raise Problem(NOT_FOUND, "part_id: the turn has no part with this id")
        numbers = numbers_in(map(json.loads, await self._log.results(key)))

        def shown() -> dict[str, Any]:
            return prompt_of(map(stored_part, rows), numbers.get, style)

        return await offload(shown, cost=sum(len(row.data) for row in rows))

    async def about(self, key: Key, part_ids: Collection[str]) -> dict[str, Any]:
        """Return where parts came from, by id: ``tool_name``, ``title``, ``url``, ``source``."""
        found = (await self._log.about_parts({key: part_ids})).get(key, {})
        fields = ("tool_name", "title", "url", "source")
        shown = {part_id: json.loads(about) for part_id, about in found.items()}
        return {
            part_id: {name: about.get(name) for name in fields} for part_id, about in shown.items()
        }

    # -- inputs -------------------------------------------------------------------------------

    async def raw(self, key: Key) -> str:
        """Return the raw text of the answer, markers and all, surrogate halves replaced."""
        row = await self.row(key)
        pieces: list[str] = []
        number = 0
        async for page in self.input_rows(row, 1, row.next - 1):
            for event in await _decoded(page, json.loads):
                number += 1
                if event["type"] == "delta":
                    pieces.append(event["text"])
                elif event["type"] == "end" and (row.ended is None or number < row.next - 1):
                    pieces.clear()  # an answer that was to be given again
        cost = sum(map(len, pieces))
        return await offload(lambda: replace_surrogates("".join(pieces)), cost=cost)

    async def inputs(self, row: TurnRow) -> list[InputEvent]:
        """Return all input events of a turn."""
        found: list[InputEvent] = []
        async for page in self.input_rows(row, 1, row.next - 1):
            found += await _decoded(page, recorded_event)
        return found

    async def input_rows(self, row: TurnRow, first: int, count: int) -> AsyncIterator[list[bytes]]:
        """Yield input rows from number ``first`` on, in pages, ``count`` in all.

        Raises :class:`~citestream.stores.port.DamagedError` when some are missing.
        """
        while count > 0:
            page = await self._log.inputs(row.key, first, min(PAGE, count))
            if not page:
                await self.row(row.key)
                raise DamagedError("inputs are missing")
            yield page
            first += len(page)
            count -= len(page)


async def closing_of(snapshot: TurnSnapshot) -> Closing:
    """Return how far a running turn has come, as the event with which it would close."""

    def work() -> Closing:
        answer = Recorder.restore(snapshot).turn.answer()
        data, lengths = write_closing(ArtifactEvent(answer))
        return Closing(data, lengths, None if lengths.parts else answer.text)

    return await offload(work, cost=2 * restore_cost(snapshot))


async def _decoded(page: Sequence[bytes], decode: Callable[[bytes], Any]) -> list[Any]:
    cost = sum(map(len, page)) + ROW_COST * len(page)
    return await offload(lambda: [decode(row) for row in page], cost=cost)


def _cited_ids(citations: bytes) -> set[str]:
    return {one["data_part_id"] for one in json.loads(citations)}


def _passed_through(about: bytes, data: bytes) -> bytes:
    part = json.loads(about)
    value = json.loads(data)
    metadata = dumps({"dataPartId": part["id"], "toolName": part["tool_name"]})
    enveloped = dumps(value) if has_envelope(value) else b'{"value":' + dumps(value) + b"}"
    return b'{"data":' + enveloped + b',"metadata":' + metadata + b"}"
