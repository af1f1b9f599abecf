"""Brings a database's schema up to date with alembic, which is loaded only when there is work."""

import sqlite3
from pathlib import Path
from typing import Final

from citestream.stores.failpoints import Failpoint
from citestream.stores.port import StoreError

HEAD: Final = "0001"
"""The newest migration."""


def upgrade(connection: sqlite3.Connection, failpoint: Failpoint) -> None:
    """Apply every migration that the database has not had, all in one transaction or none.

    Raises :class:`StoreError` when a newer version of the software has made its schema.
    """
    if revision(connection) == HEAD:
        return
    # Half a second of imports that a database at its newest does not need.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    connection.execute("BEGIN IMMEDIATE")
    try:
        command.upgrade(config, "head")
        failpoint("migrating")
        connection.execute("COMMIT")
    except CommandError:
        connection.execute("ROLLBACK")
        raise StoreError("the store was made by a newer version of citestream") from None
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def revision(connection: sqlite3.Connection) -> str | None:
    """Return the newest migration that the database has had, or None."""
    if not connection.execute(
        "SELECT 1 FROM sqlite_master WHERE name='alembic_version'"
    ).fetchone():
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return found[0] if found else None
