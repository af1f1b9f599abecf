"""A server in a process of its own, and what it costs: CPU seconds and memory.

``python -m benchmarks.served.process NAME SOCKET FOLDER CORE`` is the process; ``Served`` starts
it.
"""

import gc
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import uvicorn
from benchmarks.served import apps

from citestream.server.protocol import GuardedProtocol
from citestream.server.serving import GC_THRESHOLDS

ROOT = Path(__file__).parents[2]
# Found out while this process may still run on all: a child may run where its parent may.
_CORES: Final = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
SERVERS_CORE: Final = _CORES[0]
CLIENTS_CORE: Final = _CORES[-1]


def pin(core: int) -> None:
    """Keep this process on one core, where the system lets it be chosen."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def files_allowed() -> int:
    """Raise how many files this process may have open as far as it may; return how many."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    return limit


class Served:
    """An application of ``apps`` behind uvicorn, uvloop and httptools, while in ``with``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> "Served":
        self._folder = tempfile.TemporaryDirectory(prefix="citestream-bench-")
        with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
            self.port = listening.getsockname()[1]
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "benchmarks.served.process"),
                    *(self.name, str(listening.fileno()), self._folder.name, str(SERVERS_CORE)),
                ],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                pass_fds=[listening.fileno()],
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()

    def cpu(self) -> float:
        """Return the CPU seconds the process has used, in all its threads."""
        # The clock that clock_getcpuclockid(3) gives for another process.
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def rss(self) -> int:
        """Return the resident memory in KiB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])


def serve(name: str, listening: int, folder: str, core: int) -> None:
    """Serve until killed."""
    pin(core)
    files_allowed()
    app: Any = apps.bare
    if name == "ours":
        app = apps.ours(Path(folder))
    elif name != "bare":
        app = getattr(apps, name)()
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=GuardedProtocol if name == "ours" else "httptools",
        ws="none",
        lifespan="on" if name == "ours" else "off",
        log_level="warning",
        access_log=False,
        backlog=4096,
        timeout_keep_alive=60,
    )
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=listening)])


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
