"""The turn log in one SQLite file.

Lives here: the file, its lock, its connections, and which call goes to which. One connection writes
and makes every checkpoint, on a thread of its own; readers have connections that cannot write. A
lock held by the kernel on a file beside the database keeps a second process out; a killed process
leaves none behind.
"""

import asyncio
import fcntl
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Final, TypeVar

from citestream.stores.failpoints import Failpoint, nowhere
from citestream.stores.migrate import upgrade
from citestream.stores.port import (
    AddedMessage,
    EventRow,
    Head,
    Idempotency,
    ItemRow,
    PartRow,
    Push,
    SessionRow,
    StoreBusyError,
    StoreError,
    TurnRow,
    TurnSnapshot,
)
from citestream.stores.sqlite import statements
from citestream.stores.sqlite.writer import Writer, store_error

READERS: Final = 2
BUSY_SECONDS: Final = 5.0
CACHE_KIB: Final = 32 * 1024
"""Of the writer: the last pages of a thousand running turns; with less it reads what it wrote."""
LOG_PAGES: Final = 4000
"""Under load a checkpoint is made when the log has so many pages (16 MiB): the same few are written
again and again, and by each checkpoint once; a much longer log makes each a pause that is felt."""

T = TypeVar("T")


class SqliteLog:
    """A :class:`~citestream.stores.port.TurnLog` in the file at ``path``.

    ``durable``: every commit waits until the disk has it, so that a loss of power loses nothing
    acknowledged; otherwise only a crash of the process does not. ``busy_seconds``: how long a call
    waits while another process holds the database. ``at`` is the hook of the failpoints.
    """

    def __init__(
        self,
        path: Path,
        *,
        durable: bool = False,
        busy_seconds: float = BUSY_SECONDS,
        at: Failpoint = nowhere,
    ) -> None:
        self._path = path
        self._synchronous = "FULL" if durable else "NORMAL"
        self._busy_seconds = busy_seconds
        self._at = at
        self._lock: IO[bytes] | None = None
        self._writer: Writer | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._reader = threading.local()
        self._connections: list[sqlite3.Connection] = []

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Take the file, bring its schema up to date, start the threads.

        Raises :class:`StoreBusyError` when another process has it open, :class:`StoreError` when it
        is no database or a newer version's.
        """
        self._lock = _take(self._path)
        try:
            connection = await asyncio.to_thread(self._prepare)
        except BaseException:
            self._let_go()
            raise
        self._readers = ThreadPoolExecutor(READERS, "citestream-read")
        self._writer = Writer(connection, self._at)

    def _prepare(self) -> sqlite3.Connection:
        try:
            connection = self._connect()
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(f"PRAGMA synchronous={self._synchronous}")
            connection.execute("PRAGMA journal_size_limit=67108864")
            connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
            upgrade(connection, self._at)
        except sqlite3.Error as error:
            raise store_error(error) from error
        return connection

    async def close(self) -> None:
        """Commit what waits, checkpoint, and let the file go."""
        if self._writer:
            await self._writer.close()
            self._writer = None
        if self._readers:
            self._readers.shutdown()
            self._readers = None
        self._let_go()

    def _let_go(self) -> None:
        # The first connection is the writer's; the last one to close makes a checkpoint.
        for connection in reversed(self._connections):
            connection.close()
        self._connections.clear()
        self._reader = threading.local()
        if self._lock:
            self._lock.close()
            self._lock = None

    async def ready(self) -> bool:
        """Tell whether an empty transaction goes through."""
        try:
            await self._write(lambda _: None)
        except StoreError:
            return False
        return True

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        self._connections.append(connection)
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA mmap_size=0")
        connection.execute("PRAGMA cell_size_check=ON")
        return connection

    def _open_writer(self) -> Writer:
        if self._writer is None:
            raise StoreError("the store is closed")
        return self._writer

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._open_writer().write(work)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._readers is None:
            raise StoreError("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._reading, work)

    def _reading(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do ``work`` in a transaction: all it reads is of one moment."""
        try:
            connection: sqlite3.Connection | None = getattr(self._reader, "connection", None)
            if connection is None:
                connection = self._reader.connection = self._connect()
                connection.execute("PRAGMA query_only=ON")
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise store_error(error) from error

    # -- turns --------------------------------------------------------------------------------

    async def create_turn(self, row: TurnRow, once: Idempotency | None = None) -> bytes | None:
        """Keep a new turn (and its session, if that is new)."""

        def work(db: sqlite3.Connection) -> bytes | None:
            answer = statements.create_turn(db, row, once)
            if answer is None:
                self._at("turn-written")
                if once:
                    self._at("key-written")
            return answer

        return await self._write(work)

    async def push(self, push: Push) -> bool:
        """Write a push if the turn and the session stand where it expects them."""
        return await self._open_writer().write_together(self._push, push)

    def _push(self, db: sqlite3.Connection, pushes: Sequence[Push]) -> list[bool]:
        written = statements.push(db, pushes)
        if any(push.ended is not None for push in pushes):
            self._at("end-written")
        return written

    async def turn(self, turn_id: str) -> TurnRow | None:
        """Return the turn, or None."""
        return await self._read(lambda db: statements.turn(db, turn_id))

    async def heads(self, turn_ids: Sequence[str]) -> dict[str, Head]:
        """Return how far turns have come."""
        return await self._read(lambda db: statements.heads(db, turn_ids))

    async def snapshot(self, turn_id: str) -> TurnSnapshot | None:
        """Return all that a turn is restored from, or None."""
        return await self._read(lambda db: statements.snapshot(db, turn_id))

    async def inputs(self, turn_id: str, first: int, limit: int) -> list[bytes]:
        """Return a page of input events from number ``first`` on."""
        return await self._read(lambda db: statements.inputs(db, turn_id, first, limit))

    async def events(self, turn_id: str, after: int, limit: int) -> list[EventRow]:
        """Return a page of output events behind number ``after``."""
        return await self._read(lambda db: statements.events(db, turn_id, after, limit))

    async def parts(self, turn_id: str) -> list[PartRow]:
        """Return all parts of the turn in the order they came."""
        return await self._read(lambda db: statements.parts(db, turn_id))

    async def part(self, turn_id: str, part_id: str) -> bytes | None:
        """Return one part, or None."""
        return await self._read(lambda db: statements.part(db, turn_id, part_id))

    async def named(self, turn_id: str) -> list[bytes]:
        """Return all that its markers named, in text order."""
        return await self._read(lambda db: statements.rows_of(db, "named", turn_id))

    async def results(self, turn_id: str) -> list[bytes]:
        """Return what each event of results settled, in order."""
        return await self._read(lambda db: statements.rows_of(db, "results", turn_id))

    async def delete_turn(self, turn_id: str) -> bool:
        """Remove the turn and all that is its."""
        return await self._write(lambda db: statements.delete_turn(db, turn_id))

    async def silent_turns(self, before: float, limit: int) -> list[str]:
        """Return running turns whose last input is older than ``before``."""
        return await self._read(lambda db: statements.silent_turns(db, before, limit))

    async def turn_ids(self, after: str, limit: int) -> list[str]:
        """Return ids of turns behind ``after`` ("" is before the first), in their order."""
        return await self._read(lambda db: statements.turn_ids(db, after, limit))

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""
        return await self._read(statements.running_turns)

    async def trim(self, before: float, limit: int) -> int:
        """Let event rows go, but the last, of turns that ended before."""
        chosen = await self._write(lambda db: statements.begin_trim(db, before, limit))
        for key, last in chosen:
            while not await self._write(lambda db: self._trim(db, key, last)):  # noqa: B023
                pass
        return len(chosen)

    def _trim(self, db: sqlite3.Connection, key: int, last: int) -> bool:
        done = statements.trim(db, key, last)
        self._at("sweeping")
        return done

    # -- sessions -----------------------------------------------------------------------------

    async def session(self, session_id: str) -> SessionRow | None:
        """Return the session, or None."""
        return await self._read(lambda db: statements.session(db, session_id))

    async def part_ids(self, session_id: str) -> list[str]:
        """Return the ids of all parts of all turns of the session."""
        return await self._read(lambda db: statements.part_ids(db, session_id))

    async def add_message(
        self, session_id: str, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        """Store a user message, unless the session has one of this id; return what is stored."""
        return await self._write(
            lambda db: statements.add_message(db, session_id, message_id, message, created)
        )

    async def items(self, session_id: str, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items behind position ``after``, in order."""
        return await self._read(lambda db: statements.items(db, session_id, after, limit))

    async def delete_session(self, session_id: str) -> list[str] | None:
        """Remove the session and its turns."""
        return await self._write(lambda db: statements.delete_session(db, session_id))


def _take(path: Path) -> IO[bytes]:
    """Take the lock beside the database; the kernel lets it go when the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.resolve()  # by whatever link it was named
    lock = path.with_name(path.name + ".lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise StoreBusyError("another process has this store open") from None
    return lock
