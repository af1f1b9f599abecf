"""Stored turns to test with: a log in a folder, a clock that is set, ids that count."""

import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from citestream.service.history import Histories
from citestream.service.problems import Problem
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.service.stored.verifying import verify
from citestream.stores.port import EventRow, Key
from citestream.stores.sqlite.log import SqliteLog
from citestream.targets import Preset
from citestream.turns import DeltaInput, EndInput, InputEvent, PartInput, ResultsInput

Numbered = list[tuple[int, EventRow]]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def counting(prefix: str = "id") -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def turns_on(log: Any, prefix: str = "id", **options: Any) -> StoredTurns:
    return StoredTurns(log, Clock(), counting(prefix), **options)


@asynccontextmanager
async def opened(
    folder: Path, preset: Preset | None = None, **options: Any
) -> AsyncIterator[StoredTurns]:
    log = SqliteLog(folder / "turns.db", **options)
    await log.open()
    try:
        yield turns_on(log, preset=preset, **options)
    finally:
        await log.close()


def cite(*fields: str) -> str:
    return "\ue200cite" + "".join(f"\ue202{field}" for field in fields) + "\ue201"


def part(data: Any = "a fact", id: str | None = None, **fields: Any) -> PartInput:  # noqa: A002
    return PartInput("search", data, id, **fields)


def deltas(*texts: str) -> list[InputEvent]:
    return [DeltaInput(text) for text in texts]


END = EndInput()

ANSWER: Sequence[InputEvent] = (
    part({"value": ["one", "two"]}),
    *deltas("Fact \ue200ci", "te\ue202tool_da", "ta_01\ue202/1\ue201", ". And ", "\ud83d"),
    *deltas("\ude00 more", cite("late"), ", but ", cite("nobody"), "no \ue200cite\ue202x"),
    part("came late", "late"),
    ResultsInput("search_web", ({"title": "A page", "url": "https://a.example/", "snippet": "s"},)),
    *deltas(" broken.", cite("user_data_09"), cite("tool_data_02")),
    END,
)
"""An answer in which a candidate, a character and a part are cut off by pushes."""


def key(name: str) -> Key:
    """Return what names a turn or a session."""
    return Key("", name)


async def answer_of(turns: StoredTurns, turn_id: str) -> dict[str, Any]:
    """Return the answer of a turn as it is read."""
    answer: dict[str, Any] = json.loads(await turns.reader.answer(key(turn_id)))
    return answer


async def session_of(turns: StoredTurns, after: int = 0, limit: int = 50) -> dict[str, Any]:
    """Return a page of the session ``s``."""
    page: dict[str, Any] = json.loads(await Conversations(turns).session("s", after, limit))
    return page


def histories(turns: StoredTurns) -> Histories:
    """Return the conversations of a store, read as a whole."""
    return Histories(Conversations(turns), turns.reader)


async def differences(turns: StoredTurns, turn_id: str) -> list[str]:
    """Return in what a turn differs from what its input gives."""
    return await verify(turns.log, key(turn_id))


async def stored(turns: StoredTurns, turn_id: str) -> Numbered:
    """Return all events of a turn, read from the store."""
    found: Numbered = []
    while page := await turns.log.events(key(turn_id), len(found), 500):
        found += enumerate(page, len(found) + 1)
    return found


async def followed(turns: StoredTurns, turn_id: str, after: int = 0) -> Numbered:
    """Follow a turn to its end; return what came."""
    return [row async for page in turns.follow(turn_id, after) for row in page]


def shown(rows: Numbered) -> str:
    """Return the text of deltas, joined."""
    return "".join(json.loads(row.data)["text"] for _, row in rows if row.type == "delta")


async def undisturbed(turns: StoredTurns, turn_id: str = "undisturbed") -> Numbered:
    """The events of ANSWER, pushed at once."""
    await turns.create(turn_id=turn_id, session_id=f"of-{turn_id}")
    await turns.push(turn_id, 1, ANSWER)
    return await stored(turns, turn_id)


async def refused(awaitable: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await awaitable
    return caught.value
