import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.stores.contract import a_push, key, part, turn_row

from citestream.stores.failpoints import no_op
from citestream.stores.migrate import upgrade
from citestream.stores.port import EventRow
from citestream.stores.sqlite import writes


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        upgrade(connection, no_op)
        writes.create_turn(connection, turn_row(), None)
        push = a_push(
            inputs=[b"i1", b"i2"],
            events=[EventRow("delta", b"e1"), EventRow("delta", b"e2")],
            parts=[part("p1", b"d1"), part("p2", b"d2")],
            named=[b"n1", b"n2"],
            results=[b"r1", b"r2"],
        )
        assert writes.push(connection, [push]) == [True]
        writes.add_message(connection, key("s"), "m", b"hello", 1.0)
        yield connection
