"""A long text is read in a process of its own, with the same result."""

import asyncio
import os

import pytest

from citestream import sources
from citestream.service import cited_numbers as module
from citestream.service.offload import APART_SIZE, LARGE_COST, offload, work_apart
from citestream.sources import Source

KNOWN = [Source(n, f"Page {n}", f"https://example.org/{n}") for n in (1, 2, 12)]


def process_of(_: bytes) -> int:
    return os.getpid()


@pytest.mark.parametrize("cost", [0, LARGE_COST, LARGE_COST + 1])
@pytest.mark.parametrize("length", [1, APART_SIZE + 1])
def test_the_numbers_are_the_same_wherever_they_are_read(cost: int, length: int) -> None:
    text = "Noon \U0001f600 [1], not `[2]` but [12]. " + "word " * (length // 5)
    assert sources.cited_numbers(text, KNOWN) == (1, 12)
    assert asyncio.run(offload(lambda: module.cited_numbers(text, KNOWN), cost=cost)) == (1, 12)


@pytest.mark.parametrize(
    ("cost", "size", "here"),
    [
        (LARGE_COST + 1, APART_SIZE + 1, False),
        (LARGE_COST + 1, APART_SIZE, True),
        (LARGE_COST, APART_SIZE + 1, True),
        (0, APART_SIZE + 1, True),
    ],
)
def test_only_large_work_on_a_large_body_goes_to_the_process(
    cost: int, size: int, here: bool
) -> None:
    work = asyncio.run(offload(lambda: work_apart(process_of, body=b"x" * size), cost=cost))
    assert (work == os.getpid()) == here
