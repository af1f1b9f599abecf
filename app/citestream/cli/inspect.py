"""``citestream verify`` and ``citestream explain``: what is stored, held against its input.

Opens the store as the service does, so neither runs beside it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Final, TypeVar

from citestream.cli.configured import settings_of
from citestream.cli.outcomes import FAILED, STDOUT, Failure, write
from citestream.main import new_id, store_of, store_path
from citestream.service.problems import Problem
from citestream.service.stored.turns import StoredTurns
from citestream.service.stored.verifying import Passage, explain, verify
from citestream.stores.port import DamagedError, StoreError

PAGE: Final = 200
T = TypeVar("T")


def verify_turns(turn_ids: Iterable[str]) -> None:
    """Verify these turns, or all; raise :class:`Failure` when one differs."""

    async def work(turns: StoredTurns) -> tuple[int, int]:
        checked = differing = 0
        async for turn_id in _each(turns, list(turn_ids)):
            try:
                differences = await verify(turns, turn_id)
            except DamagedError as damage:
                differences = [str(damage)]
            checked += 1
            differing += bool(differences)
            _say(f"{turn_id}: {'; '.join(differences) or 'as stored'}")
        return checked, differing

    checked, differing = _with_turns(work)
    if differing:
        raise Failure(FAILED, f"{differing} of {checked} turns differ")
    _say(f"{checked} turns, no difference")


def explain_turn(turn_id: str) -> None:
    """Print the passages of a turn's raw answer."""
    for passage in _with_turns(lambda turns: explain(turns, turn_id)):
        for line in _told(passage):
            _say(line)


async def _each(turns: StoredTurns, given: list[str]) -> AsyncIterator[str]:
    if given:
        for turn_id in given:
            yield turn_id
        return
    after = ""
    while page := await turns.log.turn_ids(after, PAGE):
        for turn_id in page:
            yield turn_id
        after = page[-1]


def _told(passage: Passage) -> Iterable[str]:
    yield f"{passage.kind:7} {passage.raw!a}"
    if passage.why:
        yield f"        broke off at {passage.why}"
    for named in passage.named:
        place = "" if named.offset is None else f" at {named.offset}"
        locator = f" {named.locator!a}" if named.locator else ""
        resolution = f" ({named.resolution})" if named.resolution else ""
        yield f"        {named.data_part_id!a}{locator}: {named.outcome}{place}{resolution}"


def _with_turns(work: Callable[[StoredTurns], Awaitable[T]]) -> T:
    async def run() -> T:
        settings = settings_of()
        if not store_path(settings).exists():
            raise Failure(FAILED, "CITESTREAM_STORE_URL: there is no such file")
        log = store_of(settings)
        await log.open()
        try:
            return await work(StoredTurns(log, time.time, new_id))
        finally:
            await log.close()

    try:
        return asyncio.run(run())
    except Problem as problem:
        raise Failure(FAILED, problem.detail) from None
    except StoreError as error:
        raise Failure(FAILED, str(error)) from None


def _say(line: str) -> None:
    write(STDOUT, line.encode() + b"\n")
