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
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.serving import DEADLINE

_ROOT = Path(__file__).parents[2]


class Lives:
    """The lives of one service over one store; ``port`` is that of the present one."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._parent = process
        self._settings = {"CITESTREAM_STORE_URL": f"sqlite:///{folder}/turns.db"}
        self._log = folder / "log"
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
        self._parent.stdin.write(json.dumps([str(self._log), self._settings | settings]) + "\n")
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

    def complaints(self) -> list[str]:
        """What any life has logged as an error."""
        return [line for line in self._log.read_text().splitlines() if '"error"' in line]

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
def parent() -> Iterator["subprocess.Popen[str]"]:
    """The process that has imported all there is; of its lives one runs at a time."""
    with tempfile.TemporaryFile() as lost:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.lives"],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": "app:."},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=lost,
            text=True,
            bufsize=1,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


@contextmanager
def living(process: "subprocess.Popen[str]", folder: Path) -> Iterator[Lives]:
    """A service over a store in ``folder``, not yet started; its last life ends here."""
    lives = Lives(process, folder)
    try:
        yield lives
    finally:
        if lives.alive.is_set():
            lives.kill()


def _main() -> None:
    from citestream.cli import main
    from citestream.cli import serve as _serve  # noqa: F401 - to have it imported
    from citestream.stores import migrate as _migrate  # noqa: F401

    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            log, settings = json.loads(line)
            os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
            os.environ.update(settings)
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
