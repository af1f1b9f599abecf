"""A process that is killed at a named place and started again loses nothing and doubles nothing."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.service.stored_turns import (
    ANSWER,
    Clock,
    answer_of,
    counting,
    differences,
    followed,
    key,
    opened,
    stored,
)

from citestream.service.stored.expiry import trim
from citestream.service.stored.turns import StoredTurns
from citestream.stores.failpoints import FAILPOINTS, arm
from citestream.stores.sqlite.log import SqliteLog

ROOT = Path(__file__).parents[2]

OFTEN = {"push-received", "before-begin", "in-transaction", "committed", "published"}
"""Passed more than once in such a life."""

SETTINGS = [*(f"{name}@1" for name in FAILPOINTS), *(f"{name}@3" for name in sorted(OFTEN))]


async def live(folder: Path, setting: str) -> None:
    """Create a turn, push what it has not yet, follow it to its end, let its events go."""
    failpoint = arm(setting)
    log = SqliteLog(folder / "turns.db", failpoint=failpoint)
    await log.open()
    turns = StoredTurns(log, Clock(), counting(), failpoint)
    before = await log.turn(key("t"))
    if before is None or not before.trimmed:
        created = await turns.create(turn_id="t", session_id="s", key="key")
        assert created == {"id": "t", "session_id": "s", "next": 1}
        for seq in range((await turns.reader.row(key("t"))).next, len(ANSWER) + 1, 3):
            await turns.push("t", seq, ANSWER[seq - 1 : seq + 2])
        await check(folder, turns, await followed(turns, "t"))
    turns.clock.now = 9000.0  # type: ignore[attr-defined]
    await turns.create(turn_id="removed")
    await turns.delete("removed")
    await trim(turns, 1000.0)
    assert await differences(turns, "t") == []
    await log.close()


async def check(folder: Path, turns: StoredTurns, rows: object) -> None:
    """Compare what a follower saw with what an undisturbed turn shows."""
    async with opened(Path(tempfile.mkdtemp(dir=folder))) as other:
        await other.create(turn_id="t", session_id="s")
        await other.push("t", 1, ANSWER)
        assert rows == await stored(other, "t")
        assert await answer_of(turns, "t") == await answer_of(other, "t")
    assert len(await turns.log.items(key("s"), 0, 10)) == 1


def forked(live: Callable[[Path, str], Awaitable[None]], folder: Path, setting: str) -> int:
    """Run in a process of its own; return how it ended."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        asyncio.run(live(folder, setting))  # type: ignore[arg-type]
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def all_lives(folder: Path) -> None:
    """Print how the processes of all settings ended: the killed, and the one started after it."""
    ends = {
        setting: [forked(live, folder / setting, setting), forked(live, folder / setting, "")]
        for setting in SETTINGS
    }
    print(json.dumps(ends))


def test_killed_at_each_failpoint_and_started_again(tmp_path: Path) -> None:
    # A process without threads does the forking.
    script = (
        "import sys, alembic.command; from pathlib import Path\n"
        "from tests.service import test_stored_killed as here\n"
        "here.all_lives(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout) == {setting: [-9, 0] for setting in SETTINGS}
