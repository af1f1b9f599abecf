"""kill -9 of the real command while producers push and readers follow."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import pytest
from tests.faults.lives import Lives, living, parent
from tests.faults.runs import (
    GONE,
    Life,
    Plan,
    Producer,
    Reader,
    asked,
    check,
    finished,
    planned,
    undisturbed,
)
from tests.raw_http import RawClient

from citestream.stores.failpoints import FAILPOINTS

RUNS = int(os.environ.get("FAULT_RUNS", "100"))
"""Kills in all: at named points, and the rest at random times."""
TRACKS = 2
"""Services that live and die beside each other."""

NAMED = [
    (name, nth)
    for name in FAILPOINTS
    for nth in {"migrating": (1,), "sweeping": (1,), "checkpoint": (1,)}.get(name, (1, 2))
]
TIMES_OVER = max(1, RUNS // 100)


class Played:
    """Turns under way: a producer and two readers each."""

    def __init__(self, lives: Lives, seed: int) -> None:
        self._lives = lives
        self._seed = seed
        self.plans: list[Plan] = []
        self.producers: list[Producer] = []
        self.readers: list[list[Reader]] = []

    def begin(self, size: int, pause: float = 0.0) -> None:
        number = len(self.plans)
        seed = self._seed * 1000 + number
        plan = planned(f"turn-{seed}", seed, size)
        self.plans.append(plan)
        self.producers.append(Producer(plan, self._lives, seed, pause))
        self.readers.append([Reader(plan, self._lives, seed + n) for n in range(2)])
        for thread in (self.producers[-1], *self.readers[-1]):
            thread.start()

    def running(self) -> int:
        return sum(producer.is_alive() for producer in self.producers)

    def check(self) -> None:
        """All has come to the end that an undisturbed run has."""
        for plan, producer, readers in zip(self.plans, self.producers, self.readers, strict=True):
            list(finished([producer]))
            status, answer = Life(self._lives)(
                lambda raw, plan=plan: asked(raw, "GET", f"/v1/turns/{plan.id}")  # type: ignore[misc]
            )
            assert status == 200
            twin = undisturbed(self._lives, plan)
            for reader in finished(readers):
                assert reader.events == twin
                check(plan, reader, answer)
            told = [f"tool_data_{n + 1:02}" for n in producer.ids]
            assert list(producer.ids.values()) == told


@pytest.fixture(scope="module")
def process() -> Iterator["Popen[str]"]:
    with parent() as found:
        yield found


@pytest.mark.parametrize("track", range(TRACKS))
def test_killed_at_any_time_nothing_is_lost_doubled_or_mixed(
    process: "Popen[str]", tmp_path: Path, track: int
) -> None:
    at_random = RUNS - TIMES_OVER * len(NAMED)
    kills = at_random // TRACKS + (track < at_random % TRACKS)
    seed = int(os.environ.get("FAULT_SEED", "1")) * 100 + track
    dice = random.Random(seed)  # noqa: S311
    with living(process, tmp_path) as lives:
        lives.start()
        played = Played(lives, seed)
        for _ in range(kills):
            while played.running() < 3:
                played.begin(dice.randint(50, 400), pause=0.001)
            time.sleep(dice.uniform(0.0, 0.3))
            lives.kill()
            assert lives.start()
        played.check()
        assert lives.count == kills + 1
        assert lives.complaints() == []


def removed(port: int, turn_id: str) -> None:
    """Create a turn and remove it."""
    for method, path in (("POST", "/v1/turns"), ("DELETE", f"/v1/turns/{turn_id}")):
        with RawClient(port) as raw:
            asked(raw, method, path, {"turn_id": turn_id} if method == "POST" else None)


@pytest.mark.parametrize(("name", "nth"), NAMED * TIMES_OVER)
def test_killed_at_a_named_point_it_goes_on_as_if_nothing_had_been(
    process: "Popen[str]", tmp_path: Path, name: str, nth: int
) -> None:
    settings = {"CITESTREAM_DRAIN_SECONDS": "0"}
    if name == "sweeping":
        settings["CITESTREAM_RETENTION_SECONDS"] = "0.4"
    with living(process, tmp_path) as lives:
        began = lives.start(CITESTREAM_FAILPOINT=f"{name}@{nth}", **settings)
        assert began == (name != "migrating")
        played = Played(lives, nth)
        played.begin(40)
        played.begin(40)
        if name == "checkpoint":
            list(finished(played.producers))
            os.kill(lives.pid, signal.SIGTERM)
        if name == "removed":
            for number in range(nth):
                with suppress(*GONE):
                    removed(lives.port, f"other-{number}")
        while began and not lives.wait(2):
            # A reader that comes while all it wants is in memory does not read the store.
            assert len(played.plans) < 10, "the point was not passed"
            played.begin(40)
        assert lives.start()
        played.check()
        assert lives.complaints() == []
