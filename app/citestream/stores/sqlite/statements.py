"""The SQL of the turn log: what each call does on a connection, inside a transaction.

Lives here: the tables' columns, the check sums on the way in and out. Must not know threads, files
or locks. What refuses (:class:`StoreError`) does so before it has written anything.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, Final, Literal

from citestream.stores.checksums import name_number, row_sum
from citestream.stores.port import (
    PAGE_BYTES,
    AddedMessage,
    ConflictError,
    DamagedError,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    ItemRow,
    KeyReusedError,
    PartRow,
    Push,
    SessionRow,
    TurnRow,
    TurnSnapshot,
)

TRIM_STEP: Final = 5000
"""Event rows that are let go in one transaction."""
MOST_VALUES: Final = 256
"""Rows of values in one statement at most; SQLite takes 32,766 values."""

_TURN: Final = (
    "id, session_id, semantics, created, touched, ended, status, reason, next, events, state,"
    " labels, trimmed, sum"
)

DB = sqlite3.Connection

# -- writing ------------------------------------------------------------------------------------


def create_turn(db: DB, row: TurnRow, once: Idempotency | None) -> bytes | None:
    """Insert a turn; or return the answer kept under the idempotency key."""
    if once:
        kept = db.execute(
            "SELECT request, answer FROM idempotency WHERE key=?", (once.key,)
        ).fetchone()
        if kept and kept[0] != once.request:
            raise KeyReusedError
        if kept:
            answer: bytes = kept[1]
            return answer
    if db.execute("SELECT 1 FROM turns WHERE id=?", (row.id,)).fetchone():
        raise ConflictError
    if once:
        db.execute(
            "INSERT INTO idempotency VALUES (?,?,?,?)",
            (once.key, once.request, once.answer, once.created),
        )
    position = None
    if row.session_id is not None:
        position = next_position(db, row.session_id, row.created)
    db.execute(
        f"INSERT INTO turns ({_TURN}, position) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608
        (
            *(row.id, row.session_id, row.semantics, row.created, row.touched, row.ended),
            *(row.status, row.reason, row.next, row.events, row.state, row.labels),
            *(int(row.trimmed), _state_sum(row.id, row.next, row.status, row.state), position),
        ),
    )
    return None


def push(db: DB, pushes: Sequence[Push]) -> list[bool]:
    """Write each push whose turn and session stand where it expects them; tell which were written.

    They are written as if one came after the other, but by few statements: around each, SQLite
    releases the interpreter's lock, and this thread waits long to get it back from a busy loop.
    """
    written: list[bool] = []
    for run in _of_different_turns(pushes):
        heads = _heads(db, run)
        stand = [one.turn_id in heads and _counts_stand(db, one) for one in run]
        standing = list(compress(run, stand))
        _set_turns(db, standing, heads)
        _append(db, standing, heads)
        written += stand
    return written


def _of_different_turns(pushes: Sequence[Push]) -> Iterator[list[Push]]:
    """Yield runs of neighbours; a push to the same turn again begins another."""
    run: dict[str, Push] = {}
    for one in pushes:
        if one.turn_id in run:
            yield list(run.values())
            run = {}
        run[one.turn_id] = one
    if run:
        yield list(run.values())


def _heads(db: DB, pushes: Sequence[Push]) -> dict[str, tuple[int, int]]:
    """Return key and last event of each turn that stands where its push expects it."""
    asked = json.dumps([[one.turn_id, one.expected] for one in pushes])
    (found,) = db.execute(
        "SELECT json_group_array(json_array(turns.id, turns.key, events))"
        " FROM json_each(?) AS asked CROSS JOIN turns ON turns.id=json_extract(asked.value, '$[0]')"
        " WHERE next=json_extract(asked.value, '$[1]') AND ended IS NULL",
        (asked,),
    ).fetchone()
    return {turn_id: (key, events) for turn_id, key, events in json.loads(found)}


def _counts_stand(db: DB, push: Push) -> bool:
    """Compare the session's counts, where the push has any, and set them: the next push sees it."""
    counts = push.counts
    if counts is None:
        return True
    kept = db.execute("SELECT counts FROM sessions WHERE id=?", (counts.session_id,)).fetchone()
    if not kept or kept[0] != counts.before:
        return False
    if counts.after != counts.before:
        db.execute("UPDATE sessions SET counts=? WHERE id=?", (counts.after, counts.session_id))
    return True


