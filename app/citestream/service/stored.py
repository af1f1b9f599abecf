"""Stored turns: create, push, follow, read, remove.

Lives here: what a push means, and the one path by which events reach readers. A turn in memory is
only a copy of what is committed; when a commit fails or another process was quicker, the copy is
thrown away and read anew. Must not know SQL or HTTP.
"""

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from citestream.citations import EngineOptions
from citestream.parts import IdCounter
from citestream.parts.text import whole_characters
from citestream.service.feeds import Feed
from citestream.service.problems import (
    ENDED,
    EXISTS,
    KEY_REUSED,
    NOT_FOUND,
    OUT_OF_STEP,
    Problem,
)
from citestream.service.recorded import RecordedTurn, Rows, record, recorded_event, same_event
from citestream.service.sessions import LiveSession, Sessions
from citestream.stores.port import (
    ConflictError,
    EventRow,
    Idempotency,
    KeyReusedError,
    Push,
    TurnLog,
    TurnRow,
)
from citestream.turns import SEMANTICS, EndInput, Include, InputEvent, PartInput

PAGE: Final = 500
"""Rows read from the store at once."""
MAX_LIVE: Final = 2000
"""Turns kept in memory between two pushes."""
LOOK_AGAIN_SECONDS: Final = 1.0
"""A follower looks into the store so often at least: another process may have written."""


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """What a producer learns from a push."""

    next: int
    parts: list[dict[str, str]]
    status: str
    tool_output: list[dict[str, str]]

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "next": self.next,
            "parts": self.parts,
            "tool_output": self.tool_output,
            "status": self.status,
        }


class _Live:
    """A turn in memory: a copy of what is committed, and whose turn it is to push."""

    __slots__ = ("lock", "recorded", "row")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.row: TurnRow | None = None
        self.recorded: RecordedTurn | None = None


