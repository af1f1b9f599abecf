"""The one thread that writes to a SQLite file, and makes its checkpoints.

Lives here: the queue of writes, their groups, and what becomes of a group that cannot be committed.
Must not know what is written. No two connections ever write or checkpoint at the same moment.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from citestream.stores.failpoints import Failpoint
from citestream.stores.port import DamagedError, StoreBusyError, StoreError, StoreFullError

GROUP: Final = 256
"""Writes committed together at most."""
GROUP_SECONDS: Final = 0.004
"""Where writes come in company, a group waits so long for more of them; a lone one never waits."""
IDLE_SECONDS: Final = 1.0
"""A checkpoint is made when nothing has been written for so long; under load SQLite makes one
whenever its log has grown to a length that the connection says."""

_NO_ROOM: Final = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}

A = TypeVar("A")
T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""What one write does. It may refuse with a :class:`StoreError` as long as it has written nothing;
all else it raises undoes its group."""
WorkOnMany = Callable[[sqlite3.Connection, Sequence[A]], Sequence[T]]
"""What writes of one kind do together: a result for each argument. Whatever it raises for several
undoes their group, and each is tried alone."""


class _Job:
    __slots__ = ("argument", "asked", "done", "error", "loop", "result", "work")

    def __init__(self, work: WorkOnMany[Any, Any], argument: Any) -> None:
        self.work = work
        self.argument = argument
        self.asked = monotonic()
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[Any] = self.loop.create_future()
        self.result: Any = None
        self.error: Exception | None = None

    def finish(self) -> None:
        """Let the caller go on, if it still waits."""
        if self.done.done():
            return
        if self.error:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)


class Writer:
    """Writes through ``connection``, which is its own from now on, until it is closed.

    ``check`` raises when a commit would be lost; ``busy_seconds`` is how long a write waits, from
    the moment it was asked for, while another process holds the database.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        failpoint: Failpoint,
        check: Callable[[], None],
        busy_seconds: float,
    ) -> None:
        self._connection = connection
        self._failpoint = failpoint
        self._check = check
        self._busy_seconds = busy_seconds
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._company = False  # whether the last group was of more than one
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="citestream-write", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T]) -> T:
        """Do ``work`` in a transaction, perhaps with others; return what it returns once committed.

        A caller that is cancelled does not take back what it asked for: it may be committed.
        """
        return await self.write_together(lambda connection, _: [work(connection)], None)

    async def write_together(self, work: WorkOnMany[A, T], argument: A) -> T:
        """Do the same, for all neighbours with the same ``work`` by one call of it."""
        if self._closed:
            raise StoreError("the store is closed")
        job = _Job(work, argument)
        self._jobs.put(job)
        result: T = await job.done
        return result

    async def close(self) -> None:
        """Commit what waits and end the thread. The connection stays open."""
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    # -- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        written = False
        while True:
            try:
                first = self._jobs.get(timeout=IDLE_SECONDS if written else None)
            except queue.Empty:
                self._checkpoint()
                written = False
                continue
            jobs, last = self._gather(first)
            self._commit(jobs)
            _finish(jobs)
            written = written or bool(jobs)
            if last:
                break
        if written:
            self._checkpoint()

    def _gather(self, first: _Job | None) -> tuple[list[_Job], bool]:
        """Return the writes of one group, and whether they are the last."""
        jobs: list[_Job] = []
        job = first
        if self._company:
            # Asleep, and not waiting for each: to be woken by every write costs more than it.
            sleep(GROUP_SECONDS)
        while job:
            jobs.append(job)
            if len(jobs) == GROUP:
                break
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
        self._company = len(jobs) > 1
        return jobs, job is None

    def _commit(self, jobs: list[_Job]) -> None:
        """Do the jobs in one transaction; when one of them spoils it, each in one of its own."""
        if not jobs:
            return
        try:
            self._failpoint("before-begin")
            self._begin(jobs)
        except sqlite3.Error as error:
            # All fail together: each alone would wait as long again.
            for job in jobs:
                job.error = store_error(error)
            return
        try:
            for work, neighbours in groupby(jobs, attrgetter("work")):
                self._do(work, list(neighbours))
            self._failpoint("in-transaction")
            self._check()
            self._connection.execute("COMMIT")
            self._failpoint("committed")
        except Exception as error:
            with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                self._connection.execute("ROLLBACK")
            if len(jobs) == 1:
                jobs[0].error = store_error(error) if isinstance(error, sqlite3.Error) else error
            else:
                self._commit_each(jobs)

    def _begin(self, jobs: Sequence[_Job]) -> None:
        """Begin a transaction; those that waited while another failed wait for what is left."""
        waited = monotonic() - jobs[0].asked  # none has waited longer than the first
        if waited < self._busy_seconds / 10:
            self._connection.execute("BEGIN IMMEDIATE")
            return
        left = max(self._busy_seconds - waited, 0)
        self._connection.execute(f"PRAGMA busy_timeout={int(left * 1000)}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout={int(self._busy_seconds * 1000)}")

    def _do(self, work: WorkOnMany[Any, Any], jobs: list[_Job]) -> None:
        """Do the work of some jobs inside the transaction that is open."""
        try:
            results = work(self._connection, list(map(attrgetter("argument"), jobs)))
        except StoreError as refusal:
            if len(jobs) > 1:
                raise
            jobs[0].error = refusal
            return
        for job, result in zip(jobs, results, strict=True):
            job.error, job.result = None, result

    def _commit_each(self, jobs: list[_Job]) -> None:
        for index, job in enumerate(jobs):
            self._commit([job])
            if isinstance(job.error, StoreBusyError):
                for other in jobs[index:]:
                    other.error = job.error
                return

    def _checkpoint(self) -> None:
        self._failpoint("checkpoint")
        with suppress(sqlite3.Error):  # the next one will do
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _finish(jobs: list[_Job]) -> None:
    """Let the jobs' callers go on: one call back to each loop, not one a job."""

    def finish(loop_jobs: list[_Job]) -> None:
        for job in loop_jobs:
            job.finish()

    by_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, loop_jobs in by_loop.items():
        try:
            loop.call_soon_threadsafe(finish, loop_jobs)
        except RuntimeError:  # the loop is closed: nobody waits any more
            continue


def store_error(error: sqlite3.Error) -> StoreError:
    """Name what went wrong by SQLite's own code; its message may hold a path."""
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if code == sqlite3.SQLITE_FULL or extended in _NO_ROOM:
        return StoreFullError("the disk takes no more")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError("the store is held by another process")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedError("the store's file is damaged")
    return StoreError(f"SQLite error {extended}")
