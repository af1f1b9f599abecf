"""The parts of the benchmarks run, on sizes that measure nothing."""

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

if sys.platform != "linux":
    pytest.skip("they read Linux's account of a process", allow_module_level=True)

from benchmarks import engine, http, load, memory, path
from benchmarks.load import Load
from benchmarks.served.process import Served

STREAMS = 2
DELTAS = 8

Found = TypeVar("Found")


def run(work: Coroutine[Any, Any, Found]) -> Found:
    async def settled() -> Found:
        found = await work
        await asyncio.sleep(0.01)  # connections close in the next turns of the loop
        return found

    return asyncio.run(settled())


@pytest.fixture(scope="module")
def ours() -> Iterator[Served]:
    with Served("ours") as served:
        yield served


@pytest.fixture(scope="module")
def bare() -> Iterator[Served]:
    with Served("bare") as served:
        yield served


@pytest.fixture(scope="module")
def usual() -> Iterator[Served]:
    with Served("usual") as served:
        yield served


def test_the_corpora_are_what_the_engine_reads() -> None:
    for deltas in engine.corpora(2000).values():
        engine.floor(deltas)
        engine.engine(deltas)


def test_the_http_path(ours: Served, bare: Served, usual: Served) -> None:
    # Each case waits for all its deltas. What they cost is not looked at: some kernels account for
    # a process in ticks of 10 ms, and work this small may cost nothing there.
    found = run(http.measure(bare, ours, usual, 1, STREAMS, DELTAS))
    assert {len(spends) for spends in found.values()} == {1}
    said = "\n".join(http.told({name: [2e-6, 1e-6] for name in found} | {"duplex": [3e-6]}))
    assert "3.00 x  POST /v1/stream, a line at a time" in said
    assert "1.00 x  the same, 4 lines waiting" in said


def test_the_memory_of_a_stream(ours: Served, bare: Served, usual: Served) -> None:
    async def opening() -> None:
        for served in (ours, bare, usual):
            streams = await memory.opened(served, STREAMS)
            assert [one.deltas for one in streams] == [1] * STREAMS
            assert served.rss() > 0
            for one in streams:
                one.close()

    run(opening())


@pytest.mark.parametrize("work", [load.lines, load.singles])
def test_a_load_of_turns(ours: Served, work: load.Work) -> None:
    played = Load(STREAMS, DELTAS, 1)
    run(work(ours, played))
    assert (played.missing, played.refused) == (0, 0)
    assert len(played.late) == STREAMS * DELTAS
    assert "MISSING" not in played.row("two turns", 0.1)


def test_what_is_missing_or_refused_is_told() -> None:
    played = Load(1, 1, 1, refused=1, missing=2)
    run(played.play(lambda *_: None))
    assert "REFUSED 1" in played.row("one turn")
    assert "MISSING 2" in played.row("one turn")


def test_many_readers_of_one_turn(ours: Served) -> None:
    played = Load(1, DELTAS, 1)
    run(load.fan_out(ours, played, STREAMS))
    assert (played.missing, len(played.late)) == (0, STREAMS * DELTAS)


def test_idle_and_resuming_readers(ours: Served) -> None:
    assert "2 of 2 idle" in run(load.idle(ours, 2, 0.1))
    assert "3 of 3 readers" in run(load.resume(ours, 3, 2))


def test_the_floor_of_a_push() -> None:
    played = Load(STREAMS, DELTAS, 1)
    with Served("reading") as served:
        run(load.reads(served, played))
    assert played.refused == 0
    assert played.cpu > 0


def test_the_path_of_a_delta_is_counted_exactly() -> None:
    counts = [
        {(Path(file).name, name): n for (file, name), n in path.each(path.delta, 8).items() if n}
        for _ in range(2)
    ]
    assert counts[0] == counts[1]
    assert counts[0]["native.py", "NativeWriter.encode"] == 1
    for run in (path.line, path.pushed):
        passed = path.each(run, 8)
        assert sum(passed.values()) > sum(counts[0].values())
