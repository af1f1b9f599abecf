"""Stored turns: create, push, end, follow, remove.

Lives here: what a push means. A turn in memory is only a copy of what is committed; when a commit
fails or another process was quicker, the copy is dropped and read again. Must not know SQL or HTTP.
"""

import hashlib
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import ENDED, EXISTS, KEY_REUSED, OUT_OF_STEP, Problem
from citestream.service.stored.feeds import Feeds
from citestream.service.stored.live import CacheEntry, LiveTurns
from citestream.service.stored.part_ids import LiveSession, SessionNumbers
from citestream.service.stored.reading import TurnReader, not_found
from citestream.service.stored.recorder import (
    EVENT_COST,
    Recorder,
    Rows,
    record,
    recorded_event,
    registered,
    same_event,
)
from citestream.service.totals import parts_of
from citestream.stores.failpoints import Failpoint, no_op
from citestream.stores.port import (
    Carry,
    ConflictError,
    EventRow,
    Idempotency,
    Key,
    KeyReusedError,
    Push,
    TurnLog,
    TurnRow,
)
from citestream.targets import Preset
from citestream.telemetry.logs import log_answer
from citestream.telemetry.metrics import Metrics
from citestream.turns import (
    SEMANTICS,
    WEB_TOOLS,
    EndInput,
    Include,
    InputEvent,
    PartInput,
    Refused,
    ResultsInput,
    SettledResults,
    refusals,
    refused_json,
)
from citestream.turns.answer import MAX_REFUSED
from citestream.wire.input.parts import MAX_PARTS_SIZE

NO_TENANT: Final = ""
"""The tenant of everything as long as there is no access control."""
MAX_CARRIED: Final = 2000
"""Parts of earlier turns that a turn may cite; as many as a turn has parts."""


