"""How a command ends and what it writes: failures, exit statuses, bytes to descriptors.

Lives here: what all subcommands share. Must not know what any of them does.
"""

import os
from contextlib import suppress
from typing import Final

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2

FAILED: Final = 1
"""It began and failed: a taken port, a stream that broke off, a line that cannot be read."""
WRONG: Final = 2
"""The command line, a setting or a file of parts is wrong."""
INTERRUPTED: Final = 128 + 2
"""Ctrl-C."""
CLOSED_PIPE: Final = 128 + 13
"""The reader of the output has gone."""


class Failure(Exception):  # noqa: N818 - it is an outcome of the command
    """The command cannot go on; ``status`` is its exit status.

    The message is a line for a person: it names the place and the limit, never the content.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def write(descriptor: int, content: bytes) -> None:
    """Write all of ``content`` now: no buffer is left to fail when the interpreter ends."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def complain(line: str) -> None:
    """Write a line to stderr, if anybody is there to read it."""
    with suppress(OSError):
        write(STDERR, f"{line}\n".encode(errors="backslashreplace"))