def _set_turns(db: DB, pushes: Sequence[Push], heads: Mapping[str, tuple[int, int]]) -> None:
    rows = []
    for one in pushes:
        key, events = heads[one.turn_id]
        following = one.expected + len(one.inputs)
        rows.append(
            (
                *(key, following, events + len(one.events), one.touched, one.ended, one.status),
                *(one.reason, one.state),
                _state_sum(one.turn_id, following, one.status, one.state),
            )
        )
    _with_values(
        db,
        "UPDATE turns SET next=column2, events=column3, touched=column4, ended=column5,"
        " status=column6, reason=column7, state=column8, sum=column9"
        " FROM (VALUES {}) WHERE key=column1",
        rows,
    )


def _append(db: DB, pushes: Sequence[Push], heads: Mapping[str, tuple[int, int]]) -> None:
    inputs: list[tuple[Any, ...]] = []
    events: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    named: list[tuple[Any, ...]] = []
    results: list[tuple[Any, ...]] = []
    for one in pushes:
        turn, last = heads[one.turn_id]
        inputs += [
            (turn, n, data, row_sum(turn, n, data))
            for n, data in enumerate(one.inputs, one.expected)
        ]
        events += [
            (turn, n, type_, data, row_sum(turn, n, type_.encode(), data))
            for n, (type_, data) in enumerate(one.events, last + 1)
        ]
        if one.reset:
            db.execute("DELETE FROM named WHERE turn=?", (turn,))
        if one.parts:
            parts += [
                (turn, n, id_, data, row_sum(turn, n, id_.encode(), data))
                for n, (id_, data) in enumerate(one.parts, _next_row(db, "parts", turn))
            ]
        for table, added, rows in (("named", one.named, named), ("results", one.results, results)):
            if added:
                rows += [
                    (turn, n, data, row_sum(turn, n, data))
                    for n, data in enumerate(added, _next_row(db, table, turn))
                ]
    for table, rows in (
        ("inputs", inputs),
        ("events", events),
        ("parts", parts),
        ("named", named),
        ("results", results),
    ):
        _with_values(db, f"INSERT INTO {table} VALUES {{}}", rows)  # noqa: S608


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
            [field for values in rows[at : at + count] for field in values],
        )
        at += count


def _next_row(db: DB, table: str, turn: int) -> int:
    last: int = db.execute(
        f"SELECT coalesce(max(n), 0) FROM {table} WHERE turn=?",  # noqa: S608
        (turn,),
    ).fetchone()[0]
    return last + 1


def next_position(db: DB, session_id: str, created: float) -> int:
    """Return the place of the session's next item; make the session if it is new."""
    db.execute(
        "INSERT OR IGNORE INTO sessions (id, created, counts, items) VALUES (?,?,?,0)",
        (session_id, created, b"{}"),
    )
    position: int = db.execute(
        "UPDATE sessions SET items=items+1 WHERE id=? RETURNING items", (session_id,)
    ).fetchone()[0]
    return position


def add_message(
    db: DB, session_id: str, message_id: str, message: bytes, created: float
) -> AddedMessage:
    """Insert a user message, unless the session has one of this id; return what is there."""
    before = db.execute(
        "SELECT position, data FROM messages WHERE session_id=? AND id=?", (session_id, message_id)
    ).fetchone()
    if before is not None:
        return AddedMessage(*before)
    position = next_position(db, session_id, created)
    total = row_sum(name_number(session_id), position, message)
    db.execute(
        "INSERT INTO messages VALUES (?,?,?,?,?,?)",
        (session_id, position, message_id, created, message, total),
    )
    return AddedMessage(position, message)


def delete_turn(db: DB, turn_id: str) -> bool:
    """Delete a turn and all that is its."""
    return db.execute("DELETE FROM turns WHERE id=?", (turn_id,)).rowcount > 0


def delete_session(db: DB, session_id: str) -> list[str] | None:
    """Delete a session with all that is in it; return the ids of its turns."""
    turns = db.execute("SELECT id FROM turns WHERE session_id=?", (session_id,)).fetchall()
    db.execute("DELETE FROM turns WHERE session_id=?", (session_id,))
    gone = db.execute("DELETE FROM sessions WHERE id=?", (session_id,)).rowcount
    return [turn_id for (turn_id,) in turns] if gone else None


