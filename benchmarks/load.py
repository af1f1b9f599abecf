"""Stored turns over HTTP under load: ``python -m benchmarks.load``.

Open loop: each delta has its moment, whether or not those before have been answered, and what is
told is the time from that moment to the follower's socket; a follower gets nothing that was not
committed before. Server and client are processes of their own, each on a core of its own where
there are two. The argument is how many seconds each load lasts.
"""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.served.client import (
    LAST_CHUNK,
    NDJSON,
    PART,
    Calls,
    Exchange,
    all_of,
    calls,
    chunk,
    delta_line,
    delta_text,
    exchange,
    head,
    line,
    run,
)
from benchmarks.served.process import Served, files_allowed

SETTLE_SECONDS = 10.0
READERS = 200
READERS_RATE = 50
IDLE = 1000
RESUMING = 1000
RESUMED_TURNS = 20
RESUMED_DELTAS = 300
RESUMED_AT = 100


@dataclass
class Load:
    """So many turns, each with so many deltas a second; and what came of it."""

    turns: int
    rate: float
    seconds: float
    late: list[float] = field(default_factory=list)
    """Seconds from a delta's moment until its follower had it."""
    sent_late: list[float] = field(default_factory=list)
    refused: int = 0
    cpu: float = 0.0
    missing: int = 0

    @property
    def deltas(self) -> int:
        return round(self.rate * self.seconds)

    def due(self, turn: int, delta: int) -> float:
        return self._began + (delta + turn / self.turns) / self.rate

    async def play(self, send: Callable[[int, int], None]) -> None:
        """Call ``send(turn, delta)`` at the moment of each."""
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        for delta in range(self.deltas):
            for turn in range(self.turns):
                wait = self.due(turn, delta) - loop.time()
                if wait > 0:
                    await asyncio.sleep(wait)
                self.sent_late.append(-wait)
                send(turn, delta)

    def arrived(self, turn: int) -> Callable[[Exchange, int], None]:
        """Return what notes the deltas that come to a follower of ``turn``."""
        loop = asyncio.get_running_loop()

        def note(follower: Exchange, found: int) -> None:
            now = loop.time()
            first = follower.deltas - found
            self.late += [now - self.due(turn, first + n) for n in range(found)]

        return note

    def row(self, text: str, target: float | None = None) -> str:
        late = sorted(self.late) or [0.0]
        p50, p99, most = (late[int((len(late) - 1) * q)] * 1000 for q in (0.5, 0.99, 1.0))
        told = f"  (target {target * 1000:.0f})" if target else ""
        ours = sorted(self.sent_late)[int(len(self.sent_late) * 0.99)] * 1000
        lost = f"  MISSING {self.missing}" if self.missing else ""
        refused = f"  REFUSED {self.refused}" if self.refused else ""
        return (
            f"  {text:52} p50 {p50:4.0f} ms, p99 {p99:4.0f} ms{told}, at most {most:.0f}; "
            f"{self.cpu / self.seconds:.2f} cores; sent late p99 {ours:.0f} ms{lost}{refused}"
        )


class Pusher:
    """Pushes one call after the other over a connection; those that must wait, wait here."""

    def __init__(self, connection: Calls, path: str, load: Load) -> None:
        self._connection = connection
        self._path = path
        self._load = load
        self._waiting: deque[bytes] = deque()
        self._busy = False

    def push(self, body: bytes) -> None:
        self._waiting.append(body)
        if not self._busy:
            self._next()

    def _next(self) -> None:
        self._busy = True
        call = self._connection.call("POST", self._path, self._waiting.popleft())
        call.add_done_callback(self._answered)

    def _answered(self, call: asyncio.Future[tuple[int, bytes]]) -> None:
        self._busy = False
        self._load.refused += call.result()[0] != 200
        if self._waiting:
            self._next()

    def close(self) -> None:
        self._connection.close()

    async def idle(self) -> None:
        while self._busy:  # noqa: ASYNC110 (coarse, and outside of what is measured)
            await asyncio.sleep(0.01)


def push_body(number: int, event: dict[str, Any]) -> bytes:
    return line({"seq": number, "events": [event]})


def delta_event(number: int) -> dict[str, Any]:
    return {"type": "delta", "text": delta_text(number)}


