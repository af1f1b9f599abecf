import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from citestream.stores.failpoints import nowhere
from citestream.stores.migrate import upgrade


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        upgrade(connection, nowhere)
        connection.execute("PRAGMA foreign_keys=ON")
        yield connection


def test_payloads_are_blobs(db: sqlite3.Connection) -> None:
    for table in ("inputs", "events", "parts", "named", "messages"):
        columns = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({table})")}
        assert columns["data"] == "BLOB"
        assert columns["sum"] == "INTEGER"


def test_rows_go_with_their_turn(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO turns VALUES (1,'t',NULL,NULL,1,0,0,NULL,'open',NULL,1,0,x'',x'',0,0)")
    db.execute("INSERT INTO inputs VALUES (1,1,x'',0)")
    db.execute("INSERT INTO events VALUES (1,1,'delta',x'',0)")
    db.execute("INSERT INTO parts VALUES (1,1,'p',x'',0)")
    db.execute("INSERT INTO named VALUES (1,1,x'',0)")
    db.execute("DELETE FROM turns")
    for table in ("inputs", "events", "parts", "named"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608


def test_the_sweeps_have_their_indexes(db: sqlite3.Connection) -> None:
    for query, index in (
        (
            "SELECT id FROM turns WHERE ended IS NULL AND touched<1 ORDER BY touched",
            "turns_running",
        ),
        ("SELECT key FROM turns WHERE trimmed<2 AND ended<1 ORDER BY ended", "turns_to_trim"),
        ("SELECT id FROM turns WHERE session_id='s' AND position>1", "turns_by_session"),
        ("SELECT data FROM messages WHERE session_id='s' AND id='m'", "messages_by_id"),
    ):
        plan = db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        assert index in plan[0][-1]
        assert "TEMP B-TREE" not in str(plan)
