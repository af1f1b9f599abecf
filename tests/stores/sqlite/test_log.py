"""The SQLite log: its contract, and what it does when the machine under it does not do its part."""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.stores.contract import TurnLogContract, a_push, key, part, turn_row

from citestream.stores.port import (
    EventRow,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreLostError,
    TurnLog,
)
from citestream.stores.sqlite.log import CACHE_KIB, LOG_PAGES, SqliteLog

pytestmark = pytest.mark.anyio

APP = Path(__file__).parents[2] / "app"
ROOT = APP.parent


class TestSqliteLog(TurnLogContract):
    make = staticmethod(lambda folder: SqliteLog(folder / "turns.db"))


@pytest.fixture
async def log(tmp_path: Path, anyio_backend: str) -> AsyncIterator[SqliteLog]:
    log = SqliteLog(tmp_path / "turns.db", busy_seconds=0.5)
    await log.open()
    yield log
    await log.close()


def child(script: str, *arguments: Path) -> subprocess.Popen[str]:
    """Run a script in a process of its own; ``LOG`` is the class, ``PATH`` the first argument."""
    head = """
        import asyncio, os, sys
        from pathlib import Path
        from citestream.stores.sqlite.log import SqliteLog
        from tests.stores.contract import a_push, key, turn_row
        PATH = Path(sys.argv[1])
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(script), *arguments],
        env={**os.environ, "PYTHONPATH": f"{APP}{os.pathsep}{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


HOLDING = """
    async def main():
        log = SqliteLog(PATH)
        await log.open()
        await log.create_turn(turn_row())
        for n in range(1, 51):
            await log.push(a_push(n))
        print("open", flush=True)
        sys.stdin.read()
        await log.close()
    asyncio.run(main())
