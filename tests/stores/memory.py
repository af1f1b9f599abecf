"""A turn log in plain dictionaries: the second store that the contract is held to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from citestream.stores.port import (
    PAGE_BYTES,
    AddedMessage,
    ConflictError,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    ItemRow,
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
    inputs: list[bytes] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)
    results: list[bytes] = field(default_factory=list)


class MemoryLog:
    def __init__(self) -> None:
        self.is_open = False
        self.turns: dict[str, _Turn] = {}
        self.sessions: dict[str, SessionRow] = {}
        self.placed: dict[str, list[str | ItemRow]] = {}
        self.keys: dict[str, Idempotency] = {}

    async def open(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def ready(self) -> bool:
        return self.is_open

    def _check(self) -> None:
        if not self.is_open:
            raise StoreError("the store is closed")

    def _place(self, session_id: str, item: str | ItemRow, created: float) -> int:
        self.sessions.setdefault(session_id, SessionRow(session_id, created, b"{}"))
        items = self.placed.setdefault(session_id, [])
        items.append(item)
        return len(items)

    async def create_turn(self, row: TurnRow, once: Idempotency | None = None) -> bytes | None:
        self._check()
        if once and (before := self.keys.get(once.key)):
            if before.request != once.request:
                raise KeyReusedError
            return before.answer
        if row.id in self.turns:
            raise ConflictError
        if once:
            self.keys[once.key] = once
        self.turns[row.id] = _Turn(row)
        if row.session_id is not None:
            self._place(row.session_id, row.id, row.created)
        return None

    async def push(self, push: Push) -> bool:
        self._check()
        turn = self.turns.get(push.turn_id)
        if turn is None or turn.row.next != push.expected or turn.row.ended is not None:
            return False
        if push.counts:
            session = self.sessions.get(push.counts.session_id)
            if session is None or session.counts != push.counts.before:
                return False
            self.sessions[session.id] = session._replace(counts=push.counts.after)
        turn.row = turn.row.after(push)
        turn.inputs += push.inputs
        turn.events += push.events
        turn.parts += push.parts
        turn.named = [*([] if push.reset else turn.named), *push.named]
        turn.results += push.results
        return True

    async def turn(self, turn_id: str) -> TurnRow | None:
        self._check()
        turn = self.turns.get(turn_id)
        return turn.row if turn else None

    async def heads(self, turn_ids: Sequence[str]) -> dict[str, Head]:
        rows = {turn_id: self.turns[turn_id].row for turn_id in turn_ids if turn_id in self.turns}
        return {id_: Head(row.events, row.ended is not None) for id_, row in rows.items()}

    async def results(self, turn_id: str) -> list[bytes]:
        turn = self.turns.get(turn_id)
        return list(turn.results) if turn else []

    async def snapshot(self, turn_id: str) -> TurnSnapshot | None:
        turn = self.turns.get(turn_id)
        if turn is None:
            return None
        deltas = [row.data for row in turn.events if row.type == "delta"]
        return TurnSnapshot(
            turn.row, deltas, list(turn.parts), list(turn.named), list(turn.results)
        )

    async def inputs(self, turn_id: str, first: int, limit: int) -> list[bytes]:
        turn = self.turns.get(turn_id)
        return _page(turn.inputs[first - 1 :] if turn else [], limit)

    async def events(self, turn_id: str, after: int, limit: int) -> list[EventRow]:
        turn = self.turns.get(turn_id)
        if turn is None:
            return []
        if turn.row.trimmed and after < turn.row.events - 1:
            raise GoneError
        rows = turn.events[after:]
        return rows[: len(_page([row.data for row in rows], limit))]

    async def parts(self, turn_id: str) -> list[PartRow]:
        turn = self.turns.get(turn_id)
        return list(turn.parts) if turn else []

    async def part(self, turn_id: str, part_id: str) -> bytes | None:
        return next((part.data for part in await self.parts(turn_id) if part.id == part_id), None)

    async def named(self, turn_id: str) -> list[bytes]:
        turn = self.turns.get(turn_id)
        return list(turn.named) if turn else []

    async def delete_turn(self, turn_id: str) -> bool:
        return self.turns.pop(turn_id, None) is not None

    async def session(self, session_id: str) -> SessionRow | None:
        return self.sessions.get(session_id)

    async def part_ids(self, session_id: str) -> list[str]:
        mine = [turn for turn in self.turns.values() if turn.row.session_id == session_id]
        return [part.id for turn in mine for part in turn.parts]

    async def add_message(
        self, session_id: str, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        placed = self.placed.get(session_id, [])
        for item in placed:
            if isinstance(item, ItemRow) and item.message_id == message_id:
                return AddedMessage(item.position, item.message or b"")
        item = ItemRow(len(placed) + 1, created, None, message, message_id)
        return AddedMessage(self._place(session_id, item, created), message)

    async def items(self, session_id: str, after: int, limit: int) -> list[ItemRow]:
        found = []
        for position, item in enumerate(self.placed.get(session_id, []), 1):
            if isinstance(item, ItemRow):
                found.append(item)
            elif item in self.turns:
                row = self.turns[item].row
                found.append(ItemRow(position, row.created, row, None))
        return [item for item in found if item.position > after][:limit]

    async def delete_session(self, session_id: str) -> list[str] | None:
        gone = [id_ for id_, turn in self.turns.items() if turn.row.session_id == session_id]
        for turn_id in gone:
            del self.turns[turn_id]
        self.placed.pop(session_id, None)
        return gone if self.sessions.pop(session_id, None) else None

    async def silent_turns(self, before: float, limit: int) -> list[str]:
        rows = [turn.row for turn in self.turns.values()]
        silent = [row for row in rows if row.ended is None and row.touched < before]
        return [row.id for row in sorted(silent, key=lambda row: row.touched)][:limit]

    async def turn_ids(self, after: str, limit: int) -> list[str]:
        return [turn_id for turn_id in sorted(self.turns) if turn_id > after][:limit]

    async def running_turns(self) -> int:
        return sum(turn.row.ended is None for turn in self.turns.values())

    async def trim(self, before: float, limit: int) -> int:
        self.keys = {key: once for key, once in self.keys.items() if once.created >= before}
        old = [
            turn
            for turn in self.turns.values()
            if turn.row.ended is not None and turn.row.ended < before and not turn.row.trimmed
        ][:limit]
        for turn in old:
            turn.row = turn.row._replace(trimmed=True)
        return len(old)


def _page(payloads: list[bytes], limit: int) -> list[bytes]:
    page: list[bytes] = []
    for payload in payloads[:limit]:
        page.append(payload)
        if sum(map(len, page)) >= PAGE_BYTES:
            break
    return page
