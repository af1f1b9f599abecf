import sqlite3
from contextlib import closing

from citestream.stores.failpoints import no_op
from citestream.stores.migrate import upgrade


def test_the_stores_connection_stays_open_and_its_own() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        upgrade(db, no_op)
        assert db.isolation_level is None
        # It was this very connection: a database in memory has no other way in.
        assert db.execute("SELECT count(*) FROM turns").fetchone() == (0,)
