"""The SQL that removes: at once for readers, in steps for the rows."""

import sqlite3

import pytest
from tests.stores.contract import a_push, key, part, turn_row

from citestream.stores.port import EventRow, GoneError
from citestream.stores.sqlite import reads, removal, writes

EVENTS = removal.STEP * 2 + 10


def test_big_turns_go_in_steps_and_are_gone_from_the_first(db: sqlite3.Connection) -> None:
    writes.create_turn(db, turn_row("big"), None)
    rows = [EventRow("delta", b"")] * (EVENTS - 1) + [EventRow("artifact", b"all")]
    push = a_push(turn_id="big", events=rows, status="completed", ended=1.0)
    assert writes.push(db, [push]) == [True]
    [(number, last)] = removal.begin_trim(db, 2.0, 10)
    assert last == EVENTS
    steps = 0
    while True:
        with pytest.raises(GoneError):
            reads.events(db, key("big"), 1, 10)
        assert reads.events(db, key("big"), last - 1, 10) == [EventRow("artifact", b"all")]
        steps += 1
        if removal.trim(db, number, last):
            break
        # A sweep that broke off is taken up again.
        assert removal.begin_trim(db, 2.0, 10) == [(number, last)]
    assert steps == 3
    assert db.execute("SELECT count(*) FROM events WHERE turn=?", (number,)).fetchone() == (1,)
    assert removal.begin_trim(db, 2.0, 10) == []


def rows_left(db: sqlite3.Connection) -> int:
    tables = ("events", "inputs", "parts", "named", "results", "carried", "removed")
    return sum(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)  # noqa: S608


def test_a_removed_turn_is_gone_at_once_and_its_rows_go_in_steps(db: sqlite3.Connection) -> None:
    assert removal.delete_turn(db, key()) is not None
    assert removal.remove_rows(db, removal.left_over(db, 1)[0])
    writes.create_turn(db, turn_row("big"))
    rows = [EventRow("delta", b"")] * EVENTS
    push = a_push(turn_id="big", events=rows, inputs=[b""] * EVENTS, parts=[part("p")])
    assert writes.push(db, [push]) == [True]
    number = removal.delete_turn(db, key("big"))
    assert number is not None
    assert removal.delete_turn(db, key("big")) is None
    assert reads.turn(db, key("big")) is None
    assert removal.left_over(db, 10) == [number]
    # The same id may be used again while the rows of the first are still there.
    writes.create_turn(db, turn_row("big"))
    assert reads.parts(db, key("big")) == []
    before = rows_left(db)
    steps = 1
    while not removal.remove_rows(db, number):
        after = rows_left(db)
        assert before - after <= removal.STEP
        before = after
        steps += 1
    assert steps == 5
    assert rows_left(db) == 0
    assert removal.left_over(db, 10) == []


def test_a_session_goes_with_its_turns_and_what_they_left(db: sqlite3.Connection) -> None:
    writes.create_turn(db, turn_row("t2"))
    turns = removal.delete_session(db, key("s"))
    assert turns is not None
    assert sorted(turns) == ["t", "t2"]
    assert removal.left_over(db, 10) == sorted(turns.values())
    assert reads.taken_part_ids(db, key("s"), ["p1"]) == set()
    assert removal.delete_session(db, key("s")) is None
