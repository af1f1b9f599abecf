"""The turn log in one SQLite file.

One thread holds the only connection that writes; it also does every checkpoint, so no two
connections ever write or checkpoint at the same moment. Writes that wait are committed together.
Readers have connections of their own that cannot write. A lock held by the kernel on a file beside
the database keeps a second process out; a killed process leaves none behind.
"""

import asyncio
import fcntl
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from citestream.stores.migrate import upgrade
from citestream.stores.port import (
    ConflictError,
    EventRow,
    Idempotency,
    ItemRow,
    KeyReusedError,
    PartRow,
    Push,
    SessionRow,
    StoreBusyError,
    StoreError,
    StoreFullError,
    TurnRow,
)

GROUP: Final = 256
"""Writes committed together at most."""
READERS: Final = 2
BUSY_SECONDS: Final = 5.0

_TURN: Final = (
    "id, session_id, semantics, created, touched, ended, status, reason, next, events, state,"
    " labels, trimmed"
)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]


class _Job:
    __slots__ = ("done", "error", "loop", "result", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = self.loop.create_future()
        self.result: Any = None
        self.error: Exception | None = None


class SqliteLog:
    """A :class:`~citestream.stores.port.TurnLog` in the file at ``path``.

    ``durable``: every commit waits until the disk has it, so that a loss of power loses nothing
    acknowledged; otherwise only a crash of the process does not.
    """

    def __init__(self, path: Path, *, durable: bool = False) -> None:
        self._path = path
        self._synchronous = "FULL" if durable else "NORMAL"
        self._lock: IO[bytes] | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._local = threading.local()
        self._readers: ThreadPoolExecutor | None = None
        self._connections: list[sqlite3.Connection] = []

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Take the file, bring its schema up to date, start the threads."""
        self._lock = _take(self._path)
        try:
            await asyncio.to_thread(self._prepare)
        except BaseException:
            self._lock.close()
            raise
        self._readers = ThreadPoolExecutor(READERS, "citestream-read")
        self._thread = threading.Thread(target=self._run, name="citestream-write", daemon=True)
        self._thread.start()

    def _prepare(self) -> None:
        try:
            upgrade(self._path)
            self._writer = self._connect()
            self._writer.execute("PRAGMA journal_mode=WAL")
            self._writer.execute(f"PRAGMA synchronous={self._synchronous}")
        except sqlite3.Error as error:
            raise _store_error(error) from error

    async def close(self) -> None:
        """Commit what waits, checkpoint, and let the file go."""
        if self._thread:
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None
        if self._readers:
            self._readers.shutdown()
            self._readers = None
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        if self._lock:
            self._lock.close()
            self._lock = None

    async def ready(self) -> bool:
        """Tell whether an empty write goes through."""
        try:
            await self._write(lambda connection: connection.execute("SELECT 1").fetchone())
        except StoreError:
            return False
        return True

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA mmap_size=0")
        self._connections.append(connection)
        return connection

    # -- the writer ---------------------------------------------------------------------------

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._thread is None:
            raise StoreError("the store is closed")
        job = _Job(work)
        self._jobs.put(job)
        # A caller that is cancelled does not take back what may be committed already.
        await asyncio.shield(job.done)
        if job.error:
            raise job.error
        result: T = job.result
        return result

    def _run(self) -> None:
        running = True
        while running:
            group = [self._jobs.get()]
            while len(group) < GROUP:
                try:
                    group.append(self._jobs.get_nowait())
                except queue.Empty:
                    break
            jobs = [job for job in group if job is not None]
            running = len(jobs) == len(group)
            if not jobs:
                continue
            if not self._commit(jobs) and len(jobs) > 1:
                # One of them spoils the transaction: each gets one of its own.
                for job in jobs:
                    self._commit([job])
            _tell(jobs)
        with suppress(sqlite3.Error):
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _commit(self, jobs: list[_Job]) -> bool:
        """Do the jobs in one transaction; return whether it was committed."""
        job: _Job | None = None
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.error = None
                job.result = job.work(self._writer)
            job = None
            self._writer.execute("COMMIT")
        except Exception as error:
            with suppress(sqlite3.Error):
                self._writer.execute("ROLLBACK")
            told = _store_error(error) if isinstance(error, sqlite3.Error) else error
            for failed in jobs:
                failed.error = told
            return False
        return True

    # -- the readers --------------------------------------------------------------------------

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._readers is None:
            raise StoreError("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._reading, work)

    def _reading(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect()
                connection.execute("PRAGMA query_only=ON")
            return work(connection)
        except sqlite3.Error as error:
            raise _store_error(error) from error

    # -- turns --------------------------------------------------------------------------------

    async def create_turn(self, row: TurnRow, once: Idempotency | None = None) -> bytes | None:
        """Keep a new turn (and its session, if that is new)."""

        def work(db: sqlite3.Connection) -> bytes | None:
            if once:
                kept = db.execute(
                    "SELECT request, answer FROM idempotency WHERE key=?", (once.key,)
                ).fetchone()
                if kept and kept[0] != once.request:
                    raise KeyReusedError
                if kept:
                    answer: bytes = kept[1]
                    return answer
                db.execute(
                    "INSERT INTO idempotency VALUES (?,?,?,?)",
                    (once.key, once.request, once.answer, once.created),
                )
            if db.execute("SELECT 1 FROM turns WHERE id=?", (row.id,)).fetchone():
                raise ConflictError
            position = row.session_id and _next_position(db, row.session_id, row.created)
            db.execute(
                f"INSERT INTO turns ({_TURN}, position) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608
                (*_values(row), position),
            )
            return None

        return await self._write(work)

    async def push(self, push: Push) -> bool:
        """Write a push if the turn and the session stand where it expects them."""

        def work(db: sqlite3.Connection) -> bool:
            counts = push.counts
            if counts:
                kept = db.execute(
                    "SELECT counts FROM sessions WHERE id=?", (counts.session_id,)
                ).fetchone()
                if not kept or kept[0] != counts.before:
                    return False
            changed = db.execute(
                "UPDATE turns SET next=next+?, events=events+?, touched=?, ended=?, status=?,"
                " reason=?, state=? WHERE id=? AND next=? AND ended IS NULL RETURNING key, events",
                (
                    len(push.inputs),
                    len(push.events),
                    push.touched,
                    push.ended,
                    push.status,
                    push.reason,
                    push.state,
                    push.turn_id,
                    push.expected,
                ),
            ).fetchone()
            if not changed:
                return False
            _append(db, changed[0], push, changed[1] - len(push.events))
            if counts and counts.after != counts.before:
                db.execute(
                    "UPDATE sessions SET counts=? WHERE id=?", (counts.after, counts.session_id)
                )
            return True

        return await self._write(work)

    async def turn(self, turn_id: str) -> TurnRow | None:
        """Return the turn, or None."""

        def work(db: sqlite3.Connection) -> TurnRow | None:
            found = db.execute(f"SELECT {_TURN} FROM turns WHERE id=?", (turn_id,)).fetchone()  # noqa: S608
            return _turn(found) if found else None

        return await self._read(work)

    async def inputs(self, turn_id: str, first: int, limit: int) -> list[bytes]:
        """Return input events from number ``first`` on, at most ``limit``."""
        rows = await self._all(
            "SELECT inputs.data FROM inputs JOIN turns ON turns.key=inputs.turn"
            " WHERE turns.id=? AND n>=? ORDER BY n LIMIT ?",
            (turn_id, first, limit),
        )
        return [data for (data,) in rows]

    async def events(self, turn_id: str, after: int, limit: int) -> list[EventRow]:
        """Return output events behind number ``after``, at most ``limit``."""
        rows = await self._all(
            "SELECT type, events.data FROM events JOIN turns ON turns.key=events.turn"
            " WHERE turns.id=? AND n>? ORDER BY n LIMIT ?",
            (turn_id, after, limit),
        )
        return [EventRow(*row) for row in rows]

    async def parts(self, turn_id: str) -> list[PartRow]:
        """Return all parts of the turn in the order they came."""
        rows = await self._all(
            "SELECT parts.id, data FROM parts JOIN turns ON turns.key=parts.turn"
            " WHERE turns.id=? ORDER BY n",
            (turn_id,),
        )
        return [PartRow(*row) for row in rows]

    async def part(self, turn_id: str, part_id: str) -> bytes | None:
        """Return one part, or None."""
        rows = await self._all(
            "SELECT data FROM parts JOIN turns ON turns.key=parts.turn"
            " WHERE turns.id=? AND parts.id=?",
            (turn_id, part_id),
        )
        return rows[0][0] if rows else None

    async def named(self, turn_id: str) -> list[bytes]:
        """Return all sources its markers named, in text order."""
        rows = await self._all(
            "SELECT data FROM named JOIN turns ON turns.key=named.turn WHERE turns.id=? ORDER BY n",
            (turn_id,),
        )
        return [data for (data,) in rows]

    async def delete_turn(self, turn_id: str) -> bool:
        """Remove the turn and all that is its."""
        return await self._write(
            lambda db: db.execute("DELETE FROM turns WHERE id=?", (turn_id,)).rowcount > 0
        )

    async def silent_turns(self, before: float, limit: int) -> list[str]:
        """Return running turns whose last input is older than ``before``."""
        rows = await self._all(
            "SELECT id FROM turns WHERE ended IS NULL AND touched<? ORDER BY touched LIMIT ?",
            (before, limit),
        )
        return [turn_id for (turn_id,) in rows]

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""
        rows = await self._all("SELECT count(*) FROM turns WHERE ended IS NULL", ())
        count: int = rows[0][0]
        return count

    async def trim(self, before: float, limit: int) -> int:
        """Drop the event rows, but the last, of turns that ended before."""

        def work(db: sqlite3.Connection) -> int:
            found = db.execute(
                "SELECT key, events FROM turns WHERE trimmed=0 AND ended<? LIMIT ?", (before, limit)
            ).fetchall()
            for key, last in found:
                db.execute("DELETE FROM events WHERE turn=? AND n<?", (key, last))
                db.execute("UPDATE turns SET trimmed=1 WHERE key=?", (key,))
            db.execute("DELETE FROM idempotency WHERE created<?", (before,))
            return len(found)

        return await self._write(work)

    # -- sessions -----------------------------------------------------------------------------

    async def session(self, session_id: str) -> SessionRow | None:
        """Return the session, or None."""
        rows = await self._all("SELECT id, created, counts FROM sessions WHERE id=?", (session_id,))
        return SessionRow(*rows[0]) if rows else None

    async def part_ids(self, session_id: str) -> list[str]:
        """Return the ids of all parts of all turns of the session."""
        rows = await self._all(
            "SELECT parts.id FROM parts JOIN turns ON turns.key=parts.turn WHERE session_id=?",
            (session_id,),
        )
        return [part_id for (part_id,) in rows]

    async def add_message(
        self, session_id: str, message_id: str, message: bytes, created: float
    ) -> int:
        """Keep a user message (and its session, if that is new); return its position."""

        def work(db: sqlite3.Connection) -> int:
            position = _next_position(db, session_id, created)
            db.execute(
                "INSERT INTO messages VALUES (?,?,?,?,?)",
                (session_id, position, message_id, created, message),
            )
            return position

        return await self._write(work)

    async def items(self, session_id: str, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items behind position ``after``, in order."""

        def work(db: sqlite3.Connection) -> list[ItemRow]:
            turns = db.execute(
                f"SELECT position, {_TURN} FROM turns"  # noqa: S608
                " WHERE session_id=? AND position>? ORDER BY position LIMIT ?",
                (session_id, after, limit),
            ).fetchall()
            messages = db.execute(
                "SELECT position, id, created, data FROM messages"
                " WHERE session_id=? AND position>? ORDER BY position LIMIT ?",
                (session_id, after, limit),
            ).fetchall()
            items = [
                ItemRow(position, turn.created, turn, None)
                for position, *fields in turns
                for turn in (_turn(fields),)
            ]
            items += [
                ItemRow(position, created, None, data, message_id)
                for position, message_id, created, data in messages
            ]
            return sorted(items, key=lambda item: item.position)[:limit]

        return await self._read(work)

    async def delete_session(self, session_id: str) -> list[str] | None:
        """Remove the session and its turns."""

        def work(db: sqlite3.Connection) -> list[str] | None:
            turns = db.execute("SELECT id FROM turns WHERE session_id=?", (session_id,)).fetchall()
            db.execute("DELETE FROM turns WHERE session_id=?", (session_id,))
            gone = db.execute("DELETE FROM sessions WHERE id=?", (session_id,)).rowcount
            return [turn_id for (turn_id,) in turns] if gone else None

        return await self._write(work)

    async def _all(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        return await self._read(lambda db: db.execute(statement, values).fetchall())


def _take(path: Path) -> IO[bytes]:
    """Take the lock beside the database; the kernel lets it go when the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(path.name + ".lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise StoreBusyError("another process has this store open") from None
    return lock


def _tell(jobs: list[_Job]) -> None:
    """Let the jobs' callers go on: one call back to each loop, not one a job."""

    def done(told: list[_Job]) -> None:
        for job in told:
            if not job.done.done():
                job.done.set_result(None)

    for loop in {job.loop for job in jobs}:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(done, [job for job in jobs if job.loop is loop])


def _store_error(error: sqlite3.Error) -> StoreError:
    """Name what went wrong by SQLite's own code; its message may hold a path."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return StoreFullError("the disk takes no more")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError("the store is held by another process")
    return StoreError(f"SQLite error {code}")


def _next_position(db: sqlite3.Connection, session_id: str, created: float) -> int:
    db.execute(
        "INSERT OR IGNORE INTO sessions (id, created, counts, items) VALUES (?,?,?,0)",
        (session_id, created, b"{}"),
    )
    position: int = db.execute(
        "UPDATE sessions SET items=items+1 WHERE id=? RETURNING items", (session_id,)
    ).fetchone()[0]
    return position


def _append(db: sqlite3.Connection, turn: int, push: Push, events: int) -> None:
    db.executemany(
        "INSERT INTO inputs VALUES (?,?,?)",
        [(turn, n, data) for n, data in enumerate(push.inputs, push.expected)],
    )
    db.executemany(
        "INSERT INTO events VALUES (?,?,?,?)",
        [(turn, n, row.type, row.data) for n, row in enumerate(push.events, events + 1)],
    )
    for table, rows in (("parts", push.parts), ("named", push.named)):
        if table == "named" and push.afresh:
            db.execute("DELETE FROM named WHERE turn=?", (turn,))
        if not rows:
            continue
        (last,) = db.execute(
            f"SELECT coalesce(max(n), 0) FROM {table} WHERE turn=?",  # noqa: S608
            (turn,),
        ).fetchone()
        if table == "parts":
            db.executemany(
                "INSERT INTO parts VALUES (?,?,?,?)",
                [(turn, n, part.id, part.data) for n, part in enumerate(push.parts, last + 1)],
            )
        else:
            db.executemany(
                "INSERT INTO named VALUES (?,?,?)",
                [(turn, n, data) for n, data in enumerate(push.named, last + 1)],
            )


def _values(row: TurnRow) -> tuple[Any, ...]:
    return (
        row.id,
        row.session_id,
        row.semantics,
        row.created,
        row.touched,
        row.ended,
        row.status,
        row.reason,
        row.next,
        row.events,
        row.state,
        row.labels,
        int(row.trimmed),
    )


def _turn(fields: Any) -> TurnRow:
    row = TurnRow(*fields)
    # SQLite has no truth values.
    return replace(row, trimmed=bool(row.trimmed))
