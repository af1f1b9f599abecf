import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.service.stored_turns import (
    ANSWER,
    differences,
)

from citestream.citations import EngineOptions
from citestream.service.stored.turns import StoredTurns
from citestream.stores.checksums import row_checksum
from citestream.stores.port import DamagedError

pytestmark = pytest.mark.anyio


async def test_what_was_stored_is_what_its_input_gives(turns: StoredTurns) -> None:
    await turns.create(turn_id="t", options=EngineOptions("drop", "tidy"), include=["excerpt"])
    for seq, event in enumerate(ANSWER, 1):
        await turns.push("t", seq, [event])
        assert await differences(turns, "t") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE events SET data=x'7b7d', sum=:sum WHERE n=2", ["events[2]: differs"]),
        ("UPDATE turns SET reason='length'", ["reason: differs"]),
        (
            "UPDATE turns SET semantics=99",
            ["semantics: began under 99, this version folds under 1"],
        ),
        ("DELETE FROM named", ["named: differs"]),
        ("DELETE FROM parts WHERE n=3", ["parts: differs"]),
    ],
)
async def test_a_difference_is_told(
    turns: StoredTurns, tmp_path: Path, change: str, told: list[str]
) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, ANSWER)
    with closing(sqlite3.connect(tmp_path / "turns.db")) as db:
        db.execute(change, {"sum": row_checksum(1, 2, b"delta", b"{}")} if ":sum" in change else {})
        db.commit()
    assert await differences(turns, "t") == told


async def test_damage_is_told_by_the_store(turns: StoredTurns, tmp_path: Path) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, ANSWER)
    with closing(sqlite3.connect(tmp_path / "turns.db")) as db:
        db.execute("UPDATE events SET data=x'7b7d' WHERE n=2")
        db.commit()
    with pytest.raises(DamagedError):
        await differences(turns, "t")
