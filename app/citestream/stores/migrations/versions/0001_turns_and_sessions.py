"""Turns, their inputs, events, parts and rows that only grow; sessions, messages; idempotency."""

from alembic import op

revision = "0001"
down_revision = None


def _grows(name: str, columns: str = "data BLOB NOT NULL,") -> str:
    return f"""
    CREATE TABLE {name} (
        turn INTEGER NOT NULL,
        n INTEGER NOT NULL,
        {columns}
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """


TABLES = (
    """
    CREATE TABLE sessions (
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        created REAL NOT NULL,
        counts BLOB NOT NULL,
        items INTEGER NOT NULL,
        PRIMARY KEY (tenant, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX sessions_by_age ON sessions (tenant, created, id)",
    # A number is never used for a second turn: rows of a removed one may still be there.
    """
    CREATE TABLE turns (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        session_id TEXT,
        position INTEGER,
        semantics INTEGER NOT NULL,
        created REAL NOT NULL,
        touched REAL NOT NULL,
        ended REAL,
        status TEXT NOT NULL,
        reason TEXT,
        next INTEGER NOT NULL,
        events INTEGER NOT NULL,
        state BLOB NOT NULL,
        labels BLOB NOT NULL,
        trimmed INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        UNIQUE (tenant, id)
    )
    """,
    "CREATE UNIQUE INDEX turns_by_session ON turns (tenant, session_id, position)",
    "CREATE INDEX turns_running ON turns (tenant, id, next) WHERE ended IS NULL",
    # trimmed: 0 all events are there, 1 they are being removed, 2 only the last is left.
    "CREATE INDEX turns_to_trim ON turns (ended) WHERE trimmed < 2",
    # Turns that are gone, whose rows are still to be removed.
    "CREATE TABLE removed (turn INTEGER PRIMARY KEY)",
    _grows("inputs"),
    _grows("events", "type TEXT NOT NULL, data BLOB NOT NULL,"),
    """
    CREATE TABLE parts (
        turn INTEGER NOT NULL,
        n INTEGER NOT NULL,
        id TEXT NOT NULL,
        about BLOB NOT NULL,
        sum INTEGER NOT NULL,
        data BLOB NOT NULL,
        data_sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n),
        UNIQUE (turn, id)
    )
    """,
    # Ids that parts of a session have or had: none is assigned twice.
    """
    CREATE TABLE part_ids (
        tenant TEXT NOT NULL,
        session_id TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (tenant, session_id, id)
    ) WITHOUT ROWID
    """,
    _grows("named"),
    _grows("results"),
    # Parts of earlier turns that a turn may cite, by the rows they have there.
    """
    CREATE TABLE carried (
        turn INTEGER NOT NULL,
        n INTEGER NOT NULL,
        from_turn INTEGER NOT NULL,
        from_n INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE messages (
        tenant TEXT NOT NULL,
        session_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        id TEXT NOT NULL,
        created REAL NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (tenant, session_id, position),
        UNIQUE (tenant, session_id, id)
    )
    """,
    """
    CREATE TABLE idempotency (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        request BLOB NOT NULL,
        answer BLOB NOT NULL,
        created REAL NOT NULL,
        PRIMARY KEY (tenant, key)
    ) WITHOUT ROWID
    """,
)


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES:
        op.execute(statement)
