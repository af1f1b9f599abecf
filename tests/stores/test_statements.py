"""The SQL: what the contract of all stores does not see."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from tests.stores.contract import a_push, turn_row

from citestream.stores import statements
from citestream.stores.failpoints import nowhere
from citestream.stores.migrate import upgrade
from citestream.stores.port import DamagedError, EventRow, GoneError, PartRow

EVENTS = statements.TRIM_STEP * 2 + 10


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        upgrade(connection, nowhere)
        connection.execute("PRAGMA foreign_keys=ON")
        statements.create_turn(connection, turn_row(), None)
        push = a_push(
            inputs=[b"i1", b"i2"],
            events=[EventRow("delta", b"e1"), EventRow("delta", b"e2")],
            parts=[PartRow("p1", b"d1"), PartRow("p2", b"d2")],
            named=[b"n1", b"n2"],
        )
        assert statements.push(connection, push)
        statements.add_message(connection, "s", "m", b"hello", 1.0)
        yield connection


READS: dict[str, Callable[[sqlite3.Connection], Any]] = {
    "turn": lambda db: statements.turn(db, "t"),
    "kept": lambda db: statements.kept(db, "t"),
    "inputs": lambda db: statements.inputs(db, "t", 1, 9),
    "events": lambda db: statements.events(db, "t", 0, 9),
    "parts": lambda db: statements.parts(db, "t"),
    "part": lambda db: statements.part(db, "t", "p2"),
    "named": lambda db: statements.named(db, "t"),
    "items": lambda db: statements.items(db, "s", 0, 9),
}


@pytest.mark.parametrize(
    ("damage", "seen_by"),
    [
        ("UPDATE turns SET state=x'00'", "turn kept items"),
        ("UPDATE turns SET next=next+1", "turn kept items"),
        ("UPDATE turns SET status='completed'", "turn kept items"),
        ("UPDATE inputs SET data=x'00' WHERE n=2", "inputs"),
        ("UPDATE inputs SET n=3 WHERE n=2", "inputs"),
        ("UPDATE inputs SET data=(SELECT data FROM inputs WHERE n=1) WHERE n=2", "inputs"),
        ("UPDATE events SET data=x'00' WHERE n=2", "events kept"),
        ("UPDATE events SET type='custom' WHERE n=2", "events kept"),
        ("DELETE FROM events WHERE n=1", "events kept"),
        ("DELETE FROM events", "events kept"),
        ("UPDATE parts SET data=x'00' WHERE n=2", "parts part kept"),
        ("UPDATE parts SET id='p9' WHERE n=2", "parts kept"),
        ("UPDATE named SET data=x'00' WHERE n=2", "named kept"),
        ("DELETE FROM named WHERE n=1", "named kept"),
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


def test_big_turns_go_in_steps_and_are_gone_from_the_first(db: sqlite3.Connection) -> None:
    statements.create_turn(db, turn_row("big"), None)
    rows = [EventRow("delta", b"")] * (EVENTS - 1) + [EventRow("artifact", b"all")]
    assert statements.push(db, a_push(turn_id="big", events=rows, status="completed", ended=1.0))
    [(key, last)] = statements.begin_trim(db, 2.0, 10)
    assert last == EVENTS
    steps = 0
    while True:
        with pytest.raises(GoneError):
            statements.events(db, "big", 1, 10)
        assert statements.events(db, "big", last - 1, 10) == [EventRow("artifact", b"all")]
        steps += 1
        if statements.trim(db, key, last):
            break
        # A sweep that broke off is taken up again.
        assert statements.begin_trim(db, 2.0, 10) == [(key, last)]
    assert steps == 3
    assert db.execute("SELECT count(*) FROM events WHERE turn=?", (key,)).fetchone() == (1,)
    assert statements.begin_trim(db, 2.0, 10) == []
