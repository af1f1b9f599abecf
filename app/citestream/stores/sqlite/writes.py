"""The SQL that writes, on a connection inside a transaction that the caller holds open.

Must not know threads, files or locks. What refuses (:class:`StoreError`) does so before it has
written anything.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import Any, Final

from citestream.stores.checksums import row_checksum
from citestream.stores.port import (
    AddedMessage,
    Carry,
    ConflictError,
    Counts,
    Idempotency,
    Key,
    KeyReusedError,
    Push,
    TurnRow,
)
from citestream.stores.sqlite.rows import DB, TURN, message_checksum, state_checksum

MOST_VALUES: Final = 256
"""Rows of values in one statement at most; SQLite takes 32,766 values."""


def create_turn(
    db: DB, row: TurnRow, once: Idempotency | None = None, carry: Carry | None = None
) -> bytes | None:
    """Insert a turn; or return the answer stored under the idempotency key."""
    if once:
        before = db.execute(
            "SELECT request, answer FROM idempotency WHERE tenant=? AND key=?",
            (row.tenant, once.key),
        ).fetchone()
        if before and before[0] != once.request:
            raise KeyReusedError
        if before:
            answer: bytes = before[1]
            return answer
    if db.execute("SELECT 1 FROM turns WHERE tenant=? AND id=?", row.key).fetchone():
        raise ConflictError
    if once:
        db.execute(
            "INSERT INTO idempotency VALUES (?,?,?,?,?)",
            (row.tenant, once.key, once.request, once.answer, once.created),
        )
    position = None
    if row.session_id is not None:
        position = next_position(db, Key(row.tenant, row.session_id), row.created)
    number = db.execute(
        f"INSERT INTO turns ({TURN}, position) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608
        (
            *(row.tenant, row.id, row.session_id, row.semantics, row.created, row.touched),
            *(row.ended, row.status, row.reason, row.next, row.events, row.state, row.labels),
            *(int(row.trimmed), state_checksum(row.key, row.next, row.status, row.state)),
            position,
        ),
    ).lastrowid
    if carry is not None and number is not None:
        _carry(db, row, number, carry)
    return None


def _carry(db: DB, row: TurnRow, number: int, carry: Carry) -> None:
    """Note which parts of earlier turns of the session a turn may cite."""
    chosen = "" if carry.ids is None else " AND parts.id IN (SELECT value FROM json_each(?))"
    found = db.execute(
        "SELECT parts.id, turn, n, length(data) FROM turns JOIN parts ON turn=number"  # noqa: S608
        f" WHERE tenant=? AND session_id=? AND number<>?{chosen} ORDER BY position DESC, n DESC",
        (row.tenant, row.session_id, number, *([] if not chosen else [json.dumps(carry.ids)])),
    )
    seen: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    size = 0
    for part_id, turn, n, length in found:
        size += length
        if len(rows) == carry.most or size > carry.size:
            break
        if part_id not in seen:
            seen.add(part_id)
            rows.append((number, len(rows) + 1, turn, n))
    _with_values(db, "INSERT INTO carried VALUES {}", rows)


def push(db: DB, pushes: Sequence[Push]) -> list[bool]:
    """Write each push whose turn and session stand where it expects them; tell which were written.

    They are written as if one came after the other, but by few statements: around each, SQLite
    releases the interpreter's lock, and this thread waits long to get it back from a busy loop.
    """
    written: list[bool] = []
    for run in _of_different_turns(pushes):
        heads = _heads(db, run)
        stand = [
            one.turn in heads and (one.counts is None or _counts_stand(db, one.turn, one.counts))
            for one in run
        ]
        standing = list(compress(run, stand))
        _set_turns(db, standing, heads)
        _append(db, standing, heads)
        written += stand
    return written


def _of_different_turns(pushes: Sequence[Push]) -> Iterator[list[Push]]:
    """Yield runs of neighbours; a push to the same turn again begins another."""
    run: dict[Key, Push] = {}
    for one in pushes:
        if one.turn in run:
            yield list(run.values())
            run = {}
        run[one.turn] = one
    if run:
        yield list(run.values())


def _heads(db: DB, pushes: Sequence[Push]) -> dict[Key, tuple[int, int]]:
    """Return number and last event of each turn that is where its push expects it."""
    asked = json.dumps([[*one.turn, one.expected] for one in pushes])
    (found,) = db.execute(
        "SELECT json_group_array(json_array(tenant, turns.id, number, events))"
        " FROM json_each(?) AS asked CROSS JOIN turns"
        " ON tenant=json_extract(asked.value, '$[0]')"
        " AND turns.id=json_extract(asked.value, '$[1]')"
        " WHERE next=json_extract(asked.value, '$[2]') AND ended IS NULL",
        (asked,),
    ).fetchone()
    return {
        Key(tenant, turn_id): (number, events)
        for tenant, turn_id, number, events in json.loads(found)
    }


def _counts_stand(db: DB, turn: Key, counts: Counts) -> bool:
    """Compare the session's counts and set them: the next push sees it."""
    session = Key(turn.tenant, counts.session_id)
    stored = db.execute("SELECT counts FROM sessions WHERE tenant=? AND id=?", session).fetchone()
    if not stored or stored[0] != counts.before:
        return False
    if counts.after != counts.before:
        db.execute("UPDATE sessions SET counts=? WHERE tenant=? AND id=?", (counts.after, *session))
    return True


