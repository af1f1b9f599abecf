"""A ``citestream serve`` that is killed and started again, many times and quickly.

A parent process imports all there is once; each life of the service is a fork of it that runs the
real command. It is killed as ``kill -9`` does.
"""

import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server import DEADLINE

_ROOT = Path(__file__).parents[2]


class Lives:
    """The lives of one service over one store; ``port`` is that of the present one."""

    def __init__(self, parent: "subprocess.Popen[str]", settings: dict[str, str]) -> None:
        self._parent = parent
        self._settings = settings
        self.pid = 0
        self._death = -1
        self.port = 0
        self.count = 0
        self.alive = threading.Event()
        """Cleared from just before a kill until the next life serves."""

    def start(self, **settings: str) -> bool:
        """Begin a life; tell whether it came so far as to listen."""
        assert self._parent.stdin
        assert self._parent.stdout
        self._parent.stdin.write(json.dumps({**self._settings, **settings}) + "\n")
        self._parent.stdin.flush()
        self.pid = int(self._parent.stdout.readline())
        self._death = os.pidfd_open(self.pid)
        line = self._parent.stdout.readline()
        self.count += 1
        if not line.startswith("citestream listens at "):
            assert line == "gone\n", line
            self._buried()
            return False
        self.port = int(line.rpartition(":")[2])
        self.alive.set()
        return True

    def kill(self) -> None:
        """End the life at once."""
        self.alive.clear()
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self, seconds: float = DEADLINE) -> bool:
        """Wait until the life has ended by itself; tell whether it has."""
        if not select.select([self._death], [], [], seconds)[0]:
            return False
        self.alive.clear()
        assert self._parent.stdout
        assert self._parent.stdout.readline() == "gone\n"
        self._buried()
        return True

    def _buried(self) -> None:
        os.close(self._death)
        self._death = -1


@contextmanager
def living(folder: Path, **settings: str) -> Iterator[Lives]:
    """A service that has not been started yet; at the end its last life is ended."""
    store = {"CITESTREAM_STORE_URL": f"sqlite:///{folder}/turns.db", **settings}
    log = (folder / "log").open("ab")
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.lives"],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": "app:."},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        bufsize=1,
    )
    lives = Lives(parent, store)
    try:
        yield lives
    finally:
        if lives.alive.is_set():
            lives.kill()
        parent.kill()
        parent.communicate()
        log.close()


def _main() -> None:
    from citestream.cli import main
    from citestream.cli import serve as _serve  # noqa: F401 - to have it imported
    from citestream.stores import migrate as _migrate  # noqa: F401

    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os.environ.update(json.loads(line))
            print(os.getpid(), flush=True)
            try:
                main(["serve", "--port", "0"])
            except SystemExit as ended:
                os._exit(int(bool(ended.code)))
            os._exit(0)
        os.waitpid(child, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    _main()
