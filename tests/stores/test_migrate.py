import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from citestream.stores.failpoints import no_op
from citestream.stores.migrate import HEAD, revision, upgrade
from citestream.stores.port import StoreError

MIGRATIONS = Path(__file__).parents[2] / "app" / "citestream" / "stores" / "migrations"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "m.db", isolation_level=None)) as connection:
        yield connection


def tables(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}


def test_the_newest_is_the_head_of_one_line() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_a_new_database_gets_the_schema(db: sqlite3.Connection) -> None:
    assert revision(db) is None
    upgrade(db, no_op)
    assert revision(db) == HEAD
    assert {"turns", "inputs", "events", "parts", "named", "sessions", "messages"} <= tables(db)
    assert not db.in_transaction


def test_a_database_at_its_newest_is_left_alone(db: sqlite3.Connection) -> None:
    upgrade(db, no_op)
    before = db.execute("PRAGMA schema_version").fetchone()
    db.execute("PRAGMA query_only=ON")
    upgrade(db, no_op)
    assert db.execute("PRAGMA schema_version").fetchone() == before


def test_it_needs_no_alembic_then(tmp_path: Path, db: sqlite3.Connection) -> None:
    upgrade(db, no_op)
    script = (
        "import sqlite3, sys\n"
        "from citestream.stores.failpoints import no_op\n"
        "from citestream.stores.migrate import upgrade\n"
        "upgrade(sqlite3.connect(sys.argv[1], isolation_level=None), no_op)\n"
        "print('alembic' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "m.db"],
        env={**os.environ, "PYTHONPATH": str(MIGRATIONS.parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


def test_a_newer_versions_database_is_refused(db: sqlite3.Connection) -> None:
    upgrade(db, no_op)
    db.execute("UPDATE alembic_version SET version_num='9999'")
    with pytest.raises(StoreError, match="newer version"):
        upgrade(db, no_op)
    assert revision(db) == "9999"
    assert not db.in_transaction


def test_a_migration_is_done_whole_or_not_at_all(db: sqlite3.Connection) -> None:
    class StopError(Exception):
        pass

    def stop(name: str) -> None:
        assert name == "migrating"
        raise StopError

    with pytest.raises(StopError):
        upgrade(db, stop)
    assert tables(db) == set()
    upgrade(db, no_op)
    assert revision(db) == HEAD