async def created(served: Served, count: int) -> list[str]:
    """Create turns; return their paths."""
    connection = await calls(served.port)
    paths = []
    for _ in range(count):
        status, answer = await connection.call("POST", "/v1/turns", b"{}")
        assert status == 201, status
        paths.append(f"/v1/turns/{json.loads(answer)['id']}")
    connection.close()
    return paths


async def follower(
    served: Served,
    path: str,
    arrived: Callable[[Exchange, int], None] | None = None,
    after: int = 0,
) -> Exchange:
    """Follow a turn; return when the answer has begun."""
    more = f"last-event-id: {after}\r\n" if after else ""
    opened = await exchange(served.port, head("GET", f"{path}/events", more=more), arrived)
    await opened.begun
    return opened


async def pushing(served: Served, path: str) -> Exchange:
    """Open a push of lines; send the part."""
    first = head("POST", f"{path}/input?seq=1", NDJSON) + chunk(line(PART))
    return await exchange(served.port, first)


async def taken_in(served: Served, paths: list[str]) -> None:
    """Wait until each turn has its part: to open the pushes is no part of what is measured."""
    connection = await calls(served.port)
    async with asyncio.timeout(SETTLE_SECONDS):
        for path in paths:
            following = 1
            while following == 1:
                status, answer = await connection.call("GET", f"{path}/input", b"")
                assert status == 200, status
                following = json.loads(answer)["next"]
    connection.close()


async def finish(load: Load, followers: list[Exchange]) -> None:
    """Wait until the followers have all; note what is missing."""
    await all_of([one.ended for one in followers], SETTLE_SECONDS)
    load.refused += sum(one.refused for one in followers)
    load.missing = load.deltas * len(followers) - sum(one.deltas for one in followers)
    for one in followers:
        one.close()


async def lines(served: Served, load: Load) -> None:
    """Push each turn's deltas as lines of one body, with one follower a turn."""
    paths = await created(served, load.turns)
    followers = [await follower(served, path, load.arrived(n)) for n, path in enumerate(paths)]
    pushes = [await pushing(served, path) for path in paths]
    await taken_in(served, paths)
    chunks = [chunk(delta_line(number)) for number in range(load.deltas)]
    before = served.cpu()
    await load.play(lambda turn, delta: pushes[turn].send(chunks[delta]))
    for one in pushes:
        one.send(chunk(line({"type": "end"})) + LAST_CHUNK)
    await finish(load, followers)
    load.cpu = served.cpu() - before
    await all_of([one.begun for one in pushes], SETTLE_SECONDS)
    for one in pushes:
        load.refused += one.refused
        one.close()


async def singles(served: Served, load: Load) -> None:
    """Push each delta by a call of its own, with one follower a turn."""
    paths = await created(served, load.turns)
    followers = [await follower(served, path, load.arrived(n)) for n, path in enumerate(paths)]
    pushers = [Pusher(await calls(served.port), f"{path}/input", load) for path in paths]
    for one in pushers:
        one.push(push_body(1, PART))
        await one.idle()
    bodies = [push_body(number + 2, delta_event(number)) for number in range(load.deltas)]
    before = served.cpu()
    await load.play(lambda turn, delta: pushers[turn].push(bodies[delta]))
    for one in pushers:
        one.push(push_body(load.deltas + 2, {"type": "end"}))
    await finish(load, followers)
    load.cpu = served.cpu() - before
    for one in pushers:
        await one.idle()
        one.close()


Work = Callable[[Served, Load], Awaitable[None]]


async def reads(served: Served, load: Load) -> None:
    """Send the same calls to a route that only reads them."""
    pushers = [Pusher(await calls(served.port), "/read", load) for _ in range(load.turns)]
    bodies = [push_body(number + 2, delta_event(number)) for number in range(load.deltas)]
    before = served.cpu()
    await load.play(lambda turn, delta: pushers[turn].push(bodies[delta]))
    for one in pushers:
        await one.idle()
    load.cpu = served.cpu() - before
    for one in pushers:
        one.close()


