# ruff: noqa: A005  # it is run by its name, and shadows nothing
"""The HTTP path against a bare ASGI application: ``python -m benchmarks.http``.

Prints server CPU per event as a multiple of the floor beside it, all in one run: each server is a
process of its own (uvicorn, uvloop, httptools), its CPU time is the kernel's account of that
process, and the client is another process. Rounds go round all servers in turn and the median of
the rounds' ratios is told. An argument is the number of rounds.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from statistics import median

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

STREAMS = 50
DELTAS = 400
WAITING = 4
SECONDS = 30.0
TOKENS_A_SECOND = 50


async def duplex(
    served: Served, path: str, streams: int = STREAMS, deltas: int = DELTAS, lines: int = 1
) -> float:
    """Return CPU seconds a delta; each ``lines`` deltas are sent when those before have come."""
    chunks = [
        chunk(b"".join(map(delta_line, range(first, first + lines))))
        for first in range(0, deltas, lines)
    ]
    done = asyncio.get_running_loop().create_future()

    def arrived(stream: Exchange, _: int) -> None:
        number, rest = divmod(stream.deltas, lines)
        if rest:
            return
        if number < len(chunks):
            stream.send(chunks[number])
        elif sum(one.deltas for one in opened) == streams * deltas:
            done.set_result(None)

    first = head("POST", path, NDJSON) + chunk(line(PART))
    opened = [await exchange(served.port, first, arrived) for _ in range(streams)]
    before = served.cpu()
    for one in opened:
        one.send(chunks[0])
    await asyncio.wait_for(done, SECONDS)
    spent = served.cpu() - before
    for one in opened:
        one.send(chunk(line({"type": "end"})) + LAST_CHUNK)
        one.close()
    return spent / (streams * deltas)


async def answered(
    served: Served, path: str, streams: int = STREAMS, deltas: int = DELTAS
) -> float:
    """Return CPU seconds a delta of answers to JSON bodies."""
    texts = list(map(delta_text, range(deltas)))
    parts = {"parts": [{name: PART[name] for name in PART if name != "type"}]}
    value = {"deltas": texts} if path == "/events" else {"deltas": texts, **parts}
    body = json.dumps(value).encode()
    query = f"?{deltas}" if served.name == "bare" else ""
    first = head("POST", path + query, JSON, len(body)) + body
    done = asyncio.get_running_loop().create_future()
    left = streams * deltas

    def arrived(_: Exchange, found: int) -> None:
        nonlocal left
        left -= found
        if not left:
            done.set_result(None)

    before = served.cpu()
    opened = await asyncio.gather(*(exchange(served.port, first, arrived) for _ in range(streams)))
    await asyncio.wait_for(done, SECONDS)
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
        "bare answer": lambda: answered(bare, "/events", streams, deltas),
        "one a send": lambda: answered(ours, "/events", streams, deltas),
        "answer": lambda: answered(ours, "/v1/stream", streams, deltas),
        "usual": lambda: answered(usual, "/events", streams, deltas),
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

    def ratio(name: str, floor: str) -> float:
        return median(a / b for a, b in zip(found[name], found[floor], strict=True))

    micro = {name: median(spent) * 1e6 for name, spent in found.items()}

    def row(text: str, name: str, floor: str, target: str = "") -> str:
        return f"  {ratio(name, floor):5.2f} x  {text:58} {micro[name]:6.1f} µs{target}"

    return [
        "server CPU a delta, lines of a body answered while it arrives; floor: a bare ASGI app",
        "that reads the same chunks and sends a ready frame for each",
        row("bare", "bare duplex", "bare duplex"),
        row("POST /v1/stream, a line at a time", "duplex", "bare duplex", "  (target 1.25)"),
        row(
            f"the same, {WAITING} lines waiting",
            "duplex, waiting",
            "bare duplex",
            "  (target 0.50)",
        ),
        "server CPU a delta, the answer to a JSON body; floor: a bare ASGI app that reads the",
        "same body and sends a ready frame for each delta",
        row("bare", "bare answer", "bare answer"),
        row("this response class, a delta a send", "one a send", "bare answer"),
        row("POST /v1/stream, which sends what waits together", "answer", "bare answer"),
        row("sse-starlette, FastAPI, a pydantic model an event", "usual", "bare answer"),
        "against sse-starlette with pydantic (which reads no chunks)",
        row("this response class, a delta a send", "one a send", "usual", "  (target 0.50)"),
        row("POST /v1/stream, a line at a time", "duplex", "usual", "  (target 0.50)"),
        "in plain words",
        f"  a token costs {micro['duplex'] - micro['bare duplex']:.0f} µs more than sending ready "
        f"bytes, {micro['duplex']:.0f} µs in all (a line in, an event out)",
        f"  one core carries {1e6 / micro['duplex'] / TOKENS_A_SECOND:.0f} streams at "
        f"{TOKENS_A_SECOND} tokens a second: 1 s / ({TOKENS_A_SECOND} x {micro['duplex']:.0f} µs)",
    ]


async def main(rounds: int = 7, streams: int = STREAMS, deltas: int = DELTAS) -> None:
    with ExitStack() as stack:
        bare, ours, usual = (stack.enter_context(Served(n)) for n in ("bare", "ours", "usual"))
        for text in told(await measure(bare, ours, usual, rounds, streams, deltas)):
            print(text)


if __name__ == "__main__":
    run(main(*map(int, sys.argv[1:])), awake=True)
