"""The turn log in one SQLite file.

Lives here: the connections, and which call goes to which. One connection writes and makes every
checkpoint, on a thread of its own; readers have connections that cannot write and make no file.
"""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from citestream.stores.failpoints import Failpoint, no_op
from citestream.stores.migrate import upgrade
from citestream.stores.port import (
    AddedMessage,
    Carry,
    EventRow,
    Head,
    Idempotency,
    ItemRow,
    Key,
    PartRow,
    Push,
    SessionRow,
    StoreError,
    TurnRow,
    TurnSnapshot,
)
from citestream.stores.sqlite import reads, removal, writes
from citestream.stores.sqlite.file import DatabaseFile
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
    waits while another process holds the database. With ``create`` false a file that is not there
    is an error.
    """

    shared: Final = False
    """The lock on the file keeps every other process out."""

    def __init__(
        self,
        path: Path,
        *,
        durable: bool = False,
        busy_seconds: float = BUSY_SECONDS,
        create: bool = True,
        failpoint: Failpoint = no_op,
    ) -> None:
        self._path = path
        self._synchronous = "FULL" if durable else "NORMAL"
        self._busy_seconds = busy_seconds
        self._create = create
        self._failpoint = failpoint
        self._file: DatabaseFile | None = None
        self._writer: Writer | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._reader = threading.local()
        self._connections: list[sqlite3.Connection] = []

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Take the file, bring its schema up to date, start the threads.

        Raises :class:`~citestream.stores.port.StoreBusyError` when another process has it open,
        :class:`StoreError` when it is no database or a newer version's.
        """
        self._file = file = DatabaseFile(self._path, create=self._create)
        try:
            connection = await asyncio.to_thread(self._prepare)
        except BaseException:
            self._let_go()
            raise
        self._readers = ThreadPoolExecutor(READERS, "citestream-read")
        self._writer = Writer(connection, self._failpoint, file.check, self._busy_seconds)

    def _prepare(self) -> sqlite3.Connection:
        try:
            connection = self._connect()
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(f"PRAGMA synchronous={self._synchronous}")
            connection.execute("PRAGMA journal_size_limit=67108864")
            connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
            upgrade(connection, self._failpoint)
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
        if self._file:
            self._file.close()
            self._file = None

    async def ready(self) -> bool:
        """Tell whether an empty transaction goes through."""
        try:
            await self._write(lambda _: None)
        except StoreError:
            return False
        return True

    async def changes(
        self, _followed: Callable[[], Collection[Key]], /
    ) -> AsyncIterator[Mapping[Key, Head | None]]:
        """Yield nothing: no one else writes."""
        nothing: Mapping[Key, Head | None]
        for nothing in ():
            yield nothing

    def _connect(self) -> sqlite3.Connection:
        if self._file is None:
            raise StoreError("the store is closed")
        # The file is there: a connection to one that was removed must not make another.
        connection = sqlite3.connect(
            f"{self._file.path.as_uri()}?mode=rw",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        self._connections.append(connection)
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

    async def create_turn(
        self, row: TurnRow, once: Idempotency | None = None, carry: Carry | None = None
    ) -> bytes | None:
        """Store a new turn (and its session, if that is new)."""

        def work(db: sqlite3.Connection) -> bytes | None:
            answer = writes.create_turn(db, row, once, carry)
            if answer is None:
                self._failpoint("turn-written")
                if once:
                    self._failpoint("key-written")
            return answer

        return await self._write(work)

    async def push(self, push: Push) -> bool:
        """Write a push if the turn and the session are where it expects them."""
        return await self._open_writer().write_together(self._push, push)

    def _push(self, db: sqlite3.Connection, pushes: Sequence[Push]) -> list[bool]:
        written = writes.push(db, pushes)
        for push in pushes:
            if push.ended is not None:
                self._failpoint("end-written")
                break
        return written

    async def turn(self, turn: Key) -> TurnRow | None:
        """Return the turn, or None."""
        return await self._read(partial(reads.turn, key=turn))

    async def heads(self, turns: Collection[Key]) -> dict[Key, Head]:
        """Return how far turns have come."""
        return await self._read(partial(reads.heads, keys=turns))

    async def snapshots(self, turns: Collection[Key]) -> dict[Key, TurnSnapshot]:
        """Return all that turns are restored from."""
        return await self._read(partial(reads.snapshots, keys=turns))

    async def inputs(self, turn: Key, first: int, limit: int) -> list[bytes]:
        """Return a page of input events from number ``first`` on."""
        return await self._read(partial(reads.inputs, key=turn, first=first, limit=limit))

    async def events(self, turn: Key, after: int, limit: int) -> list[EventRow]:
        """Return a page of output events after number ``after``."""
        return await self._read(partial(reads.events, key=turn, after=after, limit=limit))

    async def last_events(self, turns: Sequence[Key], size: int) -> dict[Key, EventRow]:
        """Return the last event of each turn, up to ``size`` bytes and at least one."""
        return await self._read(partial(reads.last_events, keys=turns, size=size))

    async def parts(self, turn: Key) -> list[PartRow]:
        """Return all parts of the turn in the order in which they were registered."""
        return await self._read(partial(reads.parts, key=turn))

    async def part(self, turn: Key, part_id: str) -> PartRow | None:
        """Return one part, or None."""
        return await self._read(partial(reads.part, key=turn, part_id=part_id))

    async def about_parts(
        self, wanted: Mapping[Key, Collection[str]]
    ) -> dict[Key, dict[str, bytes]]:
        """Return ``about`` of parts by turn and id."""
        return await self._read(partial(reads.about_parts, wanted=wanted))

    async def named(self, turn: Key) -> list[bytes]:
        """Return all that its markers named, in text order."""
        return await self._read(lambda db: reads.rows_of(db, "named", turn))

    async def results(self, turn: Key) -> list[bytes]:
        """Return what each event of results settled, in order."""
        return await self._read(lambda db: reads.rows_of(db, "results", turn))

    async def delete_turn(self, turn: Key) -> bool:
        """Remove the turn and all that is its."""
        number = await self._write(partial(removal.delete_turn, key=turn))
        if number is None:
            return False
        await self._remove_rows(number)
        return True

    async def _remove_rows(self, *numbers: int) -> None:
        for number in numbers:
            self._failpoint("removed")
            while not await self._write(partial(removal.remove_rows, number=number)):
                pass

    async def running(self, after: Key | None, limit: int) -> list[tuple[Key, int]]:
        """Return a page of turns that have not ended with their next number."""
        return await self._read(partial(reads.running, after=after, limit=limit))

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""
        return await self._read(reads.running_turns)

    async def turns(self, after: Key | None, limit: int) -> list[Key]:
        """Return a page of all turns."""
        return await self._read(partial(reads.turns, after=after, limit=limit))

    async def trim(self, before: float, limit: int) -> int:
        """Remove event rows, but the last, of turns that ended before."""
        chosen = await self._write(partial(removal.begin_trim, before=before, limit=limit))
        for number, last in chosen:
            while not await self._write(partial(self._trim, number=number, last=last)):
                pass
        await self._remove_rows(*await self._read(partial(removal.left_over, limit=limit)))
        return len(chosen)

    def _trim(self, db: sqlite3.Connection, number: int, last: int) -> bool:
        done = removal.trim(db, number, last)
        self._failpoint("sweeping")
        return done

    # -- sessions -----------------------------------------------------------------------------

    async def session(self, session: Key) -> SessionRow | None:
        """Return the session, or None."""
        return await self._read(partial(reads.session, key=session))

    async def sessions(
        self, tenant: str, before: tuple[float, str] | None, limit: int
    ) -> list[SessionRow]:
        """Return a page of the tenant's sessions, the newest first."""
        return await self._read(partial(reads.sessions, tenant=tenant, before=before, limit=limit))

    async def taken_part_ids(self, session: Key, ids: Collection[str]) -> set[str]:
        """Return those of ``ids`` that some part of some turn of the session has or had."""
        return await self._read(partial(reads.taken_part_ids, key=session, ids=ids))

    async def add_message(
        self, session: Key, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        """Store a user message, unless the session has one of this id; return what is stored."""
        return await self._write(
            lambda db: writes.add_message(db, session, message_id, message, created)
        )

    async def items(self, session: Key, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items after position ``after``, in order."""
        return await self._read(partial(reads.items, key=session, after=after, limit=limit))

    async def delete_session(self, session: Key) -> list[str] | None:
        """Remove the session and its turns."""
        gone = await self._write(partial(removal.delete_session, key=session))
        if gone is None:
            return None
        await self._remove_rows(*gone.values())
        return list(gone)