class PushAnswer(NamedTuple):
    """What a producer gets for a push."""

    next: int
    parts: list[dict[str, str]]
    status: str
    tool_output: list[dict[str, str]]
    refused: list[Refused]
    prompt: str
    """The address at which the model's instructions and the turn's parts are read."""

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object.

        Its members are ``next``, ``parts``, ``tool_output``, ``status``, ``prompt`` where the push
        has parts, and ``refused`` where something was refused.
        """
        return {
            "next": self.next,
            "parts": self.parts,
            "tool_output": self.tool_output,
            "status": self.status,
            **({"prompt": self.prompt} if self.parts else {}),
            **refused_json(self.refused[:MAX_REFUSED]),
        }


class StoredTurns:
    """The turns of one store. ``clock`` gives seconds since the epoch, ``new_id`` random ids.

    ``preset`` is the table of targets for results; those of ``web_tools`` are numbered sources.
    """

    def __init__(
        self,
        log: TurnLog,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        failpoint: Failpoint = no_op,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
        metrics: Metrics | None = None,
    ) -> None:
        self.log = log
        self.clock = clock
        self.feeds = Feeds(log, failpoint)
        self.live = LiveTurns()
        self.reader = TurnReader(log)
        self._new_id = new_id
        self._preset = preset
        self._web_tools = web_tools
        self._metrics = metrics or Metrics()
        self._failpoint = failpoint
        self._numbers = SessionNumbers(log)

    def key(self, turn_id: str) -> Key:
        """Return what names a turn in the store."""
        return Key(NO_TENANT, turn_id)

    # -- create -------------------------------------------------------------------------------

    async def create(
        self,
        *,
        turn_id: str | None = None,
        session_id: str | None = None,
        options: EngineOptions | None = None,
        include: Iterable[Include] = (),
        labels: dict[str, str] | None = None,
        carry: bool | Sequence[str] = False,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Create a turn; return ``{"id", "session_id", "next": 1}``.

        With ``carry`` the turn may cite parts of earlier turns of its session under their ids: of
        all of them, or those with the ids given; the newest 2,000, and 64 MiB of JSON. With an
        idempotency ``key`` the same request again gives the same answer.
        """
        options = options or EngineOptions()
        request = record([turn_id, session_id, repr(options), sorted(include), labels, carry])
        turn_id = turn_id or self._new_id()
        session_id = session_id or self._new_id()
        now = self.clock()
        answer = {"id": turn_id, "session_id": session_id, "next": 1}
        recorder = Recorder.begin(turn_id, options, include)
        row = _first_row(self.key(turn_id), session_id, now, recorder, labels or {})
        once = key and Idempotency(key, hashlib.sha256(request).digest(), record(answer), now)
        ids = None if isinstance(carry, bool) else carry
        carried = Carry(ids, MAX_CARRIED, MAX_PARTS_SIZE) if carry is not False else None
        try:
            before = await self.log.create_turn(row, once or None, carried)
        except ConflictError:
            raise Problem(EXISTS, "turn_id: there is a turn with this id") from None
        except KeyReusedError:
            raise Problem(KEY_REUSED, "idempotency-key: was used for another request") from None
        if before is not None:
            first: dict[str, Any] = json.loads(before)
            return first
        self._metrics.turn_created()
        if carried is None:
            self.live.keep(self.live.entry(row.key), row, recorder)
        return answer

    # -- push ---------------------------------------------------------------------------------

    async def push(self, turn_id: str, seq: int, events: Sequence[InputEvent]) -> PushAnswer:
        """Accept events; ``seq`` is the number of the first of them.

        Events below the next expected number are compared with what was accepted and passed over.
        Raises :class:`Problem`: 404 for an unknown turn, 409 for a gap, for other events under
        known numbers and after the end, and what the turn refuses.
        """
        self._failpoint("push-received")
        key = self.key(turn_id)
        entry = self.live.entry(key)
        async with entry.lock:
            answer = None
            while answer is None:
                row, recorder = await self._loaded(key, entry)
                try:
                    answer = await self._pushed(row, recorder, entry, seq, events)
                except Problem:
                    if await self._is_current(row):
                        raise
                    entry.copy = None
        self._failpoint("published")
        return answer

    async def _pushed(
        self,
        row: TurnRow,
        recorder: Recorder | None,
        entry: CacheEntry,
        seq: int,
        events: Sequence[InputEvent],
    ) -> PushAnswer | None:
        """Push to a turn as it is in memory; None when another producer was quicker."""
        if seq > row.next:
            raise _refusal(row, f"seq: the next number is {row.next}")
        known = events[: row.next - seq]
        fresh = events[len(known) :]
        repeated = PushAnswer(row.next, [], row.status, [], [], f"/v1/turns/{row.id}/prompt")
        if known:
            repeated = await self._repeated(seq, known, row, repeated)
        if not fresh:
            return repeated
        if recorder is None:
            raise _refusal(row, "events: nothing follows the end")
        rows = await self._write(row, recorder, entry, fresh, len(known))
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
        now = await self.log.turn(row.key)
        return now is None or now.next == row.next

    async def end_idle(self, key: Key, following: int) -> bool:
        """End a turn whose next number still is ``following``; return whether it was ended."""
        entry = self.live.entry(key)
        async with entry.lock:
            row, recorder = await self._loaded(key, entry)
            if recorder is None or row.next != following:
                return False
            # Input that another process accepts by now keeps the turn running.
            return await self._write(row, recorder, entry, [EndInput("timeout")]) is not None

    async def _repeated(
        self, seq: int, known: Sequence[InputEvent], row: TurnRow, answer: PushAnswer
    ) -> PushAnswer:
        """Compare events with those accepted under the same numbers; answer as before."""
        parts, output, refused = answer.parts, answer.tool_output, answer.refused
        retry = False
        number = seq
        async for page in self.reader.input_rows(row, seq, len(known)):
            given = known[number - seq : number - seq + len(page)]
            cost = sum(map(len, page)) + EVENT_COST * len(page)
            other = await offload(partial(_first_other, page, given), cost=cost)
            if other is not None:
                place = number - seq + other
                raise _refusal(
                    row, f"events[{place}]: another event was accepted as number {seq + place}"
                )
            for stored, event in zip(page, given, strict=True):
                if isinstance(event, PartInput | ResultsInput):
                    accepted = recorded_event(stored)
                    if isinstance(accepted, PartInput | SettledResults):
                        refusal = refusals(accepted)
                        refused += refusal
                        if not (refusal and isinstance(accepted, PartInput)):
                            parts += registered(parts_of(accepted))
                    if isinstance(accepted, SettledResults):
                        output.append({"tool_name": accepted.tool_name, "text": accepted.text})
                closed = row.ended is not None and number == row.next - 1
                retry = isinstance(event, EndInput) and not closed
                number += 1
        return answer._replace(status="retry_required") if retry else answer

    async def _write(
        self,
        row: TurnRow,
        recorder: Recorder,
        entry: CacheEntry,
        events: Sequence[InputEvent],
        first: int = 0,
    ) -> Rows | None:
        """Fold events in and commit what follows; None when another producer was quicker."""
        cost = recorder.cost(events)
        async with self._numbers.numbering(row.tenant, row.session_id, events) as session:
            assign = session.assign if session else IdCounter().assign
            admit = partial(recorder.admit, events, assign, first, self._preset, self._web_tools)
            admitted = admit() if cost <= LOOP_COST else await offload(admit, cost=cost)
            # What is in memory is ahead of what is stored until the commit, and is read again if
            # that fails.
            entry.copy = None
            fold = partial(recorder.fold, admitted)
            rows = fold() if cost <= LOOP_COST else await offload(fold, cost=cost)
            push = self._push_of(row, recorder, rows, session)
            key = push.turn
            began = time.perf_counter()
            if not await self.log.push(push):
                return None
        seconds = time.perf_counter() - began
        self._metrics.pushed(len(rows.inputs), len(rows.events), seconds)
        ended = push.ended is not None
        if ended:
            self._failpoint("end-committed")
            answer = recorder.turn.answer()
            self._metrics.answered(answer)
            log_answer(answer, turn=row.id)
            self.live.drop(key)
        else:
            self.live.keep(entry, row.after(push), recorder)
        self.feeds.publish(key, row.events + 1, rows.events, ended=ended)
        return rows

    def _push_of(
        self, row: TurnRow, recorder: Recorder, rows: Rows, session: LiveSession | None
    ) -> Push:
        now = self.clock()
        status = recorder.turn.status
        return Push(
            turn=row.key,
            expected=row.next,
            touched=now,
            state=recorder.state(),
            status=status,
            reason=recorder.turn.reason,
            ended=None if status == "open" else now,
            inputs=rows.inputs,
            events=rows.events,
            parts=rows.parts,
            named=rows.named,
            results=rows.results,
            counts=session.counts() if session else None,
            reset=rows.reset,
        )

    async def _loaded(self, key: Key, entry: CacheEntry) -> tuple[TurnRow, Recorder | None]:
        """Return the turn's row, and the turn itself while it runs."""
        if entry.copy:
            return entry.copy
        row = await self.log.turn(key)
        if row and row.ended is None and (restored := await self.reader.restored(key)):
            if restored[0].ended is None:
                return restored
            row = restored[0]
        self.live.drop(key)
        if row is None:
            raise not_found()
        return row, None

    # -- follow, remove -----------------------------------------------------------------------

    async def follow(self, turn_id: str, after: int) -> AsyncIterator[list[tuple[int, EventRow]]]:
        """Yield the numbered events after number ``after`` in pages, as they are committed.

        Ends after the terminal event, and when the turn is removed. Raises :class:`Problem`: 404
        for an unknown turn, 410 for events that are no longer stored.
        """
        row = await self.reader.row(self.key(turn_id))
        async for page in self.feeds.follow(row, after):
            yield page

    async def delete(self, turn_id: str) -> None:
        """Remove a turn and all that is its; its followers end. 404 for an unknown turn."""
        key = self.key(turn_id)
        entry = self.live.entry(key)
        async with entry.lock:
            entry.copy = None
            if not await self.log.delete_turn(key):
                self.live.drop(key)
                raise not_found()
        self.forget([key])

    def forget(self, keys: Iterable[Key]) -> None:
        """Forget turns that were removed, and end their followers."""
        for key in keys:
            self.live.drop(key)
            self.feeds.gone(key)


def _first_other(page: Sequence[bytes], given: Sequence[InputEvent]) -> int | None:
    """Return the place of the first event that is not the one stored, or None."""
    for place, (stored, event) in enumerate(zip(page, given, strict=True)):
        if not same_event(stored, event):
            return place
    return None


def _refusal(row: TurnRow, detail: str) -> Problem:
    """Return the problem of a push that does not follow what is stored."""
    problem = OUT_OF_STEP if row.ended is None else ENDED
    return Problem(problem, detail, next=row.next)


def _first_row(
    key: Key, session_id: str, now: float, recorder: Recorder, labels: dict[str, str]
) -> TurnRow:
    return TurnRow(
        *key,
        session_id=session_id,
        semantics=SEMANTICS,
        created=now,
        touched=now,
        ended=None,
        status="open",
        reason=None,
        next=1,
        events=0,
        state=recorder.state(),
        labels=record(labels),
    )