def begin_trim(db: DB, before: float, limit: int) -> list[tuple[int, int]]:
    """Choose turns whose events are to go; return their keys and the events that stay."""
    db.execute("DELETE FROM idempotency WHERE created<?", (before,))
    found: list[tuple[int, int]] = db.execute(
        "SELECT key, events FROM turns WHERE trimmed<2 AND ended<? ORDER BY ended LIMIT ?",
        (before, limit),
    ).fetchall()
    # From here on a reader is told that they are gone, also while some are still there.
    db.executemany("UPDATE turns SET trimmed=1 WHERE key=?", [(key,) for key, _ in found])
    return found


def trim(db: DB, key: int, last: int) -> bool:
    """Let some events before ``last`` go; return whether that was all of them."""
    gone = db.execute(
        "DELETE FROM events WHERE turn=? AND n<min(?, (SELECT min(n)+? FROM events WHERE turn=?))",
        (key, last, TRIM_STEP, key),
    ).rowcount
    if gone == TRIM_STEP:
        return False
    db.execute("UPDATE turns SET trimmed=2 WHERE key=?", (key,))
    return True


# -- reading ------------------------------------------------------------------------------------


def turn(db: DB, turn_id: str) -> TurnRow | None:
    """Return a turn's row."""
    found = db.execute(f"SELECT {_TURN} FROM turns WHERE id=?", (turn_id,)).fetchone()  # noqa: S608
    return _turn(found) if found else None


def heads(db: DB, turn_ids: Sequence[str]) -> dict[str, Head]:
    """Return how far turns have come."""
    found = {}
    for turn_id in turn_ids:
        row = db.execute("SELECT events, ended FROM turns WHERE id=?", (turn_id,)).fetchone()
        if row:
            found[turn_id] = Head(row[0], row[1] is not None)
    return found


def snapshot(db: DB, turn_id: str) -> TurnSnapshot | None:
    """Return all that a turn is restored from; the caller holds a transaction open."""
    row = turn(db, turn_id)
    if row is None:
        return None
    shown = db.execute(
        "SELECT turn, n, events.sum, type, data FROM events JOIN turns ON key=turn"
        " WHERE turns.id=? ORDER BY n",
        (turn_id,),
    )
    deltas = _rows(() if row.trimmed else shown, first=1)
    if len(deltas) != row.events and not row.trimmed:
        raise DamagedError("events are missing")
    return TurnSnapshot(
        row,
        [data for type_, data in deltas if type_ == "delta"],
        parts(db, turn_id),
        rows_of(db, "named", turn_id),
        rows_of(db, "results", turn_id),
    )


def inputs(db: DB, turn_id: str, first: int, limit: int) -> list[bytes]:
    """Return a page of input events."""
    rows = db.execute(
        "SELECT turn, n, inputs.sum, data FROM inputs JOIN turns ON key=turn"
        " WHERE turns.id=? AND n>=? ORDER BY n LIMIT ?",
        (turn_id, first, limit),
    )
    return [data for (data,) in _rows(rows, first, PAGE_BYTES)]


def events(db: DB, turn_id: str, after: int, limit: int) -> list[EventRow]:
    """Return a page of output events."""
    trimmed, last = db.execute(
        "SELECT trimmed, events FROM turns WHERE id=?", (turn_id,)
    ).fetchone() or (0, 0)
    if trimmed and after < last - 1:
        raise GoneError("the events are no longer kept")
    rows = db.execute(
        "SELECT turn, n, events.sum, type, data FROM events JOIN turns ON key=turn"
        " WHERE turns.id=? AND n>? ORDER BY n LIMIT ?",
        (turn_id, after, limit),
    )
    page = [EventRow(type_, data) for type_, data in _rows(rows, after + 1, PAGE_BYTES)]
    if not page and after < last:
        raise DamagedError("events are missing")
    return page


def parts(db: DB, turn_id: str) -> list[PartRow]:
    """Return all parts of a turn."""
    rows = db.execute(
        "SELECT turn, n, parts.sum, parts.id, data FROM parts JOIN turns ON key=turn"
        " WHERE turns.id=? ORDER BY n",
        (turn_id,),
    )
    return [PartRow(id_, data) for id_, data in _rows(rows, first=1)]


def part(db: DB, turn_id: str, part_id: str) -> bytes | None:
    """Return one part."""
    found = db.execute(
        "SELECT turn, n, parts.sum, parts.id, data FROM parts JOIN turns ON key=turn"
        " WHERE turns.id=? AND parts.id=?",
        (turn_id, part_id),
    ).fetchall()
    for _, data in _rows(found, first=found[0][1] if found else 1):
        payload: bytes = data
        return payload
    return None


