"""The SQL that reads, on a connection inside a transaction that the caller holds open.

Must not know threads, files or locks.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from citestream.stores.port import (
    PAGE_BYTES,
    DamagedError,
    EventRow,
    GoneError,
    Head,
    ItemRow,
    Key,
    PartRow,
    SessionRow,
    TurnRow,
    TurnSnapshot,
)
from citestream.stores.sqlite.rows import (
    DB,
    PART,
    TURN,
    asked,
    message_checksum,
    part_rows,
    sound,
    turn_row,
)

_ASKED = (
    "json_each(?) AS asked CROSS JOIN turns"
    " ON tenant=json_extract(asked.value, '$[0]') AND turns.id=json_extract(asked.value, '$[1]')"
)
"""Turns by keys, in the order in which they were asked for."""
_OF_TURN = "turn=(SELECT number FROM turns WHERE tenant=? AND id=?)"


def turn(db: DB, key: Key) -> TurnRow | None:
    """Return a turn's row."""
    found = db.execute(f"SELECT {TURN} FROM turns WHERE tenant=? AND id=?", key).fetchone()  # noqa: S608
    return turn_row(found) if found else None


def heads(db: DB, keys: Collection[Key]) -> dict[Key, Head]:
    """Return how far turns have come."""
    found = db.execute(
        f"SELECT tenant, turns.id, events, ended FROM {_ASKED}",  # noqa: S608
        (asked(keys),),
    )
    return {
        Key(tenant, id_): Head(events, ended is not None) for tenant, id_, events, ended in found
    }


def snapshots(db: DB, keys: Collection[Key]) -> dict[Key, TurnSnapshot]:
    """Return all that turns are restored from."""
    return {key: found for key in keys if (found := _snapshot(db, key))}


def _snapshot(db: DB, key: Key) -> TurnSnapshot | None:
    row = turn(db, key)
    if row is None:
        return None
    shown: Any = ()
    if not row.trimmed:
        shown = db.execute(
            f"SELECT turn, n, sum, type, data FROM events WHERE {_OF_TURN} ORDER BY n",  # noqa: S608
            key,
        )
    events = sound(shown, first=1)
    if len(events) != row.events and not row.trimmed:
        raise DamagedError("events are missing")
    return TurnSnapshot(
        row,
        [data for type_, data in events if type_ == "delta"],
        parts(db, key),
        rows_of(db, "named", key),
        rows_of(db, "results", key),
        carried(db, key),
    )


def inputs(db: DB, key: Key, first: int, limit: int) -> list[bytes]:
    """Return a page of input events."""
    rows = db.execute(
        f"SELECT turn, n, sum, data FROM inputs WHERE {_OF_TURN} AND n>=? ORDER BY n LIMIT ?",  # noqa: S608
        (*key, first, limit),
    )
    return [data for (data,) in sound(rows, first, PAGE_BYTES)]


def events(db: DB, key: Key, after: int, limit: int) -> list[EventRow]:
    """Return a page of output events."""
    trimmed, last = db.execute(
        "SELECT trimmed, events FROM turns WHERE tenant=? AND id=?", key
    ).fetchone() or (0, 0)
    if trimmed and after < last - 1:
        raise GoneError("the events are no longer stored")
    rows = db.execute(
        f"SELECT turn, n, sum, type, data FROM events WHERE {_OF_TURN} AND n>?"  # noqa: S608
        " ORDER BY n LIMIT ?",
        (*key, after, limit),
    )
    page = [EventRow(type_, data) for type_, data in sound(rows, after + 1, PAGE_BYTES)]
    if not page and after < last:
        raise DamagedError("events are missing")
    return page


def last_events(db: DB, keys: Sequence[Key], size: int) -> dict[Key, EventRow]:
    """Return the last events of turns, up to so many bytes."""
    rows = db.execute(
        "SELECT tenant, turns.id, turn, n, events.sum, events.type, data"  # noqa: S608
        f" FROM {_ASKED} JOIN events ON turn=number AND n=turns.events ORDER BY asked.key",
        (asked(keys),),
    )
    found: dict[Key, EventRow] = {}
    for tenant, id_, *row in rows:
        [(type_, data)] = sound([row], None)
        found[Key(tenant, id_)] = EventRow(type_, data)
        size -= len(data)
        if size <= 0:
            break
    return found


def parts(db: DB, key: Key) -> list[PartRow]:
    """Return all parts of a turn."""
    rows = db.execute(f"SELECT {PART} FROM parts WHERE {_OF_TURN} ORDER BY n", key)  # noqa: S608
    return part_rows(rows, first=1)


def part(db: DB, key: Key, part_id: str) -> PartRow | None:
    """Return one part."""
    rows = db.execute(
        f"SELECT {PART} FROM parts WHERE {_OF_TURN} AND id=?",  # noqa: S608
        (*key, part_id),
    )
    return next(iter(part_rows(rows)), None)


