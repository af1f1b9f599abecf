"""The SQL: what the contract of all stores does not see."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from tests.stores.contract import a_push, turn_row

from citestream.stores.failpoints import nowhere
from citestream.stores.migrate import upgrade
from citestream.stores.port import Counts, DamagedError, EventRow, GoneError, PartRow, Push
from citestream.stores.sqlite import statements

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
        assert statements.push(connection, [push]) == [True]
        statements.add_message(connection, "s", "m", b"hello", 1.0)
        yield connection


READS: dict[str, Callable[[sqlite3.Connection], Any]] = {
    "turn": lambda db: statements.turn(db, "t"),
    "snapshot": lambda db: statements.snapshot(db, "t"),
    "inputs": lambda db: statements.inputs(db, "t", 1, 9),
    "events": lambda db: statements.events(db, "t", 0, 9),
    "parts": lambda db: statements.parts(db, "t"),
    "part": lambda db: statements.part(db, "t", "p2"),
    "named": lambda db: statements.rows_of(db, "named", "t"),
    "items": lambda db: statements.items(db, "s", 0, 9),
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
        ("UPDATE events SET data=x'00' WHERE n=2", "events snapshot"),
        ("UPDATE events SET type='custom' WHERE n=2", "events snapshot"),
        ("DELETE FROM events WHERE n=1", "events snapshot"),
        ("DELETE FROM events", "events snapshot"),
        ("UPDATE parts SET data=x'00' WHERE n=2", "parts part snapshot"),
        ("UPDATE parts SET id='p9' WHERE n=2", "parts snapshot"),
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


@pytest.mark.parametrize("count", [1, 2, 3, 7, 255, 256, 257, 700])
def test_pushes_to_many_turns_are_written_as_if_one_by_one(
    db: sqlite3.Connection, count: int
) -> None:
    pushes: list[Push] = []
    for number in range(count):
        statements.create_turn(db, turn_row(f"t{number}"), None)
        pushes.append(
            a_push(
                expected=2 if number % 10 == 3 else 1,
                turn_id=f"t{number}",
                state=b"state %d" % number,
                inputs=[b"%d of %d" % (n, number) for n in range(1 + number % 3)],
                events=[EventRow("delta", b"e%d" % number)] * (number % 4),
                named=[b"n%d" % number] * (number % 2),
                parts=[PartRow(f"p{number}", b"%d" % number)] * (number % 5 == 4),
            )
        )
    pushes.append(a_push(turn_id="nowhere"))
    written = statements.push(db, pushes)
    assert written == [one.expected == 1 for one in pushes[:-1]] + [False]
    for one, stands in zip(pushes[:-1], written, strict=False):
        row = statements.turn(db, one.turn_id)
        if not stands:
            assert row == turn_row(one.turn_id)
            continue
        assert row == turn_row(one.turn_id).after(one)
        assert statements.inputs(db, one.turn_id, 1, 9) == one.inputs
        assert statements.events(db, one.turn_id, 0, 9) == one.events
        assert statements.rows_of(db, "named", one.turn_id) == one.named
        assert statements.parts(db, one.turn_id) == one.parts


def test_pushes_to_one_turn_follow_one_another(db: sqlite3.Connection) -> None:
    first, again, second = a_push(3), a_push(3, state=b"again"), a_push(4)
    assert statements.push(db, [first, again, second]) == [True, False, True]
    assert statements.inputs(db, "t", 3, 9) == [*first.inputs, *second.inputs]
    row = statements.turn(db, "t")
    assert row is not None
    assert (row.next, row.events, row.state) == (5, 4, second.state)


def test_the_numbers_of_one_session_follow_one_another(db: sqlite3.Connection) -> None:
    for name in ("a", "b", "c"):
        statements.create_turn(db, turn_row(name), None)

    def numbered(turn_id: str, before: bytes, after: bytes) -> Push:
        return a_push(turn_id=turn_id, counts=Counts("s", before, after))

    pushes = [numbered("a", b"{}", b"1"), numbered("b", b"{}", b"2"), numbered("c", b"1", b"3")]
    assert statements.push(db, pushes) == [True, False, True]
    session = statements.session(db, "s")
    assert session is not None
    assert session.counts == b"3"
    assert statements.turn(db, "b") == turn_row("b")


def test_a_push_to_no_turn_leaves_the_numbers_of_its_session(db: sqlite3.Connection) -> None:
    push = a_push(turn_id="nowhere", counts=Counts("s", b"{}", b"1"))
    assert statements.push(db, [push]) == [False]
    session = statements.session(db, "s")
    assert session is not None
    assert session.counts == b"{}"


def test_big_turns_go_in_steps_and_are_gone_from_the_first(db: sqlite3.Connection) -> None:
    statements.create_turn(db, turn_row("big"), None)
    rows = [EventRow("delta", b"")] * (EVENTS - 1) + [EventRow("artifact", b"all")]
    push = a_push(turn_id="big", events=rows, status="completed", ended=1.0)
    assert statements.push(db, [push]) == [True]
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
