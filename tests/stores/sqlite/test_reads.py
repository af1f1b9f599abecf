"""The SQL that reads: what is not what was written is never returned."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from tests.stores.contract import key

from citestream.stores.port import DamagedError
from citestream.stores.sqlite import reads

READS: dict[str, Callable[[sqlite3.Connection], Any]] = {
    "turn": lambda db: reads.turn(db, key("t")),
    "snapshot": lambda db: reads.snapshots(db, [key()]),
    "inputs": lambda db: reads.inputs(db, key("t"), 1, 9),
    "events": lambda db: reads.events(db, key("t"), 0, 9),
    "parts": lambda db: reads.parts(db, key("t")),
    "part": lambda db: reads.part(db, key("t"), "p2"),
    "about": lambda db: reads.about_parts(db, {key(): ["p2"]}),
    "last": lambda db: reads.last_events(db, [key()], 1),
    "results": lambda db: reads.rows_of(db, "results", key()),
    "named": lambda db: reads.rows_of(db, "named", key("t")),
    "items": lambda db: reads.items(db, key("s"), 0, 9),
}


@pytest.mark.parametrize(
    ("damage", "seen_by"),
    [
        ("UPDATE turns SET state=x'00'", "turn snapshot items"),
        ("UPDATE turns SET next=next+1", "turn snapshot items"),
        ("UPDATE turns SET status='completed'", "turn snapshot items"),
        ("UPDATE inputs SET data=x'00' WHERE n=2", "inputs"),
        ("UPDATE inputs SET n=3 WHERE n=2", "inputs"),
        ("UPDATE inputs SET data=(SELECT data FROM inputs WHERE n=1) WHERE n=2", "inputs"),
        ("UPDATE events SET data=x'00' WHERE n=2", "events last snapshot"),
        ("UPDATE events SET type='custom' WHERE n=2", "events last snapshot"),
        ("DELETE FROM events WHERE n=1", "events snapshot"),
        ("DELETE FROM events", "events snapshot"),
        ("UPDATE parts SET data=x'00' WHERE n=2", "parts part snapshot"),
        ("UPDATE parts SET id='p9' WHERE n=2", "parts snapshot"),
        ("UPDATE parts SET about=x'00' WHERE n=2", "parts part about snapshot"),
        ("UPDATE results SET data=x'00' WHERE n=2", "results snapshot"),
        ("UPDATE named SET data=x'00' WHERE n=2", "named snapshot"),
        ("DELETE FROM named WHERE n=1", "named snapshot"),
        ("UPDATE messages SET data=x'00'", "items"),
    ],
)
def test_what_is_not_what_was_written_is_not_handed_out(
    db: sqlite3.Connection, damage: str, seen_by: str
) -> None:
    for read in READS.values():
        assert read(db)
    assert db.execute(damage).rowcount > 0
    seen = set()
    for name, read in READS.items():
        try:
            read(db)
        except DamagedError:
            seen.add(name)
    assert seen == set(seen_by.split())
