"""The real service on a free port of the loopback: in a thread with its own loop, or a process.

``serving`` starts it in a thread, so that a test can look at its tasks and objects; ``process``
starts it as a process, so that a test can send it signals. Both bind the port before they start
and say when they are ready, so nothing waits by the clock.
"""

import asyncio
import atexit
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import uvicorn

from citestream.main import create_app
from citestream.server.protocol import GuardedProtocol
from citestream.settings import Settings

Found = TypeVar("Found")

DEADLINE = 30.0
"""Seconds after which a test that waits has failed; far above what a slow machine needs."""
_ROOT = Path(__file__).parents[1]
_FOLDERS = ExitStack()
atexit.register(_FOLDERS.close)


def until(condition: Callable[[], Found], seconds: float = DEADLINE) -> Found:
    """Return the first true value of ``condition``; fail when none comes in time."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "this did not become true in time"
        time.sleep(0.01)
    return found


def with_own_store(settings: Settings) -> Settings:
    """Return the settings with a store that no other server has, in a folder that soon goes.

    A store that the settings name stays.
    """
    if "store_url" in settings.model_fields_set:
        return settings
    folder = tempfile.TemporaryDirectory(prefix="citestream-")
    _FOLDERS.callback(folder.cleanup)
    return settings.model_copy(update={"store_url": f"sqlite:///{folder.name}/turns.db"})


class Served(uvicorn.Server):
    """A server in a thread. ``faults`` are what its loop or uvicorn complained of."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        super().__init__(config)
        self.listener = listener
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.faults: list[str] = []
        self.loop: asyncio.AbstractEventLoop
        self.own_tasks = 0
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.loop.set_exception_handler(lambda _, told: self.faults.append(repr(told)))
        await super().startup(sockets)
        self.own_tasks = len(asyncio.all_tasks())
        self.ready.set()

    def run_here(self) -> None:
        with asyncio.Runner(loop_factory=self.config.get_loop_factory()) as runner:
            runner.run(self.serve([self.listener]))

    def call(self, work: Coroutine[Any, Any, Found]) -> Found:
        """Run ``work`` in the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(DEADLINE)

    def tasks(self) -> int:
        """Count the tasks of requests that the server has."""

        async def count() -> int:
            return len(asyncio.all_tasks()) - self.own_tasks - 1  # this one

        return self.call(count())

    @property
    def connections(self) -> int:
        return len(self.server_state.connections)

    def idle(self) -> bool:
        """Tell whether no connection and no task is left."""
        return not self.connections and not self.tasks()


def stored_in(folder: Path, **settings: Any) -> Settings:
    """Return settings whose store is a file in ``folder``."""
    return Settings(store_url=f"sqlite:///{folder}/turns.db", **settings)


def _listener(send_buffer: int | None) -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    if send_buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    return listener


class _Complaints(logging.Handler):
    """Keeps what one thread logs as an error."""

    def __init__(self, thread: threading.Thread, faults: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.server_thread = thread
        self.faults = faults

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.server_thread.ident:
            self.faults.append(self.format(record))


@contextmanager
def serving(
    settings: Settings | None = None,
    app: Any = None,
    *,
    faults: bool = False,
    send_buffer: int | None = None,
    **config: Any,
) -> Iterator[Served]:
    """Run the service in a thread. Unless ``faults`` are expected, there may be none at the end.

    ``send_buffer``: bytes that the system takes for a reader that does not read. A store that the
    settings do not name is a file of its own.
    """
    listener = _listener(send_buffer)
    app = app or create_app(with_own_store(settings or Settings()))
    server = Served(
        uvicorn.Config(
            app,
            log_config=None,
            timeout_graceful_shutdown=5,
            **{"http": GuardedProtocol, "proxy_headers": False, **config},
        ),
        listener,
    )
    thread = threading.Thread(target=server.run_here)
    complaints = _Complaints(thread, server.faults)
    logging.getLogger("uvicorn.error").addHandler(complaints)
    thread.start()
    try:
        assert server.ready.wait(DEADLINE)
        yield server
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        logging.getLogger("uvicorn.error").removeHandler(complaints)
        listener.close()
    assert not thread.is_alive()
    if not faults:
        assert not server.faults, server.faults


class Process:
    """A server in a process of its own."""

    def __init__(self, started: subprocess.Popen[str], port: int) -> None:
        self.started = started
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def stop(self, number: signal.Signals = signal.SIGTERM, seconds: float = DEADLINE) -> int:
        """Send a signal; return the status the process ends with."""
        self.started.send_signal(number)
        return self.started.wait(seconds)


@contextmanager
def process(*, send_buffer: int | None = None, **environment: str) -> Iterator[Process]:
    """Run the service in a process; ``environment`` is added to this process's own.

    A store that the environment does not name is a file of its own.
    """
    listener = _listener(send_buffer)
    port = listener.getsockname()[1]
    started = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.serving", str(listener.fileno())],
        cwd=_ROOT,
        env={
            **os.environ,
            "PYTHONPATH": "app:.",
            "CITESTREAM_STORE_URL": with_own_store(Settings()).store_url,
            **environment,
        },
        pass_fds=[listener.fileno()],
        stdout=subprocess.PIPE,
        text=True,
    )
    listener.close()
    try:
        assert started.stdout
        assert started.stdout.readline() == "ready\n"
        yield Process(started, port)
    finally:
        started.kill()
        started.communicate()


def _main(descriptor: int) -> None:
    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print("ready", flush=True)

    config = uvicorn.Config(
        "citestream.main:create_app",
        factory=True,
        http=GuardedProtocol,
        proxy_headers=False,
        log_config=None,
        timeout_graceful_shutdown=20,
    )
    with suppress(KeyboardInterrupt):
        Announced(config).run([socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    _main(int(sys.argv[1]))
