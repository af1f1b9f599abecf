"""The command as a person runs it: a process of its own, real pipes, warnings as errors."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

APP = Path(__file__).parents[2] / "app"
COMMAND = (sys.executable, "-W", "error", "-c", "from citestream.cli import main; main()")
SECONDS = 30


class Ran(NamedTuple):
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What stderr told, as JSON."""
        return [json.loads(line) for line in self.stderr.splitlines()]


def environment(**settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**kept, "PYTHONPATH": str(APP), **settings}


def begin(*arguments: str, **settings: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**settings),
        bufsize=0,
    )


def run(*arguments: str, stdin: bytes = b"", **settings: str) -> Ran:
    process = begin(*arguments, **settings)
    stdout, stderr = process.communicate(stdin, SECONDS)
    return Ran(process.returncode, stdout, stderr)