"""


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


async def filled(log: TurnLog, turns: int = 3, pushes: int = 30) -> None:
    for t in range(turns):
        await log.create_turn(turn_row(f"t{t}"))
        for n in range(1, pushes + 1):
            push = a_push(n, f"t{t}", parts=[part(f"p{n}", b"part %d" % n)], named=[b"n%d" % n])
            assert await log.push(push)


# -- one process ------------------------------------------------------------------------------


def test_a_second_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    with child(HOLDING, path) as first:
        assert line_of(first) == "open"
        begun = time.monotonic()
        with pytest.raises(StoreBusyError, match="another process has this store open"):
            asyncio.run(SqliteLog(path).open())
        assert time.monotonic() - begun < 1
        first.send_signal(signal.SIGKILL)
        first.wait()

    async def reopened() -> int:
        log = SqliteLog(path)
        await log.open()
        events = await log.events(key("t"), 0, 100)
        await log.close()
        return len(events)

    assert asyncio.run(reopened()) == 50


def test_a_link_to_the_file_is_the_file(tmp_path: Path) -> None:
    path, link = tmp_path / "turns.db", tmp_path / "links" / "other.db"
    link.parent.mkdir()
    link.symlink_to(path)

    async def both() -> None:
        log = SqliteLog(path)
        await log.open()
        with pytest.raises(StoreBusyError):
            await SqliteLog(link).open()
        await log.close()
        linked = SqliteLog(link)
        await linked.open()
        await linked.close()

    asyncio.run(both())


def test_a_refused_process_says_so_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    with child(HOLDING, path) as first:
        assert line_of(first) == "open"
        with child(HOLDING, path) as second:
            output, _ = second.communicate()
        assert second.returncode != 0
        assert (
            output.strip()
            .splitlines()[-1]
            .endswith("StoreBusyError: another process has this store open")
        )
        first.communicate()


def test_an_orderly_end_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    with child(HOLDING, path) as process:
        assert line_of(process) == "open"
        process.communicate()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["turns.db"]


def test_the_face_of_the_library_loads_no_store() -> None:
    script = (
        "import sys, citestream; print([m for m in sys.modules if m in ('sqlite3', 'alembic')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(APP)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="the store's file is damaged"):
        await SqliteLog(path).open()
    path.unlink()
    log = SqliteLog(path)  # the lock has been let go
    await log.open()
    await log.close()


async def test_one_log_may_be_opened_again(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "turns.db")
    for n in range(3):
        await log.open()
        await log.create_turn(turn_row(f"t{n}"))
        assert await log.running_turns() == n + 1
        await log.close()


# -- settings of the connections --------------------------------------------------------------


async def test_the_writer_is_in_wal_mode_and_readers_cannot_write(log: SqliteLog) -> None:
    def pragma(db: sqlite3.Connection, name: str) -> object:
        return db.execute(f"PRAGMA {name}").fetchone()[0]

    assert await log._write(lambda db: pragma(db, "journal_mode")) == "wal"
    assert await log._write(lambda db: pragma(db, "synchronous")) == 1
    assert await log._write(lambda db: pragma(db, "mmap_size")) == 0
    assert await log._write(lambda db: pragma(db, "wal_autocheckpoint")) == LOG_PAGES
    assert await log._write(lambda db: pragma(db, "cache_size")) == -CACHE_KIB
    with pytest.raises(StoreError):
        await log._read(lambda db: db.execute("DELETE FROM turns"))


# -- held by another process ------------------------------------------------------------------


async def test_held_for_a_while_writes_wait_and_readers_read(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "turns.db", busy_seconds=10)
    await log.open()
    await log.create_turn(turn_row())
    with closing(sqlite3.connect(tmp_path / "turns.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        writing = asyncio.create_task(log.push(a_push()))
        await asyncio.sleep(1)
        assert not writing.done()
        assert await log.turn(key("t")) == turn_row()
        other.execute("ROLLBACK")
    assert await writing
    await log.close()


async def test_held_for_long_all_who_wait_fail_together_and_it_heals(
    tmp_path: Path, log: SqliteLog
) -> None:
    await log.create_turn(turn_row())
    with closing(sqlite3.connect(tmp_path / "turns.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        told = await asyncio.gather(
            *(log.push(a_push()) for _ in range(20)), return_exceptions=True
        )
        assert [type(one) for one in told] == [StoreBusyError] * 20
        assert time.monotonic() - begun < 3
        assert not await log.ready()
        assert await log.turn(key("t")) == turn_row()
    assert await log.ready()
    assert await log.push(a_push())


async def test_no_write_waits_longer_than_it_may_however_many_wait(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "turns.db", busy_seconds=1)
    await log.open()
    await log.create_turn(turn_row())

    async def waited() -> float:
        begun = time.monotonic()
        with pytest.raises(StoreBusyError):
            await log.push(a_push())
        return time.monotonic() - begun

    with closing(sqlite3.connect(tmp_path / "turns.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        waiting = []
        for _ in range(8):  # each is asked for while another is being tried
            waiting.append(asyncio.create_task(waited()))
            await asyncio.sleep(0.3)
        assert max(await asyncio.gather(*waiting)) < 2
    assert await log.push(a_push())
    await log.close()


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_store_whose_file_is_gone_takes_nothing(
    tmp_path: Path, log: SqliteLog, replaced: bool
) -> None:
    await log.create_turn(turn_row())
    assert await log.push(a_push())
    path = tmp_path / "turns.db"
    path.rename(tmp_path / "moved.db")
    if replaced:
        path.write_bytes(b"")
    assert not await log.ready()
    with pytest.raises(StoreLostError):
        await log.push(a_push(2))
    with suppress(StoreError):
        await log.turn(key())  # a reader that connects now finds nothing and makes nothing
    assert path.exists() == replaced
    (tmp_path / "moved.db").replace(path)
    assert await log.ready()
    assert await log.push(a_push(2))


async def test_a_removal_that_broke_off_is_taken_up_again(tmp_path: Path) -> None:
    class BrokenError(Exception):
        pass

    def failpoint(name: str) -> None:
        if name == "removed":
            raise BrokenError

    path = tmp_path / "turns.db"
    broken = SqliteLog(path, failpoint=failpoint)
    await broken.open()
    await filled(broken, turns=2)
    with pytest.raises(BrokenError):
        await broken.delete_turn(key("t0"))
    await broken.close()
    log = SqliteLog(path)
    await log.open()
    assert await log.turn(key("t0")) is None
    assert await log.trim(0, 10) == 0
    counts = "SELECT (SELECT count(*) FROM removed), (SELECT count(DISTINCT turn) FROM events)"
    assert await log._read(lambda db: db.execute(counts).fetchone()) == (0, 1)
    await log.close()


async def test_an_outside_reader_does_not_hold_up_writes(tmp_path: Path, log: SqliteLog) -> None:
    await log.create_turn(turn_row())
    with closing(sqlite3.connect(tmp_path / "turns.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT next FROM turns").fetchone() == (1,)
        for n in range(1, 200):
            assert await log.push(a_push(n))
        assert other.execute("SELECT next FROM turns").fetchone() == (1,)
    row = await log.turn(key("t"))
    assert row is not None
    assert row.next == 200


# -- no room ----------------------------------------------------------------------------------

FILLING = """
    import resource
    from citestream.stores.port import StoreFullError
    async def main():
        log = SqliteLog(PATH)
        await log.open()
        await log.create_turn(turn_row())
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
        n = 1
        try:
            while await log.push(a_push(n, inputs=[bytes(50_000)])):
                n += 1
        except StoreFullError as error:
            print(error)
        row = await log.turn(key("t"))
        print(row.next == n > 10, len(await log.events(key("t"), 0, 500)) == n - 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        print(await log.push(a_push(n, inputs=[bytes(50_000)])))
        await log.close()
    asyncio.run(main())
"""


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    with child(FILLING, path) as process:
        output, _ = process.communicate()
    assert output.splitlines() == ["the disk takes no more", "True True", "True"]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


async def pushed_until_refused(log: SqliteLog) -> int:
    """Push 50 kB again and again; return the number of the push that was refused."""
    await log.create_turn(turn_row())
    number = 1
    with suppress(StoreFullError):
        while await log.push(a_push(number, inputs=[bytes(50_000)])):
            number += 1
    return number


async def test_a_full_disk(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    log = SqliteLog(small_disk / "turns.db")
    try:
        await log.open()
        n = await pushed_until_refused(log)
        assert n > 5
        assert len(await log.events(key("t"), 0, 500)) == n - 1
        with pytest.raises(StoreFullError):
            await log.push(a_push(n, inputs=[bytes(50_000)]))
        ballast.unlink()
        begun = time.monotonic()
        assert await log.push(a_push(n))
        assert time.monotonic() - begun < 5
        await log.close()
        with closing(sqlite3.connect(small_disk / "turns.db")) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        await log.close()


# -- damage -----------------------------------------------------------------------------------


@pytest.fixture
async def crashed(tmp_path: Path, anyio_backend: str) -> Path:
    """The files of a store whose process was killed: half in the database, half in its log."""
    log = SqliteLog(tmp_path / "whole" / "turns.db")
    await log.open()
    await filled(log)
    assert log._writer
    log._writer._checkpoint()
    for t in range(3):
        for n in range(31, 61):
            await log.push(a_push(n, f"t{t}", named=[b"n%d" % n], parts=[part(f"p{n}", b"")]))
    copy = tmp_path / "crashed"
    copy.mkdir()
    for name in ("turns.db", "turns.db-wal"):
        shutil.copy(tmp_path / "whole" / name, copy / name)
    await log.close()
    return copy


async def what_is_read(folder: Path) -> dict[str, list[object]] | None:
    """Return all that a store hands out, or None if it refuses to open."""
    log = SqliteLog(folder / "turns.db")
    found: dict[str, list[object]] = {}
    try:
        await log.open()
    except StoreError:
        return None
    for t in range(3):
        for name, read in (
            ("events", log.events(key(f"t{t}"), 0, 500)),
            ("inputs", log.inputs(key(f"t{t}"), 1, 500)),
            ("parts", log.parts(key(f"t{t}"))),
            ("named", log.named(key(f"t{t}"))),
            ("snapshot", log.snapshots([key(f"t{t}")])),
        ):
            try:
                rows = await read
            except StoreError:
                continue
            if isinstance(rows, dict):
                rows = list(rows.values())
            found[f"{name} {t}"] = list(rows) if isinstance(rows, list) else [rows]
    await log.close()
    return found


def right(found: dict[str, list[object]]) -> int:
    """Compare what was read with what was written; return how many rows were read."""
    for place, rows in found.items():
        name, _ = place.split()
        for n, row in enumerate(rows, 1):
            if name == "events":
                assert row == EventRow("delta", b"event %d" % n)
            elif name == "inputs":
                assert row == b"input %d" % n
            elif name == "parts":
                assert row == part(f"p{n}", b"part %d" % n if n <= 30 else b"")
            elif name == "named":
                assert row == b"n%d" % n
            elif row is not None:
                assert row.row.state == b"after %d" % (row.row.next - 1)  # type: ignore[attr-defined]
                assert len(row.deltas) == row.row.next - 1  # type: ignore[attr-defined]
    return sum(map(len, found.values()))


def altered(store: Path, name: str, data: bytes, number: int) -> Path:
    folder = store.parent / f"{name}-{number}"
    shutil.copytree(store, folder)
    (folder / name).write_bytes(data)
    return folder


async def test_a_torn_log_gives_what_was_written_before(crashed: Path) -> None:
    data = (crashed / "turns.db-wal").read_bytes()
    for cut in random.Random(7).sample(range(1, 4097), 64):  # noqa: S311
        found = await what_is_read(altered(crashed, "turns.db-wal", data[:-cut], cut))
        assert found
        assert right(found) > 3 * 4 * 30


@pytest.mark.parametrize(("state", "name"), [("whole", "turns.db"), ("crashed", "turns.db-wal")])
async def test_a_flipped_bit_never_gives_a_wrong_row(crashed: Path, state: str, name: str) -> None:
    store = crashed.parent / state
    data = (store / name).read_bytes()
    chance = random.Random(11)  # noqa: S311
    rows = []
    for number in range(64):
        bit = chance.randrange(len(data) * 8)
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        found = await what_is_read(altered(store, name, bytes(flipped), number))
        rows.append(right(found or {}))
    complete = 3 * (4 * 60 + 1)
    assert max(rows) <= complete
    assert min(rows) < complete  # some were refused, or not there


# -- callers ----------------------------------------------------------------------------------


async def test_a_caller_that_is_cancelled_harms_nobody(log: SqliteLog) -> None:
    await log.create_turn(turn_row())
    writing = asyncio.create_task(log.push(a_push()))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    row = await log.turn(key("t"))
    while row and row.next == 1:  # what was asked for is done all the same
        await asyncio.sleep(0.01)
        row = await log.turn(key("t"))
    assert await log.push(a_push(2))
    assert len(await log.events(key("t"), 0, 10)) == 2


async def test_what_waits_is_written_before_it_closes(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "turns.db")
    await log.open()
    creating = [asyncio.create_task(log.create_turn(turn_row(f"t{n}"))) for n in range(1000)]
    await asyncio.sleep(0)
    closing_log = asyncio.create_task(log.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="closed"):
        await log.create_turn(turn_row("late"))
    assert await asyncio.gather(*creating) == [None] * 1000
    await closing_log
    await log.open()
    assert await log.running_turns() == 1000
    await log.close()
