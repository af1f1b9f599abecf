"""``citestream verify`` and ``citestream explain``: what is stored, held against its input.

Opens the store as the service does, so neither runs beside it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Final, TypeVar

from citestream.cli.configured import settings_of
from citestream.cli.outcomes import FAILED, STDOUT, Failure, write
from citestream.main import store_of
from citestream.service.problems import Problem
from citestream.service.stored.explaining import Passage, explain
from citestream.service.stored.turns import NO_TENANT
from citestream.service.stored.verifying import verify
from citestream.stores.port import DamagedError, Key, StoreError, TurnLog

PAGE: Final = 200
T = TypeVar("T")


def verify_turns(turn_ids: Iterable[str]) -> None:
    """Verify these turns, or all; raise :class:`Failure` when one differs."""

    async def work(log: TurnLog) -> tuple[int, int]:
        checked = differing = 0
        async for key in _each(log, list(turn_ids)):
            try:
                differences = await verify(log, key)
            except DamagedError as damage:
                differences = [str(damage)]
            checked += 1
            differing += bool(differences)
            _say(f"{key.id}: {'; '.join(differences) or 'as stored'}")
        return checked, differing

    checked, differing = _with_log(work)
    if differing:
        raise Failure(FAILED, f"{differing} of {checked} turns differ")
    _say(f"{checked} turns, no difference")


def explain_turn(turn_id: str) -> None:
    """Print the passages of a turn's raw answer."""
    for passage in _with_log(lambda log: explain(log, Key(NO_TENANT, turn_id))):
        for line in _told(passage):
            _say(line)


async def _each(log: TurnLog, given: list[str]) -> AsyncIterator[Key]:
    if given:
        for turn_id in given:
            yield Key(NO_TENANT, turn_id)
        return
    after = None
    while page := await log.turns(after, PAGE):
        for key in page:
            yield key
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


def _with_log(work: Callable[[TurnLog], Awaitable[T]]) -> T:
    async def run() -> T:
        log = store_of(settings_of(), create=False)
        try:
            await log.open()
        except StoreError as error:
            raise Failure(FAILED, f"CITESTREAM_STORE_URL: {error}") from None
        try:
            return await work(log)
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
