# ruff: noqa: A005  # it is run by its name, and shadows nothing
"""The HTTP path against a bare ASGI application: ``python -m benchmarks.http``.

Prints server CPU per event as a multiple of the floor beside it, all in one run: each server is a
process of its own (uvicorn, uvloop, httptools), its CPU time is the kernel's account of that
process, and the client is another process. Rounds go round all servers in turn, and the best of
each is told. An argument is the number of rounds.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

from benchmarks.served.client import (
    JSON,
    LAST_CHUNK,
    NDJSON,
    PART,
    Exchange,
    chunk,
    delta_line,
    delta_text,
    exchange,
    head,
    line,
    run,
)
from benchmarks.served.process import Served

STREAMS = 100
DELTAS = 48
WAITING = 4
TOKENS_A_SECOND = 50
SECONDS = 30.0


class Count:
    """Waits until so many deltas have come, over all streams."""

    def __init__(self, deltas: int) -> None:
        self._left = deltas
        self._done = asyncio.get_running_loop().create_future()

    def arrived(self, _: Exchange, found: int) -> None:
        self._left -= found
        if not self._left:
            self._done.set_result(None)

    async def full(self) -> None:
        await asyncio.wait_for(self._done, SECONDS)


async def duplex(
    served: Served,
    path: str,
    streams: int,
    deltas: int,
    lines: int = 1,
    pace: float = TOKENS_A_SECOND,
) -> float:
    """Return CPU seconds a delta; chunks of ``lines`` deltas, ``pace`` deltas a second a stream."""
    chunks = [
        chunk(b"".join(map(delta_line, range(first, first + lines))))
        for first in range(0, deltas, lines)
    ]
    count = Count(streams * deltas)
    first = head("POST", path, NDJSON) + chunk(line(PART))
    opened = [await exchange(served.port, first, count.arrived) for _ in range(streams)]
    await asyncio.gather(*(one.begun for one in opened))
    loop = asyncio.get_running_loop()
    before, due = served.cpu(), loop.time()
    for data in chunks:
        for one in opened:
            while loop.time() < due:  # noqa: ASYNC110 (a sleep takes a millisecond at least)
                await asyncio.sleep(0)
            one.send(data)
            due += lines / pace / streams
    await count.full()
    spent = served.cpu() - before
    for one in opened:
        one.send(chunk(line({"type": "end"})) + LAST_CHUNK)
        one.close()
    return spent / (streams * deltas)


async def tokens(served: Served, streams: int, deltas: int) -> float:
    """Return CPU seconds a delta, of deltas that come from within, without their requests."""
    query = f"?{deltas}" if served.name == "bare" else ""
    body = json.dumps({"deltas": list(map(delta_text, range(deltas)))}).encode()
    first = head("POST", f"/events{query}", JSON, len(body)) + body
    count = Count(streams * deltas)
    opened = [await exchange(served.port, first, count.arrived) for _ in range(streams)]
    await asyncio.gather(*(one.begun for one in opened))
    before = served.cpu()
    await count.full()
    spent = served.cpu() - before
    for one in opened:
        one.close()
    return spent / (streams * deltas)


async def answers(served: Served, streams: int, deltas: int) -> float:
    """Return CPU seconds a delta of answers to JSON bodies, with their requests."""
    part = {name: PART[name] for name in PART if name != "type"}
    body = json.dumps({"deltas": list(map(delta_text, range(deltas))), "parts": [part]}).encode()
    first = head("POST", "/v1/stream", JSON, len(body)) + body
    count = Count(streams * deltas)
    before = served.cpu()
    opened = [await exchange(served.port, first, count.arrived) for _ in range(streams)]
    await count.full()
    spent = served.cpu() - before
    for one in opened:
        one.close()
    return spent / (streams * deltas)


Measured = Callable[[], Awaitable[float]]


async def measure(
    bare: Served, ours: Served, usual: Served, rounds: int, streams: int, deltas: int
) -> dict[str, list[float]]:
    """Return the CPU seconds a delta of each round, under each case's name."""
    cases: dict[str, Measured] = {
        "bare duplex": lambda: duplex(bare, "/duplex", streams, deltas),
        "duplex": lambda: duplex(ours, "/v1/stream", streams, deltas),
        "duplex, waiting": lambda: duplex(ours, "/v1/stream", streams, deltas, WAITING),
        "bare chunks": lambda: duplex(
            bare, "/duplex", streams, max(1, deltas // WAITING), 1, TOKENS_A_SECOND / WAITING
        ),
        "bare tokens": lambda: tokens(bare, streams, deltas),
        "tokens": lambda: tokens(ours, streams, deltas),
        "answers": lambda: answers(ours, streams, deltas),
        "usual": lambda: tokens(usual, streams, deltas),
    }
    found: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            spent = await case()
            if number:  # the first round warms up
                found[name].append(spent)
    return found


def told(found: dict[str, list[float]]) -> list[str]:
    """Return what is to be read."""

    # What else runs on the machine only ever adds.
    micro = {name: min(spent) * 1e6 for name, spent in found.items()}

    def row(text: str, name: str, floor: str, target: str = "") -> str:
        return f"  {micro[name] / micro[floor]:5.2f} x  {text:58} {micro[name]:6.1f} µs{target}"

    return [
        f"server CPU a delta at {TOKENS_A_SECOND} tokens a second a stream, {STREAMS} streams",
        "lines of a body answered while it arrives; floor: a bare ASGI app that reads the same",
        "chunks and sends a ready frame for each",
        row("bare", "bare duplex", "bare duplex"),
        row("POST /v1/stream, a line at a time", "duplex", "bare duplex", "  (target 1.25)"),
        row(
            f"the same, {WAITING} lines waiting",
            "duplex, waiting",
            "bare duplex",
            "  (target 0.50)",
        ),
        row(
            "the same, against bare at as many chunks a second",
            "duplex, waiting",
            "bare chunks",
            "  (target 0.50)",
        ),
        "tokens that come from within; floor: a bare ASGI app that sends a ready frame for each",
        row("bare", "bare tokens", "bare tokens"),
        row("this response class, a delta a send", "tokens", "bare tokens"),
        row("POST /v1/stream with a JSON body, request and all", "answers", "bare tokens"),
        row("sse-starlette, FastAPI, a pydantic model an event", "usual", "bare tokens"),
        "against sse-starlette with pydantic (which reads no chunks)",
        row("this response class, a delta a send", "tokens", "usual", "  (target 0.50)"),
        row("POST /v1/stream, a line at a time", "duplex", "usual", "  (target 0.50)"),
        "in plain words",
        f"  a token costs {micro['duplex'] - micro['bare duplex']:.0f} µs more than sending ready "
        f"bytes, {micro['duplex']:.0f} µs in all (a line in, an event out)",
        f"  one core carries {1e6 / micro['duplex'] / TOKENS_A_SECOND:.0f} streams at "
        f"{TOKENS_A_SECOND} tokens a second: 1 s / ({TOKENS_A_SECOND} x {micro['duplex']:.0f} µs)",
    ]


async def main(rounds: int = 6, streams: int = STREAMS, deltas: int = DELTAS) -> None:
    with ExitStack() as stack:
        bare, ours, usual = (stack.enter_context(Served(n)) for n in ("bare", "ours", "usual"))
        for text in told(await measure(bare, ours, usual, rounds, streams, deltas)):
            print(text)


if __name__ == "__main__":
    run(main(*map(int, sys.argv[1:])), awake=True)
