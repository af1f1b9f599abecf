"""What an open stream takes: ``python -m benchmarks.memory``.

Prints the resident memory of the server a stream, with 1,000 open and idle behind one delta, as a
multiple of a bare ASGI application's; then what it costs to hold 5,000 at one event a second. An
argument is how many seconds they are held.
"""

import asyncio
import sys
from collections.abc import Callable

from benchmarks.served.client import (
    JSON,
    NDJSON,
    PART,
    Exchange,
    chunk,
    delta_line,
    exchange,
    head,
    line,
    run,
)
from benchmarks.served.process import Served, files_allowed

OPEN = 1000
WARM = 50
HELD = 5000
SETTLE_SECONDS = 1.0
FILES_APART = 200
"""Files a process needs beside its streams."""

DUPLEX = chunk(line(PART)) + chunk(delta_line(0))


def opening(name: str) -> bytes:
    """Return the request that opens a stream of an application and gets one delta."""
    if name == "usual":
        return head("POST", "/open", JSON, 2) + b"{}"
    return head("POST", "/v1/stream" if name == "ours" else "/duplex", NDJSON) + DUPLEX


async def opened(
    served: Served, count: int, arrived: Callable[[Exchange, int], None] | None = None
) -> list[Exchange]:
    """Open streams; return when each has had its first delta."""
    streams = []
    for _ in range(count):
        streams.append(one := await exchange(served.port, opening(served.name), arrived))
        await one.first
    return streams


async def kib(name: str, count: int) -> float:
    """Return the KiB of resident memory a stream."""
    with Served(name) as served:
        warm = await opened(served, WARM)
        before = served.rss()
        streams = await opened(served, count)
        found = (served.rss() - before) / count
        for one in warm + streams:
            one.close()
        return found


async def held(count: int, seconds: int) -> tuple[float, int]:
    """Send a delta a second to each stream; return cores used, and how many deltas came back."""
    with Served("ours") as served:
        streams = await opened(served, count)
        loop = asyncio.get_running_loop()
        before, began = served.cpu(), loop.time()
        for second in range(seconds):
            data = chunk(delta_line(second))
            for number, one in enumerate(streams):
                one.send(data)
                if not number % 50:
                    await asyncio.sleep(began + second + number / count - loop.time())
        used = (served.cpu() - before) / (loop.time() - began)
        await asyncio.sleep(SETTLE_SECONDS)
        came = sum(one.deltas for one in streams) - count
        for one in streams:
            one.close()
        return used, came


async def main(seconds: int = 10, count: int = OPEN, most: int = HELD) -> None:
    floor = await kib("bare", count)
    print(f"resident memory a stream, {count:,} open and idle")
    for name, text, target in (
        ("bare", "bare ASGI app", ""),
        ("ours", "POST /v1/stream", "  (target 3.0)"),
        ("usual", "sse-starlette, FastAPI, a pydantic model an event", ""),
    ):
        found = floor if name == "bare" else await kib(name, count)
        print(f"  {found / floor:5.2f} x  {text:50} {found:6.1f} KiB{target}")
    most = min(most, files_allowed() - FILES_APART)
    used, came = await held(most, seconds)
    print(
        f"{most:,} streams held at one event a second for {seconds} s: {came:,} of "
        f"{most * seconds:,} events came, {used:.2f} of a core"
    )


if __name__ == "__main__":
    run(main(*map(int, sys.argv[1:])))
