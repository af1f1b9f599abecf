"""The SQL that removes: at once for every reader, then the rows themselves step by step.

Each function runs inside a transaction that the caller holds open; others write between two of
them. What breaks off is taken up again by the next :func:`left_over`.
"""

from typing import Final

from citestream.stores.port import Key
from citestream.stores.sqlite.rows import DB

STEP: Final = 5000
"""Rows removed in one transaction: some 10 to 20 ms."""
_TABLES: Final = ("events", "inputs", "parts", "named", "results", "carried")


def delete_turn(db: DB, key: Key) -> int | None:
    """Let a turn be gone; return the number under which its rows are, or None: it was not there."""
    found = db.execute("DELETE FROM turns WHERE tenant=? AND id=? RETURNING number", key).fetchone()
    if found is None:
        return None
    db.execute("INSERT INTO removed VALUES (?)", found)
    number: int = found[0]
    return number


def delete_session(db: DB, key: Key) -> dict[str, int] | None:
    """Let a session be gone; return the ids and numbers of its turns, or None."""
    gone = db.execute("DELETE FROM sessions WHERE tenant=? AND id=?", key).rowcount
    if not gone:
        return None
    turns: dict[str, int] = dict(
        db.execute("DELETE FROM turns WHERE tenant=? AND session_id=? RETURNING id, number", key)
    )
    db.executemany("INSERT INTO removed VALUES (?)", [(number,) for number in turns.values()])
    for table in ("messages", "part_ids"):
        db.execute(f"DELETE FROM {table} WHERE tenant=? AND session_id=?", key)  # noqa: S608
    return turns


def left_over(db: DB, limit: int) -> list[int]:
    """Return numbers of turns that are gone and whose rows may still be there."""
    found = db.execute("SELECT turn FROM removed LIMIT ?", (limit,))
    return [number for (number,) in found]


def remove_rows(db: DB, number: int) -> bool:
    """Remove some rows of a turn that is gone; return whether those were all."""
    left = STEP
    for table in _TABLES:
        left -= db.execute(
            f"DELETE FROM {table} WHERE turn=?"  # noqa: S608
            f" AND n<(SELECT min(n)+? FROM {table} WHERE turn=?)",
            (number, left, number),
        ).rowcount
        if left <= 0:
            return False
    db.execute("DELETE FROM removed WHERE turn=?", (number,))
    return True


def begin_trim(db: DB, before: float, limit: int) -> list[tuple[int, int]]:
    """Choose turns whose events are to be removed; return their numbers and the events that stay.

    From here on a reader gets an error for these events, also while some are still there.
    """
    db.execute("DELETE FROM idempotency WHERE created<?", (before,))
    found: list[tuple[int, int]] = db.execute(
        "SELECT number, events FROM turns WHERE trimmed<2 AND ended<? ORDER BY ended LIMIT ?",
        (before, limit),
    ).fetchall()
    db.executemany("UPDATE turns SET trimmed=1 WHERE number=?", [(number,) for number, _ in found])
    return found


def trim(db: DB, number: int, last: int) -> bool:
    """Remove some events before ``last``; return whether those were all."""
    gone = db.execute(
        "DELETE FROM events WHERE turn=? AND n<min(?, (SELECT min(n)+? FROM events WHERE turn=?))",
        (number, last, STEP, number),
    ).rowcount
    if gone == STEP:
        return False
    db.execute("UPDATE turns SET trimmed=2 WHERE number=?", (number,))
    return True
