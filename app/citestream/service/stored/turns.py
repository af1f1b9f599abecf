"""Stored turns: create, push, follow, read, remove.

Lives here: what a push means, and the one path by which events reach readers. A turn in memory is
only a copy of what is committed; when a commit fails or another process was quicker, the copy is
thrown away and read anew. Must not know SQL or HTTP.
"""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from citestream.citations import EngineOptions
from citestream.parts import DataPart, IdCounter
from citestream.parts.locators import has_envelope
from citestream.parts.text import whole_characters
from citestream.service.offload import offload
from citestream.service.problems import (
    CURSOR_GONE,
    ENDED,
    EXISTS,
    KEY_REUSED,
    NOT_FOUND,
    OUT_OF_STEP,
    Problem,
)
from citestream.service.stored.feeds import Feed, Feeds
from citestream.service.stored.part_ids import LiveSession, Sessions
from citestream.service.stored.recorder import (
    Recorder,
    Rows,
    answer_in,
    record,
    recorded_event,
    registered,
    same_event,
)
from citestream.service.totals import parts_of
from citestream.stores.failpoints import Failpoint, nowhere
from citestream.stores.port import (
    ConflictError,
    DamagedError,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    KeyReusedError,
    Push,
    TurnLog,
    TurnRow,
)
from citestream.targets import Preset
from citestream.telemetry.logs import tell_answer
from citestream.telemetry.metrics import Metrics
from citestream.turns import (
    SEMANTICS,
    WEB_TOOLS,
    EndInput,
    Include,
    InputEvent,
    PartInput,
    PromptStyle,
    Refused,
    ResultsInput,
    SettledResults,
    prompt_of,
    refusals,
    refused_json,
)
from citestream.turns.answer import MAX_REFUSED
from citestream.turns.results import numbers_in

PAGE: Final = 500
"""Rows read from the store at once."""
MAX_LIVE: Final = 2000
"""Turns kept in memory between two pushes."""
MAX_LIVE_BYTES: Final = 256 * 1024 * 1024
"""Bytes of text and parts of all of them together."""


class PushAnswer(NamedTuple):
    """What a producer learns from a push."""

    next: int
    parts: list[dict[str, str]]
    status: str
    tool_output: list[dict[str, str]]
    refused: list[Refused]
    prompt: str
    """The address at which the model's instructions and the turn's parts are read."""

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "next": self.next,
            "parts": self.parts,
            "tool_output": self.tool_output,
            "status": self.status,
            **({"prompt": self.prompt} if self.parts else {}),
            **refused_json(self.refused[:MAX_REFUSED]),
        }


class _Live:
    """A turn in memory: a copy of what is committed, and whose turn it is to push."""

    __slots__ = ("lock", "recorded", "row", "size")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.row: TurnRow | None = None
        self.recorded: Recorder | None = None
        self.size = 0


