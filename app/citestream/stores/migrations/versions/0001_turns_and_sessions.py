"""Turns, their inputs, events, parts and named sources; sessions and messages; idempotency."""

from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        created REAL NOT NULL,
        counts BLOB NOT NULL,
        items INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE turns (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
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
        sum INTEGER NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX turns_by_session ON turns (session_id, position)",
    "CREATE INDEX turns_running ON turns (touched) WHERE ended IS NULL",
    # trimmed: 0 all events are there, 1 they are going, 2 only the last is left.
    "CREATE INDEX turns_to_trim ON turns (ended) WHERE trimmed < 2",
    """
    CREATE TABLE inputs (
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE events (
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        type TEXT NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE parts (
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        id TEXT NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n),
        UNIQUE (turn, id)
    )
    """,
    """
    CREATE TABLE named (
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE results (
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (turn, n)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE messages (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        id TEXT NOT NULL,
        created REAL NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (session_id, position)
    )
    """,
    "CREATE UNIQUE INDEX messages_by_id ON messages (session_id, id)",
    """
    CREATE TABLE idempotency (
        key TEXT PRIMARY KEY,
        request BLOB NOT NULL,
        answer BLOB NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID
    """,
)


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES:
        op.execute(statement)