def rows_of(db: DB, table: Literal["named", "results"], turn_id: str) -> list[bytes]:
    """Return all rows that a turn has in a table of rows that only grow."""
    rows = db.execute(
        f"SELECT turn, n, {table}.sum, data FROM {table} JOIN turns ON key=turn"  # noqa: S608
        " WHERE turns.id=? ORDER BY n",
        (turn_id,),
    )
    return [data for (data,) in _rows(rows, first=1)]


def session(db: DB, session_id: str) -> SessionRow | None:
    """Return a session's row."""
    found = db.execute(
        "SELECT id, created, counts FROM sessions WHERE id=?", (session_id,)
    ).fetchone()
    return SessionRow(*found) if found else None


def part_ids(db: DB, session_id: str) -> list[str]:
    """Return the ids of all parts of a session's turns."""
    found = db.execute(
        "SELECT parts.id FROM parts JOIN turns ON key=turn WHERE session_id=?", (session_id,)
    )
    return [part_id for (part_id,) in found]


def items(db: DB, session_id: str, after: int, limit: int) -> list[ItemRow]:
    """Return a page of a session's items; the caller holds a transaction open."""
    turns = db.execute(
        f"SELECT {_TURN}, position FROM turns"  # noqa: S608
        " WHERE session_id=? AND position>? ORDER BY position LIMIT ?",
        (session_id, after, limit),
    ).fetchall()
    messages = db.execute(
        "SELECT position, id, created, data, sum FROM messages"
        " WHERE session_id=? AND position>? ORDER BY position LIMIT ?",
        (session_id, after, limit),
    ).fetchall()
    found = []
    for *fields, position in turns:
        row = _turn(fields)
        found.append(ItemRow(position, row.created, row, None))
    for position, message_id, created, data, total in messages:
        number = name_number(session_id)
        if not isinstance(data, bytes) or total != row_sum(number, position, data):
            raise DamagedError("a message is damaged")
        found.append(ItemRow(position, created, None, data, message_id))
    return sorted(found, key=lambda item: item.position)[:limit]


def silent_turns(db: DB, before: float, limit: int) -> list[str]:
    """Return running turns without input for long."""
    found = db.execute(
        "SELECT id FROM turns WHERE ended IS NULL AND touched<? ORDER BY touched LIMIT ?",
        (before, limit),
    )
    return [turn_id for (turn_id,) in found]


def turn_ids(db: DB, after: str, limit: int) -> list[str]:
    """Return a page of all ids."""
    found = db.execute("SELECT id FROM turns WHERE id>? ORDER BY id LIMIT ?", (after, limit))
    return [turn_id for (turn_id,) in found]


def running_turns(db: DB) -> int:
    """Return how many turns have not ended."""
    count: int = db.execute("SELECT count(*) FROM turns WHERE ended IS NULL").fetchone()[0]
    return count


# -- check sums ---------------------------------------------------------------------------------


def _rows(found: Iterable[Any], first: int, limit: int | None = None) -> list[tuple[Any, ...]]:
    """Return what rows (owner, number, sum, what it covers ...) hold, up to ``limit`` bytes.

    Raises :class:`DamagedError` for a gap in the numbers, and a row that is not what was written.
    """
    rows = []
    size = 0
    for owner, number, total, *fields in found:
        *names, data = fields
        # A flipped bit may also make of a payload a text or a number.
        whole = number == first and isinstance(data, bytes)
        if not whole or total != row_sum(owner, number, *(str(n).encode() for n in names), data):
            raise DamagedError("a row is missing or damaged")
        rows.append(tuple(fields))
        first += 1
        if limit is not None:
            size += len(data)
            if size >= limit:
                break
    return rows


def _state_sum(turn_id: str, following: int, status: str, state: bytes) -> int:
    return row_sum(name_number(turn_id), following, status.encode(), state)


def _turn(fields: Sequence[Any]) -> TurnRow:
    *values, trimmed, total = fields
    row = TurnRow(*values, bool(trimmed))  # type: ignore[call-arg]
    *_, state, labels = values
    whole = isinstance(state, bytes) and isinstance(labels, bytes)
    if not whole or total != _state_sum(row.id, row.next, row.status, row.state):
        raise DamagedError("a turn's row is damaged")
    return row
