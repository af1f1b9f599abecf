import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from citestream.stores.port import (
    ConflictError,
    DamagedError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from citestream.stores.sqlite import writer
from citestream.stores.sqlite.writer import Writer, store_error

pytestmark = pytest.mark.anyio


class Places:
    """Counts the failpoints that are passed; the one named ``stop`` raises."""

    def __init__(self) -> None:
        self.passed: list[str] = []

    def __call__(self, name: str) -> None:
        self.passed.append(name)

    @property
    def transactions(self) -> int:
        return self.passed.count("before-begin")


@pytest.fixture
def places() -> Places:
    return Places()


@pytest.fixture
async def rows(tmp_path: Path, places: Places, anyio_backend: str) -> AsyncIterator[Writer]:
    with closing(
        sqlite3.connect(
            tmp_path / "w.db", isolation_level=None, check_same_thread=False, timeout=0.2
        )
    ) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
        made = Writer(connection, places, lambda: None, 5.0)
        yield made
        await made.close()


async def insert(rows: Writer, n: int) -> int:
    def work(db: sqlite3.Connection) -> int:
        db.execute("INSERT INTO t VALUES (?)", (n,))
        return n

    return await rows.write(work)


async def count(rows: Writer) -> int:
    found: int = await rows.write(lambda db: db.execute("SELECT count(*) FROM t").fetchone()[0])
    return found


async def test_writes_that_wait_are_committed_together(rows: Writer, places: Places) -> None:
    assert await asyncio.gather(*(insert(rows, n) for n in range(1000))) == list(range(1000))
    assert 1000 / writer.GROUP <= places.transactions < 100
    assert await count(rows) == 1000


async def test_a_lone_write_does_not_wait_for_company(rows: Writer, places: Places) -> None:
    for n in range(10):
        await insert(rows, n)
        assert not rows._company
    assert places.transactions == 10


async def test_a_spoiled_write_fails_alone(rows: Writer) -> None:
    await insert(rows, 50)
    told = await asyncio.gather(*(insert(rows, n) for n in range(100)), return_exceptions=True)
    assert isinstance(told[50], StoreError)
    assert [one for one in told if isinstance(one, int)] == [n for n in range(100) if n != 50]
    assert await count(rows) == 100


async def test_what_is_not_a_matter_of_the_store_is_told_as_it_is(rows: Writer) -> None:
    def broken(_: sqlite3.Connection) -> None:
        raise KeyError("a mistake")

    told = await asyncio.gather(
        insert(rows, 1), rows.write(broken), insert(rows, 2), return_exceptions=True
    )
    assert told[0] == 1
    assert isinstance(told[1], KeyError)
    assert told[2] == 2
    assert await count(rows) == 2


async def test_a_refusal_undoes_no_group(rows: Writer, places: Places) -> None:
    def refuse(_: sqlite3.Connection) -> None:
        raise ConflictError

    await insert(rows, 0)
    before = places.transactions
    told = await asyncio.gather(
        *(rows.write(refuse) if n % 2 else insert(rows, n) for n in range(1, 41)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, ConflictError) for one in told) == 20
    assert await count(rows) == 21
    assert places.transactions - before < 20


async def test_neighbours_with_the_same_work_are_done_by_one_call(rows: Writer) -> None:
    calls: list[list[int]] = []

    def double(db: sqlite3.Connection, arguments: Sequence[int]) -> list[int]:
        calls.append(list(arguments))
        db.executemany("INSERT INTO t VALUES (?)", [(n,) for n in arguments])
        return [n * 2 for n in arguments]

    await asyncio.gather(insert(rows, 1000), insert(rows, 1001))  # from here on it waits for more
    told = await asyncio.gather(
        *(rows.write_together(double, n) for n in range(20)),
        insert(rows, 1002),
        *(rows.write_together(double, n) for n in range(20, 40)),
    )
    assert told == [*range(0, 40, 2), 1002, *range(40, 80, 2)]
    assert calls == [list(range(20)), list(range(20, 40))]
    assert await count(rows) == 43


@pytest.mark.parametrize("error", [sqlite3.IntegrityError, ConflictError])
async def test_of_neighbours_only_the_one_that_cannot_be_done_fails(
    rows: Writer, error: type[Exception]
) -> None:
    def all_but_five(db: sqlite3.Connection, arguments: Sequence[int]) -> Sequence[int]:
        for n in arguments:
            if n == 5:
                raise error
            db.execute("INSERT INTO t VALUES (?)", (n,))
        return arguments

    await asyncio.gather(insert(rows, 1000), insert(rows, 1001))
    told = await asyncio.gather(
        *(rows.write_together(all_but_five, n) for n in range(10)), return_exceptions=True
    )
    assert type(told[5]) is (ConflictError if error is ConflictError else StoreError)
    assert [one for one in told if isinstance(one, int)] == [n for n in range(10) if n != 5]
    assert await count(rows) == 11


async def test_work_that_loses_a_result_is_told_as_a_mistake(rows: Writer) -> None:
    told = await asyncio.gather(
        rows.write_together(lambda _, arguments: arguments[1:], 1), return_exceptions=True
    )
    assert isinstance(told[0], ValueError)


async def test_a_held_file_fails_all_who_wait_at_once(rows: Writer, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "w.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        told = await asyncio.gather(*(insert(rows, n) for n in range(50)), return_exceptions=True)
        assert {type(one) for one in told} == {StoreBusyError}
    assert await insert(rows, 1) == 1


async def test_a_cancelled_caller_is_not_told(rows: Writer) -> None:
    writing = asyncio.create_task(insert(rows, 1))
    await asyncio.sleep(0)
    writing.cancel()
    assert await insert(rows, 2) == 2
    assert await count(rows) == 2
    assert writing.cancelled()


async def test_a_checkpoint_is_made_when_nothing_is_written(
    rows: Writer, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "IDLE_SECONDS", 0.05)
    await insert(rows, 1)
    await asyncio.sleep(0.3)
    assert places.passed.count("checkpoint") == 1
    assert places.passed[-1] == "checkpoint"


async def test_places_are_passed_in_order(rows: Writer, places: Places) -> None:
    await insert(rows, 1)
    assert places.passed == ["before-begin", "in-transaction", "committed"]


async def test_nothing_is_taken_after_the_end(rows: Writer) -> None:
    await rows.close()
    with pytest.raises(StoreError, match="closed"):
        await insert(rows, 1)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, StoreFullError),
        (sqlite3.SQLITE_IOERR_WRITE, StoreFullError),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreFullError),
        (sqlite3.SQLITE_IOERR_READ, StoreError),
        (sqlite3.SQLITE_BUSY, StoreBusyError),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreBusyError),
        (sqlite3.SQLITE_LOCKED, StoreBusyError),
        (sqlite3.SQLITE_CORRUPT, DamagedError),
        (sqlite3.SQLITE_CORRUPT_INDEX, DamagedError),
        (sqlite3.SQLITE_NOTADB, DamagedError),
        (sqlite3.SQLITE_MISUSE, StoreError),
    ],
)
async def test_errors_by_their_code(code: int, kind: type[StoreError]) -> None:
    error = sqlite3.OperationalError("unable to open /secret/path")
    error.sqlite_errorcode = code
    told = store_error(error)
    assert type(told) is kind
    assert "secret" not in str(told)
