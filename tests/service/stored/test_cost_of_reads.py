"""What a push and a page read of the store does not grow with what is stored."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.stored_turns import END, cite, deltas, opened, part, session_of

from citestream.service.stored.turns import StoredTurns

pytestmark = pytest.mark.anyio

MOST_READS = 5


@pytest.fixture
async def turns(tmp_path: Path) -> AsyncIterator[StoredTurns]:
    async with opened(tmp_path) as made:
        yield made


def counted(turns: StoredTurns, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """Return the results of what is read from now on, by the name of the call."""
    found: dict[str, list[Any]] = {}
    log: Any = turns.log
    read = log._read

    async def noting(work: Any) -> Any:
        result = await read(work)
        name = getattr(getattr(work, "func", work), "__name__", "?")
        found.setdefault(name, []).append(result)
        return result

    monkeypatch.setattr(log, "_read", noting)
    return found


@pytest.mark.parametrize("before", [0, 300])
async def test_a_push_with_a_part_reads_a_bounded_number_of_rows(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    for number in range(before // 100):
        await turns.create(turn_id=f"t{number}", session_id="s")
        await turns.push(f"t{number}", 1, [part(n) for n in range(100)])
    await turns.create(turn_id="last", session_id="s")
    found = counted(turns, monkeypatch)
    answer = await turns.push("last", 1, [part("x")])
    assert answer.parts == [{"id": f"tool_data_{before + 1:02}", "tool_name": "search"}]
    assert 1 <= sum(map(len, found.values())) <= 2
    rows = [row for results in found.values() for one in results for row in (one or ())]
    assert len(rows) <= 20


async def test_a_page_of_200_turns_takes_five_reads(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        await turns.create(turn_id=f"t{number}", session_id="s")
        cited = [cite(f"p{number}-{n}") for n in range(5)]
        parts = [part(n, f"p{number}-{n}") for n in range(5)]
        await turns.push(f"t{number}", 1, [*parts, *deltas(*cited, "x"), END])
    found = counted(turns, monkeypatch)
    page = await session_of(turns, limit=200)
    assert len(page["items"]) == 200
    assert [len(one["inline_citations"]) for one in page["items"]] == [5] * 200
    assert 1 <= sum(map(len, found.values())) <= MOST_READS
