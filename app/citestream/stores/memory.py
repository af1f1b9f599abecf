"""The turn log in plain dictionaries: for tests, and for a service whose turns end with it.

Passes the same contract as every store. Several services of one process may share it, so it also
shows how changes of others arrive.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from citestream.stores.port import (
    PAGE_BYTES,
    AddedMessage,
    Carry,
    ConflictError,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    ItemRow,
    Key,
    KeyReusedError,
    PartRow,
    Push,
    SessionRow,
    StoreError,
    TurnRow,
    TurnSnapshot,
)


@dataclass
class _Turn:
    row: TurnRow
    position: int = 0
    inputs: list[bytes] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)
    results: list[bytes] = field(default_factory=list)
    carried: list[tuple["_Turn", PartRow]] = field(default_factory=list)

    @property
    def head(self) -> Head:
        return Head(self.row.events, self.row.ended is not None)


@dataclass
class _Session:
    row: SessionRow
    items: dict[int, Key | ItemRow] = field(default_factory=dict)
    messages: dict[str, AddedMessage] = field(default_factory=dict)
    part_ids: set[str] = field(default_factory=set)


class MemoryLog:
    """A :class:`~citestream.stores.port.TurnLog` that is gone with the process.

    ``shared``: whether several services use it.
    """

    def __init__(self, *, shared: bool = False) -> None:
        self.shared = shared
        self._is_open = False
        self._turns: dict[Key, _Turn] = {}
        self._sessions: dict[Key, _Session] = {}
        self._once: dict[tuple[str, str], Idempotency] = {}
        self._watchers: list[asyncio.Queue[Key | None]] = []

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Make ready."""
        self._is_open = True

    async def close(self) -> None:
        """Let nothing more be read or written; what is stored stays until the object is gone."""
        self._is_open = False
        for watcher in self._watchers:
            watcher.put_nowait(None)

    async def ready(self) -> bool:
        """Tell whether it is open."""
        return self._is_open

    async def changes(
        self, followed: Callable[[], Collection[Key]], /
    ) -> AsyncIterator[Mapping[Key, Head | None]]:
        """Yield each followed turn that was written to or removed."""
        watcher: asyncio.Queue[Key | None] = asyncio.Queue()
        self._watchers.append(watcher)
        try:
            yield {}
            while (key := await watcher.get()) is not None:
                if key in followed():
                    turn = self._turns.get(key)
                    yield {key: turn.head if turn else None}
        finally:
            self._watchers.remove(watcher)

    def _check(self) -> None:
        if not self._is_open:
            raise StoreError("the store is closed")

    def _changed(self, key: Key) -> None:
        for watcher in self._watchers:
            watcher.put_nowait(key)

    # -- turns --------------------------------------------------------------------------------

    async def create_turn(
        self, row: TurnRow, once: Idempotency | None = None, carry: Carry | None = None
    ) -> bytes | None:
        """Store a new turn (and its session, if that is new)."""
        self._check()
        if once and (before := self._once.get((row.tenant, once.key))):
            if before.request != once.request:
                raise KeyReusedError
            return before.answer
        if row.key in self._turns:
            raise ConflictError
        if once:
            self._once[row.tenant, once.key] = once
        turn = self._turns[row.key] = _Turn(row)
        if row.session_id is not None:
            turn.position = self._place(Key(row.tenant, row.session_id), row.key, row.created)
            if carry is not None:
                turn.carried = self._carried(turn, carry)
        return None

    def _carried(self, turn: _Turn, carry: Carry) -> list[tuple[_Turn, PartRow]]:
        found: dict[str, tuple[_Turn, PartRow]] = {}
        size = 0
        earlier = [one for one in self._of_session(turn.row) if one is not turn]
        for one in sorted(earlier, key=lambda one: -one.position):
            for part in reversed(one.parts):
                if carry.ids is not None and part.id not in carry.ids:
                    continue
                size += len(part.data)
                if len(found) == carry.most or size > carry.size:
                    return list(found.values())
                found.setdefault(part.id, (one, part))
        return list(found.values())

    def _of_session(self, row: TurnRow) -> list[_Turn]:
        place = row.tenant, row.session_id
        return [
            one for one in self._turns.values() if (one.row.tenant, one.row.session_id) == place
        ]

    async def push(self, push: Push) -> bool:
        """Write a push if the turn and the session are where it expects them."""
        self._check()
        turn = self._turns.get(push.turn)
        if turn is None or turn.row.next != push.expected or turn.row.ended is not None:
            return False
        session = None
        if turn.row.session_id is not None:
            session = self._sessions[Key(turn.row.tenant, turn.row.session_id)]
        if push.counts:
            counted = self._sessions.get(Key(push.turn.tenant, push.counts.session_id))
            if counted is None or counted.row.counts != push.counts.before:
                return False
            counted.row = counted.row._replace(counts=push.counts.after)
        turn.row = turn.row.after(push)
        turn.inputs += push.inputs
        turn.events += push.events
        turn.parts += push.parts
        turn.named = [*([] if push.reset else turn.named), *push.named]
        turn.results += push.results
        if session:
            session.part_ids.update(part.id for part in push.parts)
        self._changed(push.turn)
        return True

    async def turn(self, turn: Key) -> TurnRow | None:
        """Return the turn, or None."""
        self._check()
        found = self._turns.get(turn)
        return found.row if found else None

    async def heads(self, turns: Collection[Key]) -> dict[Key, Head]:
        """Return how far turns have come."""
        return {key: self._turns[key].head for key in turns if key in self._turns}

    async def snapshots(self, turns: Collection[Key]) -> dict[Key, TurnSnapshot]:
        """Return all that turns are restored from."""
        return {key: self._snapshot(self._turns[key]) for key in turns if key in self._turns}

    def _snapshot(self, turn: _Turn) -> TurnSnapshot:
        return TurnSnapshot(
            turn.row,
            [row.data for row in turn.events if row.type == "delta"],
            list(turn.parts),
            list(turn.named),
            list(turn.results),
            [part for one, part in turn.carried if self._turns.get(one.row.key) is one],
        )

    async def inputs(self, turn: Key, first: int, limit: int) -> list[bytes]:
        """Return a page of input events from number ``first`` on."""
        found = self._turns.get(turn)
        return _page(found.inputs[first - 1 :] if found else [], limit)

    async def events(self, turn: Key, after: int, limit: int) -> list[EventRow]:
        """Return a page of output events after number ``after``."""
        found = self._turns.get(turn)
        if found is None:
            return []
        if found.row.trimmed and after < found.row.events - 1:
            raise GoneError
        rows = found.events[after:]
        return rows[: len(_page([row.data for row in rows], limit))]

    async def last_events(self, turns: Sequence[Key], size: int) -> dict[Key, EventRow]:
        """Return the last event of each turn, up to ``size`` bytes and at least one."""
        found = {}
        for key in turns:
            if key in self._turns and (events := self._turns[key].events):
                found[key] = events[-1]
                size -= len(events[-1].data)
                if size <= 0:
                    break
        return found

    async def parts(self, turn: Key) -> list[PartRow]:
        """Return all parts of the turn in the order in which they were registered."""
        found = self._turns.get(turn)
        return list(found.parts) if found else []

    async def part(self, turn: Key, part_id: str) -> PartRow | None:
        """Return one part, or None."""
        return next((part for part in await self.parts(turn) if part.id == part_id), None)

    async def about_parts(
        self, wanted: Mapping[Key, Collection[str]]
    ) -> dict[Key, dict[str, bytes]]:
        """Return ``about`` of parts by turn and id."""
        found = {}
        for key, ids in wanted.items():
            about = {part.id: part.about for part in await self.parts(key) if part.id in ids}
            if about:
                found[key] = about
        return found

    async def named(self, turn: Key) -> list[bytes]:
        """Return all that its markers named, in text order."""
        found = self._turns.get(turn)
        return list(found.named) if found else []

    async def results(self, turn: Key) -> list[bytes]:
        """Return what each event of results settled, in order."""
        found = self._turns.get(turn)
        return list(found.results) if found else []

    async def delete_turn(self, turn: Key) -> bool:
        """Remove the turn and all that is its."""
        gone = self._turns.pop(turn, None)
        self._changed(turn)
        return gone is not None

    async def running(self, after: Key | None, limit: int) -> list[tuple[Key, int]]:
        """Return a page of turns that have not ended with their next number."""
        rows = {key: one.row for key, one in self._turns.items() if one.row.ended is None}
        return [(key, rows[key].next) for key in _after(rows, after)[:limit]]

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""
        return sum(one.row.ended is None for one in self._turns.values())

    async def turns(self, after: Key | None, limit: int) -> list[Key]:
        """Return a page of all turns."""
        return _after(self._turns, after)[:limit]

    async def trim(self, before: float, limit: int) -> int:
        """Remove event rows, but the last, of turns that ended before."""
        self._once = {key: once for key, once in self._once.items() if once.created >= before}
        old = [
            turn
            for turn in self._turns.values()
            if turn.row.ended is not None and turn.row.ended < before and not turn.row.trimmed
        ][:limit]
        for turn in old:
            turn.row = turn.row._replace(trimmed=True)
        return len(old)

    # -- sessions -----------------------------------------------------------------------------

    def _place(self, key: Key, item: Key | ItemRow, created: float) -> int:
        session = self._sessions.setdefault(key, _Session(SessionRow(key.id, created, b"{}", 0)))
        position = session.row.items + 1
        session.row = session.row._replace(items=position)
        session.items[position] = (
            item._replace(position=position) if isinstance(item, ItemRow) else item
        )
        return position

    async def session(self, session: Key) -> SessionRow | None:
        """Return the session, or None."""
        found = self._sessions.get(session)
        return found.row if found else None

    async def sessions(
        self, tenant: str, before: tuple[float, str] | None, limit: int
    ) -> list[SessionRow]:
        """Return a page of the tenant's sessions, the newest first."""
        rows = [one.row for key, one in self._sessions.items() if key.tenant == tenant]
        rows.sort(key=lambda row: (row.created, row.id), reverse=True)
        return [row for row in rows if before is None or (row.created, row.id) < before][:limit]

    async def taken_part_ids(self, session: Key, ids: Collection[str]) -> set[str]:
        """Return those of ``ids`` that some part of some turn of the session has or had."""
        found = self._sessions.get(session)
        return found.part_ids & set(ids) if found else set()

    async def add_message(
        self, session: Key, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        """Store a user message, unless the session has one of this id; return what is stored."""
        self._check()
        known = self._sessions.get(session)
        if known and message_id in known.messages:
            return known.messages[message_id]
        position = self._place(session, ItemRow(0, created, None, message, message_id), created)
        added = self._sessions[session].messages[message_id] = AddedMessage(position, message)
        return added

    async def items(self, session: Key, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items after position ``after``, in order."""
        found: list[ItemRow] = []
        size = 0
        known = self._sessions.get(session)
        for position, item in (known.items if known else {}).items():
            if position <= after:
                continue
            if len(found) == limit or size >= PAGE_BYTES:
                break
            if isinstance(item, ItemRow):
                found.append(item)
                size += len(item.message or b"")
            elif item in self._turns and self._turns[item].position == position:
                row = self._turns[item].row
                found.append(ItemRow(position, row.created, row, None))
        return found

    async def delete_session(self, session: Key) -> list[str] | None:
        """Remove the session and its turns."""
        if self._sessions.pop(session, None) is None:
            return None
        place = session.tenant, session.id
        gone = [
            key for key, one in self._turns.items() if (one.row.tenant, one.row.session_id) == place
        ]
        for key in gone:
            del self._turns[key]
            self._changed(key)
        return [key.id for key in gone]


def _after(keys: Collection[Key], after: Key | None) -> list[Key]:
    return [key for key in sorted(keys) if after is None or key > after]


def _page(payloads: list[bytes], limit: int) -> list[bytes]:
    page: list[bytes] = []
    size = 0
    for payload in payloads[:limit]:
        page.append(payload)
        size += len(payload)
        if size >= PAGE_BYTES:
            break
    return page