def carried(db: DB, key: Key) -> list[PartRow]:
    """Return the parts of earlier turns that a turn may cite, as far as they are there."""
    columns = ", ".join(f"parts.{name}" for name in PART.split(", "))
    rows = db.execute(
        f"SELECT {columns} FROM carried JOIN parts"  # noqa: S608
        f" ON parts.turn=from_turn AND parts.n=from_n WHERE carried.{_OF_TURN} ORDER BY carried.n",
        key,
    )
    return part_rows(rows)


def about_parts(db: DB, wanted: Mapping[Key, Collection[str]]) -> dict[Key, dict[str, bytes]]:
    """Return ``about`` of parts of several turns."""
    named = json.dumps([[*key, part_id] for key, ids in wanted.items() for part_id in ids])
    rows = db.execute(
        "SELECT tenant, turns.id, turn, n, parts.sum, parts.id, about"  # noqa: S608
        f" FROM {_ASKED} JOIN parts"
        " ON turn=number AND parts.id=json_extract(asked.value, '$[2]')",
        (named,),
    )
    found: dict[Key, dict[str, bytes]] = {}
    for tenant, id_, *row in rows:
        [(part_id, about)] = sound([row], None)
        found.setdefault(Key(tenant, id_), {})[part_id] = about
    return found


def rows_of(db: DB, table: Literal["named", "results"], key: Key) -> list[bytes]:
    """Return all rows that a turn has in a table of rows that only grow."""
    rows = db.execute(
        f"SELECT turn, n, sum, data FROM {table} WHERE {_OF_TURN} ORDER BY n",  # noqa: S608
        key,
    )
    return [data for (data,) in sound(rows, first=1)]


def running(db: DB, after: Key | None, limit: int) -> list[tuple[Key, int]]:
    """Return a page of the turns that have not ended."""
    found = db.execute(
        "SELECT tenant, id, next FROM turns WHERE ended IS NULL AND (tenant, id) > (?, ?)"
        " ORDER BY tenant, id LIMIT ?",
        (*(after or ("", "")), limit),
    )
    return [(Key(tenant, id_), following) for tenant, id_, following in found]


def running_turns(db: DB) -> int:
    """Return how many turns have not ended."""
    count: int = db.execute("SELECT count(*) FROM turns WHERE ended IS NULL").fetchone()[0]
    return count


def turns(db: DB, after: Key | None, limit: int) -> list[Key]:
    """Return a page of all turns."""
    found = db.execute(
        "SELECT tenant, id FROM turns WHERE (tenant, id) > (?, ?) ORDER BY tenant, id LIMIT ?",
        (*(after or ("", "")), limit),
    )
    return [Key(*key) for key in found]


# -- sessions -----------------------------------------------------------------------------------


def session(db: DB, key: Key) -> SessionRow | None:
    """Return a session's row."""
    found = db.execute(
        "SELECT id, created, counts, items FROM sessions WHERE tenant=? AND id=?", key
    ).fetchone()
    return SessionRow(*found) if found else None


def sessions(db: DB, tenant: str, before: tuple[float, str] | None, limit: int) -> list[SessionRow]:
    """Return a page of sessions, the newest first."""
    columns = "SELECT id, created, counts, items FROM sessions WHERE tenant=?"
    order = " ORDER BY created DESC, id DESC LIMIT ?"
    if before is None:
        found = db.execute(columns + order, (tenant, limit))
    else:
        found = db.execute(f"{columns} AND (created, id) < (?, ?){order}", (tenant, *before, limit))
    return [SessionRow(*row) for row in found]


def taken_part_ids(db: DB, key: Key, ids: Collection[str]) -> set[str]:
    """Return those ids that parts of the session have or had."""
    found = db.execute(
        "SELECT part_ids.id FROM json_each(?) AS asked CROSS JOIN part_ids"
        " ON tenant=? AND session_id=? AND part_ids.id=asked.value",
        (json.dumps(list(ids)), *key),
    )
    return {part_id for (part_id,) in found}


def items(db: DB, key: Key, after: int, limit: int) -> list[ItemRow]:
    """Return a page of a session's items."""
    turns = db.execute(
        f"SELECT {TURN}, position FROM turns"  # noqa: S608
        " WHERE tenant=? AND session_id=? AND position>? ORDER BY position LIMIT ?",
        (*key, after, limit),
    ).fetchall()
    found = []
    for *fields, position in turns:
        row = turn_row(fields)
        found.append(ItemRow(position, row.created, row, None))
    messages = db.execute(
        "SELECT position, id, created, data, sum FROM messages"
        " WHERE tenant=? AND session_id=? AND position>? ORDER BY position LIMIT ?",
        (*key, after, limit),
    )
    size = 0
    cut = None
    for position, message_id, created, data, total in messages:
        if not isinstance(data, bytes) or total != message_checksum(key, position, data):
            raise DamagedError("a message is damaged")
        found.append(ItemRow(position, created, None, data, message_id))
        size += len(data)
        if size >= PAGE_BYTES:
            cut = position
            break
    found.sort(key=lambda item: item.position)
    return [item for item in found if cut is None or item.position <= cut][:limit]
