"""How many functions and files one delta passes through: ``python -m benchmarks.path``.

Counts the calls of Python functions (each step of a coroutine or generator is one) and the files
these functions are in. The counts are the same on every machine, so they show what was put on the
path or taken off it where a clock shows only noise. The application is called as a server calls it:
the server's own protocol, the event loop and the client are left out.
"""

import asyncio
import selectors
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from citestream.api.transport.problems import problem_object
from citestream.main import create_app
from citestream.service.streaming import TurnStream
from citestream.settings import Settings
from citestream.turns import DeltaInput, Turn
from citestream.wire.formats.native import NativeWriter

DELTAS = 64
LEFT_OUT = (__file__, str(Path(asyncio.__file__).parent), threading.__file__, selectors.__file__)

Passed = Counter[tuple[str, str]]
"""How often each function of each file was called."""


def watched(run: Callable[[int], None], deltas: int) -> Passed:
    """Return what was called, in all threads, while ``deltas`` deltas passed."""
    passed: Passed = Counter()

    def called(frame: FrameType, what: str, _: object) -> None:
        code = frame.f_code
        if what == "call" and not code.co_filename.startswith(LEFT_OUT):
            passed[code.co_filename, code.co_qualname] += 1

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        run(deltas)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # how it is switched off
    return passed


def each(run: Callable[[int], None], deltas: int = DELTAS) -> Passed:
    """Return what one delta passes: the difference of two runs, a delta."""
    run(deltas)  # what is imported or made once is left out
    more = watched(run, 2 * deltas)
    more.subtract(watched(run, deltas))
    return Counter({name: round(count / deltas) for name, count in more.items()})


def delta(deltas: int) -> None:
    """Feed a turn plain deltas and write what follows."""
    stream = TurnStream(Turn(), NativeWriter(), problem_object)
    for _ in range(deltas):
        stream.push(DeltaInput("the "))


def line(deltas: int) -> None:
    """Post lines to ``/v1/stream``, one a chunk."""
    asyncio.run(posted("/v1/stream", deltas))


def pushed(deltas: int) -> None:
    """Push lines into a stored turn, one a chunk."""
    asyncio.run(posted("/v1/turns/turn/input?seq=1", deltas))


async def posted(address: str, deltas: int) -> None:
    path, _, query = address.partition("?")
    with tempfile.TemporaryDirectory(prefix="citestream-path-") as folder:
        app = create_app(Settings(store_url=f"sqlite:///{folder}/turns.db"))
        async with app.router.lifespan_context(app):
            await app.state.turns.create(turn_id="turn")
            sent = asyncio.Event()
            chunks = [b'{"type":"delta","text":"the "}\n'] * deltas + [b'{"type":"end"}\n']

            async def receive() -> dict[str, Any]:
                if chunks:
                    await asyncio.sleep(0)
                    return {
                        "type": "http.request",
                        "body": chunks.pop(0),
                        "more_body": bool(chunks),
                    }
                await asyncio.Event().wait()
                raise AssertionError

            async def send(message: dict[str, Any]) -> None:
                if not message.get("more_body", "body" not in message):
                    sent.set()

            scope = {
                "type": "http",
                "asgi": {"version": "3.0"},
                "http_version": "1.1",
                "method": "POST",
                "scheme": "http",
                "path": path,
                "raw_path": path.encode(),
                "query_string": query.encode(),
                "headers": [(b"host", b"localhost"), (b"content-type", b"application/x-ndjson")],
                "client": ("127.0.0.1", 1),
                "server": ("127.0.0.1", 80),
                "root_path": "",
            }
            await app(scope, receive, send)
            assert sent.is_set()


def main() -> None:
    for name, run in (
        ("a plain delta", delta),
        ("an NDJSON line", line),
        ("a pushed line", pushed),
    ):
        passed = {one: count for one, count in each(run).items() if count > 0}
        calls, files = sum(passed.values()), {file for file, _ in passed}
        print(f"{name}: {calls} calls in {len(files)} files")
        if "-v" in sys.argv:
            for (file, function), count in sorted(passed.items()):
                print(f"  {count:3} {Path(file).name}: {function}")


if __name__ == "__main__":
    main()