def _set_turns(db: DB, pushes: Sequence[Push], heads: Mapping[Key, tuple[int, int]]) -> None:
    rows = []
    for one in pushes:
        number, events = heads[one.turn]
        following = one.expected + len(one.inputs)
        rows.append(
            (
                *(number, following, events + len(one.events), one.touched, one.ended, one.status),
                *(one.reason, one.state),
                state_checksum(one.turn, following, one.status, one.state),
            )
        )
    _with_values(
        db,
        "UPDATE turns SET next=column2, events=column3, touched=column4, ended=column5,"
        " status=column6, reason=column7, state=column8, sum=column9"
        " FROM (VALUES {}) WHERE number=column1",
        rows,
    )


def _append(db: DB, pushes: Sequence[Push], heads: Mapping[Key, tuple[int, int]]) -> None:
    inputs: list[tuple[Any, ...]] = []
    events: list[tuple[Any, ...]] = []
    for one in pushes:
        turn, last = heads[one.turn]
        inputs += [
            (turn, n, data, row_checksum(turn, n, data))
            for n, data in enumerate(one.inputs, one.expected)
        ]
        events += [
            (turn, n, type_, data, row_checksum(turn, n, type_.encode(), data))
            for n, (type_, data) in enumerate(one.events, last + 1)
        ]
        if one.reset:
            db.execute("DELETE FROM named WHERE turn=?", (turn,))
        if one.parts:
            _append_parts(db, one, turn)
        for table, added in (("named", one.named), ("results", one.results)):
            if added:
                rows = [
                    (turn, n, data, row_checksum(turn, n, data))
                    for n, data in enumerate(added, _next_row(db, table, turn))
                ]
                _with_values(db, f"INSERT INTO {table} VALUES {{}}", rows)  # noqa: S608
    _with_values(db, "INSERT INTO inputs VALUES {}", inputs)
    _with_values(db, "INSERT INTO events VALUES {}", events)


def _append_parts(db: DB, push: Push, turn: int) -> None:
    rows = [
        (
            *(turn, n, id_, about, row_checksum(turn, n, id_.encode(), about)),
            *(data, row_checksum(turn, n, data)),
        )
        for n, (id_, about, data) in enumerate(push.parts, _next_row(db, "parts", turn))
    ]
    _with_values(db, "INSERT INTO parts VALUES {}", rows)
    db.execute(
        "INSERT OR IGNORE INTO part_ids SELECT tenant, session_id, value FROM turns, json_each(?)"
        " WHERE number=? AND session_id IS NOT NULL",
        (json.dumps([part.id for part in push.parts]), turn),
    )


def _with_values(db: DB, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Execute a statement over rows of values, 256, 128, 64 ... of them at a time.

    So there are few statements, and of few shapes, which the connection keeps compiled.
    """
    at = 0
    while at < len(rows):
        count = min(MOST_VALUES, 1 << (len(rows) - at).bit_length() - 1)
        row = f"({','.join('?' * len(rows[at]))})"
        db.execute(
            statement.format(",".join([row] * count)),
            list(chain.from_iterable(rows[at : at + count])),
        )
        at += count


def _next_row(db: DB, table: str, turn: int) -> int:
    last: int = db.execute(
        f"SELECT coalesce(max(n), 0) FROM {table} WHERE turn=?",  # noqa: S608
        (turn,),
    ).fetchone()[0]
    return last + 1


def next_position(db: DB, session: Key, created: float) -> int:
    """Return the place of the session's next item; make the session if it is new."""
    db.execute(
        "INSERT OR IGNORE INTO sessions (tenant, id, created, counts, items) VALUES (?,?,?,?,0)",
        (*session, created, b"{}"),
    )
    position: int = db.execute(
        "UPDATE sessions SET items=items+1 WHERE tenant=? AND id=? RETURNING items", session
    ).fetchone()[0]
    return position


def add_message(
    db: DB, session: Key, message_id: str, message: bytes, created: float
) -> AddedMessage:
    """Insert a user message, unless the session has one of this id; return what is there."""
    before = db.execute(
        "SELECT position, data FROM messages WHERE tenant=? AND session_id=? AND id=?",
        (*session, message_id),
    ).fetchone()
    if before is not None:
        return AddedMessage(*before)
    position = next_position(db, session, created)
    db.execute(
        "INSERT INTO messages VALUES (?,?,?,?,?,?,?)",
        (
            *(*session, position, message_id, created, message),
            message_checksum(session, position, message),
        ),
    )
    return AddedMessage(position, message)