async def fan_out(served: Served, load: Load, readers: int) -> None:
    """Push one turn; many follow it."""
    (path,) = await created(served, 1)
    followers = [await follower(served, path, load.arrived(0)) for _ in range(readers)]
    push = await pushing(served, path)
    await taken_in(served, [path])
    before = served.cpu()
    await load.play(lambda _, delta: push.send(chunk(delta_line(delta))))
    push.send(chunk(line({"type": "end"})) + LAST_CHUNK)
    await finish(load, followers)
    load.cpu = served.cpu() - before
    push.close()


async def idle(served: Served, count: int, seconds: float) -> str:
    """Hold followers of turns in which nothing happens."""
    paths = await created(served, count)
    before = served.rss()
    followers = [await follower(served, path) for path in paths]
    await asyncio.sleep(1)
    kib = (served.rss() - before) / count
    spent = served.cpu()
    await asyncio.sleep(seconds)
    cores = (served.cpu() - spent) / seconds
    open_ = sum(not one.ended.done() for one in followers)
    for one in followers:
        one.close()
    return f"  {open_:,} of {count:,} idle followers stayed: {kib:.0f} KiB each, {cores:.2f} cores"


async def resume(served: Served, count: int, turns: int) -> str:
    """Let many readers come back at once, in the middle of turns."""
    paths = await created(served, turns)
    for path in paths:
        one = await pushing(served, path)
        one.send(chunk(b"".join(map(delta_line, range(RESUMED_DELTAS)))) + LAST_CHUNK)
        await one.begun
        one.close()
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    # Every fiftieth event is a citation; the last of them waits for the text behind it.
    skipped = RESUMED_AT - RESUMED_AT // 51
    left = count * (RESUMED_DELTAS - skipped)
    late: list[float] = []

    def arrived(reader: Exchange, found: int) -> None:
        nonlocal left
        left -= found
        if reader.deltas == RESUMED_DELTAS - skipped:
            late.append(loop.time() - began)
        if not left:
            done.set_result(None)

    began = loop.time()
    readers = await asyncio.gather(
        *(follower(served, paths[number % turns], arrived, RESUMED_AT) for number in range(count))
    )
    await all_of([done], SETTLE_SECONDS * 3)
    for one in readers:
        one.close()
    late.sort()
    half, most = (late[len(late) // 2], late[-1]) if late else (0, 0)
    return (
        f"  {len(late):,} of {count:,} readers that came back at once had all they missed: "
        f"half within {half:.1f} s, the last after {most:.1f} s  (target 10)"
    )


async def main(seconds: int = 10, scale: float = 1.0) -> None:
    def of(count: int) -> int:
        return max(1, int(count * scale))

    files_allowed()
    print("from the moment a delta was due to its follower's socket, committed before")
    loads = {}
    for work, turns, rate, target, text in (
        (lines, 250, 20, 0.1, "250 turns x 20 deltas/s, lines of one body"),
        (lines, 500, 20, 0.25, "500 turns x 20 deltas/s, lines of one body"),
        (singles, 250, 8, 0.1, "250 turns x 8 deltas/s, a push each"),
    ):
        load = loads[text] = Load(of(turns), rate, seconds)
        with Served("ours") as served:
            await work(served, load)
        print(load.row(text, target))
    load = Load(1, READERS_RATE, seconds)
    with Served("ours") as served:
        await fan_out(served, load, of(READERS))
    print(load.row(f"1 turn x {READERS_RATE} deltas/s, {of(READERS)} readers"))
    with Served("ours") as served:
        print(await idle(served, of(IDLE), seconds))
    with Served("ours") as served:
        print(await resume(served, of(RESUMING), RESUMED_TURNS))
    floor = Load(of(250), 8, seconds)
    with Served("reading") as served:
        await reads(served, floor)
    print("server CPU, a follower included, against a FastAPI route that only reads and answers")
    read = floor.cpu / (floor.turns * floor.deltas)
    print(f"   1.00 x  the route: {read * 1e6:.0f} µs")
    for (text, load), target in zip(loads.items(), (1.6, 1.6, 3.0), strict=True):
        each = load.cpu / (load.turns * load.deltas)
        print(f"  {each / read:5.2f} x  {text}: {each * 1e6:.0f} µs a delta  (target {target})")


if __name__ == "__main__":
    run(main(*map(float, sys.argv[1:])))
