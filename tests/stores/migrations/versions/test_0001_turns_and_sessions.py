import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from citestream.stores.failpoints import no_op
from citestream.stores.migrate import upgrade


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        upgrade(connection, no_op)
        yield connection


def test_payloads_are_blobs(db: sqlite3.Connection) -> None:
    for table in ("inputs", "events", "parts", "named", "results", "messages"):
        columns = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({table})")}
        assert columns["data"] == "BLOB"
        assert columns["sum"] == "INTEGER"


def test_each_key_begins_with_its_tenant(db: sqlite3.Connection) -> None:
    for table in ("sessions", "part_ids", "messages", "idempotency"):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
        assert columns[0] == "tenant"
    unique = db.execute("PRAGMA index_list(turns)").fetchall()
    for _, index, is_unique, *_ in unique:
        if is_unique:
            assert db.execute(f"PRAGMA index_info({index})").fetchone()[2] == "tenant"


def test_no_number_of_a_turn_is_used_again(db: sqlite3.Connection) -> None:
    insert = (
        "INSERT INTO turns (tenant, id, semantics, created, touched, status, next, events, state,"
        " labels, trimmed, sum) VALUES ('', 't', 1, 0, 0, 'open', 1, 0, x'', x'', 0, 0)"
    )
    numbers = []
    for _ in range(2):
        numbers.append(db.execute(insert).lastrowid)
        db.execute("DELETE FROM turns")
    assert numbers == [1, 2]


def test_the_queries_have_their_indexes(db: sqlite3.Connection) -> None:
    for query, index in (
        (
            "SELECT tenant, id, next FROM turns WHERE ended IS NULL AND (tenant, id) > ('', 't')"
            " ORDER BY tenant, id",
            "turns_running",
        ),
        ("SELECT number FROM turns WHERE trimmed<2 AND ended<1 ORDER BY ended", "turns_to_trim"),
        (
            "SELECT id FROM turns WHERE tenant='' AND session_id='s' AND position>1",
            "turns_by_session",
        ),
        (
            "SELECT data FROM messages WHERE tenant='' AND session_id='s' AND id='m'",
            "sqlite_autoindex_messages_2",
        ),
        (
            "SELECT id FROM sessions WHERE tenant='' AND (created, id) < (1, 's')"
            " ORDER BY created DESC, id DESC",
            "sessions_by_age",
        ),
    ):
        plan = db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        assert index in plan[0][-1]
        assert "TEMP B-TREE" not in str(plan)