class StoredTurns:
    """The turns of one store. ``clock`` gives seconds since the epoch, ``new_id`` random ids.

    ``at`` is the hook of the failpoints, ``preset`` the table of targets for results, whose numbers
    those of ``web_tools`` get.
    """

    def __init__(
        self,
        log: TurnLog,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        at: Failpoint = nowhere,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
        metrics: Metrics | None = None,
    ) -> None:
        self.log = log
        self.clock = clock
        self.feeds = Feeds(log)
        self._new_id = new_id
        self._preset = preset
        self._web_tools = web_tools
        self._metrics = metrics or Metrics()
        self._at = at
        self._sessions = Sessions(log)
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._live_bytes = 0

    # -- create -------------------------------------------------------------------------------

    async def create(
        self,
        *,
        turn_id: str | None = None,
        session_id: str | None = None,
        options: EngineOptions | None = None,
        include: Iterable[Include] = (),
        labels: dict[str, str] | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Create a turn; return ``{"id", "session_id", "next": 1}``.

        With an idempotency ``key`` the same request again gives the same answer.
        """
        options = options or EngineOptions()
        request = record([turn_id, session_id, repr(options), sorted(include), labels])
        turn_id = turn_id or self._new_id()
        session_id = session_id or self._new_id()
        now = self.clock()
        answer = {"id": turn_id, "session_id": session_id, "next": 1}
        recorded = Recorder.begin(turn_id, options, include)
        row = TurnRow(
            id=turn_id,
            session_id=session_id,
            semantics=SEMANTICS,
            created=now,
            touched=now,
            ended=None,
            status="open",
            reason=None,
            next=1,
            events=0,
            state=recorded.state(),
            labels=record(labels or {}),
        )
        once = key and Idempotency(key, hashlib.sha256(request).digest(), record(answer), now)
        try:
            before = await self.log.create_turn(row, once or None)
        except ConflictError:
            raise Problem(EXISTS, "turn_id: there is a turn with this id") from None
        except KeyReusedError:
            raise Problem(KEY_REUSED, "idempotency-key: was used for another request") from None
        if before is not None:
            kept: dict[str, Any] = _json(before)
            return kept
        self._metrics.turn_created()
        self._hold(row, self._of(turn_id), recorded)
        return answer

    # -- push ---------------------------------------------------------------------------------

    async def push(self, turn_id: str, seq: int, events: Sequence[InputEvent]) -> PushAnswer:
        """Accept events; ``seq`` is the number of the first of them.

        Events below the next expected number are compared with what was accepted and passed over.
        Raises :class:`Problem`: 404 for an unknown turn, 409 for a gap, for other events under
        known numbers and behind the end, and what the turn refuses.
        """
        self._at("push-received")
        live = self._of(turn_id)
        async with live.lock:
            answer = None
            while answer is None:
                row, recorded = await self._loaded(turn_id, live)
                try:
                    answer = await self._pushed(row, recorded, live, seq, events)
                except Problem:
                    if await self._is_current(row):
                        raise
                    live.row = live.recorded = None
        self._at("published")
        return answer

    async def _pushed(
        self,
        row: TurnRow,
        recorded: Recorder | None,
        live: _Live,
        seq: int,
        events: Sequence[InputEvent],
    ) -> PushAnswer | None:
        """Push to a turn as it stands in memory; None when another producer was quicker."""
        if seq > row.next:
            raise _refusal(row, f"seq: the next number is {row.next}")
        known = events[: row.next - seq]
        fresh = events[len(known) :]
        repeated = await self._repeated(seq, known, row)
        if not fresh:
            return repeated
        if recorded is None:
            raise _refusal(row, "events: nothing follows the end")
        rows = await self._write(row, recorded, live, fresh, len(known))
        if rows is None:
            return None
        return PushAnswer(
            row.next + len(fresh),
            repeated.parts + rows.assigned,
            rows.status,
            repeated.tool_output + rows.tool_output,
            repeated.refused + rows.refused,
            repeated.prompt,
        )

    async def _is_current(self, row: TurnRow) -> bool:
        """Tell whether a turn in memory is as it is stored: another process may have written."""
        now = await self.log.turn(row.id)
        return now is None or now.next == row.next

    async def end_silent(self, turn_id: str, before: float) -> None:
        """End a turn that got no input since ``before``, keeping what was accepted."""
        live = self._of(turn_id)
        async with live.lock:
            row, recorded = await self._loaded(turn_id, live)
            if recorded and row.touched < before:
                # Input that another process has taken in by now keeps the turn running.
                await self._write(row, recorded, live, [EndInput("timeout")])

    async def _repeated(self, seq: int, known: Sequence[InputEvent], row: TurnRow) -> PushAnswer:
        """Compare events with those accepted under the same numbers; answer as before."""
        parts: list[dict[str, str]] = []
        output: list[dict[str, str]] = []
        refused: list[Refused] = []
        retry = False
        kept = await self._inputs(row, seq, len(known))
        for index, (stored, given) in enumerate(zip(kept, known, strict=True)):
            if not same_event(stored, given):
                raise _refusal(
                    row, f"events[{index}]: another event was accepted as number {seq + index}"
                )
            if isinstance(given, PartInput | ResultsInput):
                event = recorded_event(stored)
                if isinstance(event, PartInput | SettledResults):
                    refusal = refusals(event)
                    refused += refusal
                    parts += (
                        []
                        if refusal and isinstance(event, PartInput)
                        else registered(parts_of(event))
                    )
                if isinstance(event, SettledResults):
                    output.append({"tool_name": event.tool_name, "text": event.text})
            closed = row.ended is not None and seq + index == row.next - 1
            retry = isinstance(given, EndInput) and not closed
        status = "retry_required" if retry else row.status
        return PushAnswer(row.next, parts, status, output, refused, f"/v1/turns/{row.id}/prompt")

    async def _write(
        self,
        row: TurnRow,
        recorded: Recorder,
        live: _Live,
        events: Sequence[InputEvent],
        first: int = 0,
    ) -> Rows | None:
        """Fold events in and commit what follows; None when another producer was quicker."""
        async with self._sessions.numbering(row.session_id, events) as session:
            assign = session.assign if session else IdCounter().assign
            admitted = recorded.admit(events, assign, first, self._preset, self._web_tools)
            # What is in memory is ahead of what is stored until the commit, and to be read again
            # if that fails.
            live.row = live.recorded = None
            rows = recorded.fold(admitted)
            push = self._push_of(row, recorded, rows, session)
            began = time.perf_counter()
            if not await self.log.push(push):
                return None
        seconds = time.perf_counter() - began
        self._metrics.pushed(len(rows.inputs), len(rows.events), seconds)
        ended = push.ended is not None
        if ended:
            self._at("end-committed")
            answer = recorded.turn.answer()
            self._metrics.answered(answer)
            tell_answer(answer, turn=row.id)
            self._let_go(row.id)
        else:
            self._hold(row.after(push), live, recorded)
        self.feeds.publish(row.id, row.events + 1, rows.events, ended=ended)
        return rows

    def _push_of(
        self, row: TurnRow, recorded: Recorder, rows: Rows, session: LiveSession | None
    ) -> Push:
        now = self.clock()
        turn = recorded.turn
        return Push(
            turn_id=row.id,
            expected=row.next,
            touched=now,
            state=recorded.state(),
            status=turn.status,
            reason=turn.reason,
            ended=None if turn.status == "open" else now,
            inputs=rows.inputs,
            events=rows.events,
            parts=rows.parts,
            named=rows.named,
            counts=session.counts() if session else None,
            results=rows.results,
            reset=rows.reset,
        )

    # -- follow and read ----------------------------------------------------------------------

    async def follow(self, turn_id: str, after: int) -> AsyncIterator[list[tuple[int, EventRow]]]:
        """Yield the numbered events behind ``after`` in pages, as they are committed.

        Ends behind the terminal event, and when the turn is removed.
        """
        row = await self.row(turn_id)
        async with self.feeds.following(turn_id, Head(row.events, row.ended is not None)) as feed:
            while not feed.gone:
                rows = feed.behind(after, PAGE)
                if rows is None:
                    rows = await self._read_behind(turn_id, feed, after)
                if rows:
                    yield list(enumerate(rows, after + 1))
                    after += len(rows)
                elif feed.ended and after >= feed.last:
                    return
                elif after >= feed.last:
                    await feed.changed()

    async def _read_behind(self, turn_id: str, feed: Feed, after: int) -> list[EventRow]:
        try:
            rows = await self.log.events(turn_id, after, PAGE)
        except GoneError:
            raise Problem(CURSOR_GONE, "the events behind this id are gone") from None
        self._at("replaying")
        if not rows:
            feed.seen(None)  # it has been removed in between
        return rows

    async def row(self, turn_id: str) -> TurnRow:
        """Return the turn's row; 404 for an unknown one."""
        row = await self.log.turn(turn_id)
        if row is None:
            raise _not_found()
        return row

    async def answer(self, turn_id: str) -> dict[str, Any]:
        """Return the answer as far as it has come, with the turn's ids, labels and times."""
        return await self.answer_of(await self.row(turn_id))

    async def answer_of(self, row: TurnRow) -> dict[str, Any]:
        """Return the answer of a turn whose row is at hand."""
        if row.ended is None:
            kept = await self.log.snapshot(row.id)
            if kept is None:
                raise _not_found()
            row = kept.row
            answer = Recorder.restore(kept).turn.answer().as_json()
        else:
            # An ended turn is never computed again: its last event holds it whole.
            last = await self.log.events(row.id, row.events - 1, 1)
            if not last:
                raise _not_found()
            answer = answer_in(_json(last[0].data))
        return {
            "id": row.id,
            "session_id": row.session_id,
            "labels": _json(row.labels),
            "created": row.created,
            "ended": row.ended,
            "next": row.next,
            **answer,
        }

    async def part(self, turn_id: str, part_id: str) -> dict[str, Any]:
        """Return a part of the turn as it is passed through; 404 for one that is not cited.

        Only a citation passes a part through to readers (S1).
        """
        answer = await self.answer(turn_id)
        cited = {one["data_part_id"] for one in answer["citations"]}
        kept = await self.log.part(turn_id, part_id) if part_id in cited else None
        if kept is None:
            raise Problem(NOT_FOUND, "part_id: the turn cites no part with this id")
        part = _json(kept)
        return {
            "data": {
                "value": part["data"]["value"] if has_envelope(part["data"]) else part["data"]
            },
            "metadata": {"dataPartId": part["id"], "toolName": part["tool_name"]},
        }

    async def prompt(
        self, turn_id: str, part_ids: Sequence[str] | None, style: PromptStyle
    ) -> dict[str, Any]:
        """Return what teaches a model to cite the parts of a turn as it is.

        ``part_ids`` chooses some of them, in that order. The result is ``{"instructions", "parts":
        [{"id", "text"}]}``. Raises :class:`Problem` for an unknown turn or part.
        """
        row = await self.row(turn_id)
        if part_ids is None:
            rows = [part.data for part in await self.log.parts(turn_id)]
        else:
            found = [await self.log.part(turn_id, part_id) for part_id in part_ids]
            rows = [part for part in found if part is not None]
            if len(rows) < len(found):
                raise Problem(NOT_FOUND, "part_id: the turn has no part with this id")
        numbers: dict[str, int] = {}
        if style == "numbers":
            numbers = numbers_in(map(_json, await self.log.results(row.id)))

        def shown() -> dict[str, Any]:
            return prompt_of((DataPart(**_json(part)) for part in rows), numbers.get, style)

        return await offload(shown, cost=sum(map(len, rows)))

    async def raw(self, turn_id: str) -> str:
        """Return the raw text of the answer, markers and all, surrogate halves mended."""
        row = await self.row(turn_id)
        pieces: list[str] = []
        for number, kept in enumerate(await self._inputs(row, 1, row.next - 1), 1):
            event = _json(kept)
            if event["type"] == "delta":
                pieces.append(event["text"])
            elif event["type"] == "end" and (row.ended is None or number < row.next - 1):
                pieces.clear()  # an answer that had to be brought again
        return whole_characters("".join(pieces))

    async def inputs(self, row: TurnRow) -> list[InputEvent]:
        """Return all input events of a turn."""
        return [recorded_event(kept) for kept in await self._inputs(row, 1, row.next - 1)]

    async def _inputs(self, row: TurnRow, first: int, count: int) -> list[bytes]:
        found: list[bytes] = []
        while len(found) < count:
            wanted = min(PAGE, count - len(found))
            page = await self.log.inputs(row.id, first + len(found), wanted)
            if not page:
                await self.row(row.id)
                raise DamagedError("inputs are missing")
            found += page
        return found

    async def delete(self, turn_id: str) -> None:
        """Remove a turn and all that is its; its followers end."""
        live = self._of(turn_id)
        async with live.lock:
            live.row = live.recorded = None
            if not await self.log.delete_turn(turn_id):
                self._let_go(turn_id)
                raise _not_found()
        self.forget([turn_id])

    def held(self) -> int:
        """Return the characters that the engines of turns in memory hold back."""
        return sum(live.recorded.turn.held() for live in self._live.values() if live.recorded)

    def forget(self, turn_ids: Iterable[str]) -> None:
        """Let turns that were removed go, and their followers."""
        for turn_id in turn_ids:
            self._let_go(turn_id)
            self.feeds.gone(turn_id)

    # -- memory -------------------------------------------------------------------------------

    def _of(self, turn_id: str) -> _Live:
        live = self._live.get(turn_id)
        if live is None:
            live = self._live[turn_id] = _Live()
        self._live.move_to_end(turn_id)
        return live

    async def _loaded(self, turn_id: str, live: _Live) -> tuple[TurnRow, Recorder | None]:
        """Return the turn's row, and the turn itself while it runs."""
        if live.row and live.recorded:
            return live.row, live.recorded
        row = await self.log.turn(turn_id)
        kept = await self.log.snapshot(turn_id) if row and row.ended is None else None
        if kept and kept.row.ended is None:
            return kept.row, Recorder.restore(kept)
        self._let_go(turn_id)
        if row is None:
            raise _not_found()
        return (kept.row if kept else row), None

    def _hold(self, row: TurnRow, live: _Live, recorded: Recorder) -> None:
        """Keep a copy of what is committed; let those go that were pushed to longest ago."""
        if self._live.get(row.id) is not live:
            return
        live.row, live.recorded = row, recorded
        self._live_bytes += recorded.size - live.size
        live.size = recorded.size
        while len(self._live) > MAX_LIVE or self._live_bytes > MAX_LIVE_BYTES:
            self._let_go(next(iter(self._live)))

    def _let_go(self, turn_id: str) -> None:
        if live := self._live.pop(turn_id, None):
            self._live_bytes -= live.size


def _refusal(row: TurnRow, detail: str) -> Problem:
    """Return the problem of a push that does not follow what is stored."""
    kind = OUT_OF_STEP if row.ended is None else ENDED
    return Problem(kind, detail, next=row.next)


def _not_found() -> Problem:
    return Problem(NOT_FOUND, "turn_id: there is no turn with this id")


def _json(data: bytes) -> Any:
    return json.loads(data)
