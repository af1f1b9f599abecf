"""The values of the port."""

from pathlib import Path
from typing import Any

import pytest
from tests.stores.contract import a_push, turn_row

from citestream.stores.memory import MemoryLog
from citestream.stores.port import EventRow, TurnLog
from citestream.stores.sqlite.log import SqliteLog


def test_a_row_after_a_push() -> None:
    events = [EventRow("delta", b"")] * 3
    push = a_push(4, inputs=[b"", b""], events=events, status="completed", ended=8.0)
    row = turn_row()
    after = row.after(push)
    assert (after.next, after.events, after.status, after.ended) == (3, 3, "completed", 8.0)
    assert (after.touched, after.state) == (2.5, b"after 4")
    untouched = ("id", "session_id", "semantics", "created", "labels", "trimmed")
    assert [getattr(after, name) for name in untouched] == [
        getattr(row, name) for name in untouched
    ]


@pytest.mark.parametrize("log", [MemoryLog(), SqliteLog(Path("none"))])
def test_each_store_is_a_turn_log(log: TurnLog) -> None:
    wanted = {name for name in vars(TurnLog) if not name.startswith("_")}
    found: Any = {name for name in dir(log) if not name.startswith("_")}
    assert wanted <= found