class StoredTurns:
    """The turns of one store. ``clock`` gives seconds since the epoch, ``new_id`` random ids."""

    def __init__(self, log: TurnLog, clock: Callable[[], float], new_id: Callable[[], str]) -> None:
        self.log = log
        self.clock = clock
        self._new_id = new_id
        self._sessions = Sessions(log)
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._feeds: dict[str, Feed] = {}

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
            state=RecordedTurn.begin(turn_id, options, include).state,
            labels=record(labels or {}),
        )
        once = key and Idempotency(key, hashlib.sha256(request).digest(), record(answer), now)
        try:
            before = await self.log.create_turn(row, once or None)
        except ConflictError:
            raise Problem(EXISTS, "turn_id: there is a turn with this id") from None
        except KeyReusedError:
            raise Problem(KEY_REUSED, "idempotency-key: was used for another request") from None
        return answer if before is None else _json(before)

    # -- push ---------------------------------------------------------------------------------

    async def push(self, turn_id: str, seq: int, events: Sequence[InputEvent]) -> PushAnswer:
        """Accept events; ``seq`` is the number of the first of them.

        Events below the next expected number are compared with what was accepted and passed over.
        Raises :class:`Problem`: 404 for an unknown turn, 409 for a gap, for other events under
        known numbers and behind the end, and what the turn refuses.
        """
        live = self._of(turn_id)
        async with live.lock:
            while True:
                row, recorded = await self._loaded(turn_id, live)
                if seq > row.next:
                    raise Problem(OUT_OF_STEP, f"seq: the next number is {row.next}", next=row.next)
                known = events[: row.next - seq]
                fresh = events[len(known) :]
                repeated = await self._repeated(seq, known, row)
                if not fresh:
                    return repeated
                if row.ended is not None:
                    raise Problem(ENDED, "events: nothing follows the end", next=row.next)
                rows = await self._write(row, recorded, live, fresh)
                if rows:
                    break
        return PushAnswer(
            row.next + len(fresh),
            repeated.parts + rows.assigned,
            "retry_required" if rows.retry_required else recorded.turn.status,
            [],
        )

    async def end_silent(self, turn_id: str, before: float) -> None:
        """End a turn that got no input since ``before``, keeping what was accepted."""
        live = self._of(turn_id)
        async with live.lock:
            row, recorded = await self._loaded(turn_id, live)
            if row.ended is None and row.touched < before:
                # Input that another process has taken in by now keeps the turn running.
                await self._write(row, recorded, live, [EndInput("timeout")])

    async def _repeated(self, seq: int, known: Sequence[InputEvent], row: TurnRow) -> PushAnswer:
        """Compare events with those accepted under the same numbers; answer as before."""
        kept = await self.log.inputs(row.id, seq, len(known)) if known else []
        parts = []
        retry = False
        for index, (stored, given) in enumerate(zip(kept, known, strict=True)):
            if not same_event(stored, given):
                raise Problem(
                    OUT_OF_STEP,
                    f"events[{index}]: another event was accepted as number {seq + index}",
                    next=row.next,
                )
            if isinstance(given, PartInput):
                event = recorded_event(stored)
                if isinstance(event, PartInput):
                    parts.append({"id": event.id or "", "tool_name": event.tool_name})
            closed = row.ended is not None and seq + index == row.next - 1
            retry = isinstance(given, EndInput) and not closed
        return PushAnswer(row.next, parts, "retry_required" if retry else row.status, [])

    async def _write(
        self, row: TurnRow, recorded: RecordedTurn, live: _Live, events: Sequence[InputEvent]
    ) -> Rows | None:
        """Fold events in and commit what follows; None when another producer was quicker."""
        # What is in memory is ahead of what is kept until the commit, and to be read anew if it
        # does not come.
        live.row = live.recorded = None
        async with self._sessions.numbering(row.session_id, events) as session:
            ids, taken = (session.ids, session.taken) if session else (IdCounter(), set[str]())
            rows = recorded.accept(events, ids, taken)
            push = self._push_of(row, recorded, rows, session)
            if not await self.log.push(push):
                if session:
                    session.forget()
                return None
            if session:
                session.committed()
        live.row, live.recorded = row.after(push), recorded
        if feed := self._feeds.get(row.id):
            feed.publish(row.events + 1, rows.events)
        return rows

    def _push_of(
        self, row: TurnRow, recorded: RecordedTurn, rows: Rows, session: LiveSession | None
    ) -> Push:
        now = self.clock()
        turn = recorded.turn
        return Push(
            turn_id=row.id,
            expected=row.next,
            touched=now,
            state=recorded.state,
            status=turn.status,
            reason=turn.reason,
            ended=None if turn.status == "open" else now,
            inputs=rows.inputs,
            events=rows.events,
            parts=rows.parts,
            named=rows.named,
            counts=session.counts() if session else None,
            afresh=rows.afresh,
        )

    # -- follow and read ----------------------------------------------------------------------

    async def follow(self, turn_id: str, after: int) -> AsyncIterator[list[tuple[int, EventRow]]]:
        """Yield the numbered events behind ``after`` in pages, as they are committed.

        Ends behind the terminal event, and when the turn is removed.
        """
        feed = await self._feed(turn_id)
        feed.followers += 1
        try:
            while True:
                rows = await self._behind(turn_id, feed, after)
                if rows:
                    yield list(enumerate(rows, after + 1))
                    after += len(rows)
                    if rows[-1].type in ("artifact", "error"):
                        return
                    continue
                row = await self.log.turn(turn_id)
                if row is None or (row.ended is not None and row.events <= after):
                    return
                if row.events <= after:
                    await feed.changed(LOOK_AGAIN_SECONDS)
                else:
                    feed.seen(row.events)
        finally:
            feed.followers -= 1
            if not feed.followers and self._feeds.get(turn_id) is feed:
                del self._feeds[turn_id]

    async def _feed(self, turn_id: str) -> Feed:
        feed = self._feeds.get(turn_id)
        if feed is None:
            row = await self.row(turn_id)
            # Another follower may have come first while the store was read.
            feed = self._feeds.setdefault(turn_id, Feed(row.events))
        return feed

    async def _behind(self, turn_id: str, feed: Feed, after: int) -> list[EventRow]:
        rows = feed.behind(after, PAGE)
        return rows if rows is not None else await self.log.events(turn_id, after, PAGE)

    async def row(self, turn_id: str) -> TurnRow:
        """Return the turn's row; 404 for an unknown one."""
        row = await self.log.turn(turn_id)
        if row is None:
            raise Problem(NOT_FOUND, "turn_id: there is no turn with this id")
        return row

    async def answer(self, turn_id: str) -> dict[str, Any]:
        """Return the answer as far as it has come, with the turn's ids, labels and times."""
        return await self.answer_of(await self.row(turn_id))

    async def answer_of(self, row: TurnRow) -> dict[str, Any]:
        """Return the answer of a turn whose row is at hand."""
        if row.ended is None:
            recorded = await self._read(row)
            answer = recorded.turn.answer.as_json()
        else:
            # An ended turn is never computed again: its last event holds it whole.
            last = await self.log.events(row.id, row.events - 1, 1)
            answer = _answer_in(_json(last[0].data))
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
            "data": part["data"],
            "metadata": {"dataPartId": part["id"], "toolName": part["tool_name"]},
        }

    async def raw(self, turn_id: str) -> str:
        """Return the raw text of the answer, markers and all, surrogate halves mended."""
        row = await self.row(turn_id)
        pieces: list[str] = []
        async for number, kept in self.recorded_inputs(row):
            if kept["type"] == "delta":
                pieces.append(kept["text"])
            elif kept["type"] == "end" and number < row.next - 1:
                pieces.clear()  # an answer that had to be brought again
        return whole_characters("".join(pieces))

    async def recorded_inputs(self, row: TurnRow) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Yield number and JSON object of every input event."""
        number = 1
        while number < row.next:
            for kept in await self.log.inputs(row.id, number, PAGE):
                yield number, _json(kept)
                number += 1

    async def delete(self, turn_id: str) -> None:
        """Remove a turn and all that is its; its followers end."""
        live = self._of(turn_id)
        async with live.lock:
            live.row = live.recorded = None
            if not await self.log.delete_turn(turn_id):
                raise Problem(NOT_FOUND, "turn_id: there is no turn with this id")
        self.forget([turn_id])

    def forget(self, turn_ids: Iterable[str]) -> None:
        """Let turns that were removed go, and their followers."""
        for turn_id in turn_ids:
            self._live.pop(turn_id, None)
            if feed := self._feeds.get(turn_id):
                feed.wake()

    # -- memory -------------------------------------------------------------------------------

    def _of(self, turn_id: str) -> _Live:
        live = self._live.get(turn_id)
        if live is None:
            live = self._live[turn_id] = _Live()
            while len(self._live) > MAX_LIVE:
                oldest, other = next(iter(self._live.items()))
                if other.lock.locked():
                    break
                del self._live[oldest]
        self._live.move_to_end(turn_id)
        return live

    async def _loaded(self, turn_id: str, live: _Live) -> tuple[TurnRow, RecordedTurn]:
        if live.row is None or live.recorded is None:
            row = await self.log.turn(turn_id)
            if row is None:
                self._live.pop(turn_id, None)
                raise Problem(NOT_FOUND, "turn_id: there is no turn with this id")
            live.recorded = await self._read(row)
            live.row = row
        return live.row, live.recorded

    async def _read(self, row: TurnRow) -> RecordedTurn:
        """Bring a turn back from its rows."""
        pieces: list[str] = []
        after = 0
        while after < row.events:
            for event in await self.log.events(row.id, after, PAGE):
                after += 1
                if event.type == "delta":
                    pieces.append(_json(event.data)["text"])
        return RecordedTurn.restore(
            row.state,
            "".join(pieces),
            await self.log.parts(row.id),
            await self.log.named(row.id),
        )


def _json(data: bytes) -> Any:
    return json.loads(data)


def _answer_in(event: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that a closing event holds."""
    parts = event["artifact"]["parts"]
    answer = {
        "status": event["status"],
        "reason": event["reason"],
        "text": parts[0]["text"] if parts else "",
        "citations": parts[0]["metadata"]["citations"] if parts else [],
    }
    return {**answer, **{name: value for name, value in event.items() if name != "type"}}
