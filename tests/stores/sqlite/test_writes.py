"""The SQL that writes: what the contract of all stores does not see."""

import sqlite3

import pytest
from tests.stores.contract import a_push, key, part, turn_row

from citestream.stores.port import Counts, EventRow, Push
from citestream.stores.sqlite import reads, writes


@pytest.mark.parametrize("count", [1, 2, 3, 7, 255, 256, 257, 700])
def test_pushes_to_many_turns_are_written_as_if_one_by_one(
    db: sqlite3.Connection, count: int
) -> None:
    pushes: list[Push] = []
    for number in range(count):
        writes.create_turn(db, turn_row(f"t{number}"), None)
        pushes.append(
            a_push(
                expected=2 if number % 10 == 3 else 1,
                turn_id=f"t{number}",
                state=b"state %d" % number,
                inputs=[b"%d of %d" % (n, number) for n in range(1 + number % 3)],
                events=[EventRow("delta", b"e%d" % number)] * (number % 4),
                named=[b"n%d" % number] * (number % 2),
                parts=[part(f"p{number}", b"%d" % number)] * (number % 5 == 4),
            )
        )
    pushes.append(a_push(turn_id="nowhere"))
    written = writes.push(db, pushes)
    assert written == [one.expected == 1 for one in pushes[:-1]] + [False]
    for one, stands in zip(pushes[:-1], written, strict=False):
        row = reads.turn(db, one.turn)
        if not stands:
            assert row == turn_row(one.turn.id)
            continue
        assert row == turn_row(one.turn.id).after(one)
        assert reads.inputs(db, one.turn, 1, 9) == one.inputs
        assert reads.events(db, one.turn, 0, 9) == one.events
        assert reads.rows_of(db, "named", one.turn) == one.named
        assert reads.parts(db, one.turn) == one.parts


def test_pushes_to_one_turn_follow_one_another(db: sqlite3.Connection) -> None:
    first, again, second = a_push(3), a_push(3, state=b"again"), a_push(4)
    assert writes.push(db, [first, again, second]) == [True, False, True]
    assert reads.inputs(db, key("t"), 3, 9) == [*first.inputs, *second.inputs]
    row = reads.turn(db, key("t"))
    assert row is not None
    assert (row.next, row.events, row.state) == (5, 4, second.state)


def test_the_numbers_of_one_session_follow_one_another(db: sqlite3.Connection) -> None:
    for name in ("a", "b", "c"):
        writes.create_turn(db, turn_row(name), None)

    def numbered(turn_id: str, before: bytes, after: bytes) -> Push:
        return a_push(turn_id=turn_id, counts=Counts("s", before, after))

    pushes = [numbered("a", b"{}", b"1"), numbered("b", b"{}", b"2"), numbered("c", b"1", b"3")]
    assert writes.push(db, pushes) == [True, False, True]
    session = reads.session(db, key("s"))
    assert session is not None
    assert session.counts == b"3"
    assert reads.turn(db, key("b")) == turn_row("b")


def test_a_push_to_no_turn_leaves_the_numbers_of_its_session(db: sqlite3.Connection) -> None:
    push = a_push(turn_id="nowhere", counts=Counts("s", b"{}", b"1"))
    assert writes.push(db, [push]) == [False]
    session = reads.session(db, key("s"))
    assert session is not None
    assert session.counts == b"{}"
