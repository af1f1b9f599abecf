"""The file of a SQLite store: who may have it, and whether it is still the one that was opened.

A lock held by the kernel on the database file itself keeps a second process out, by whatever name
or link it opens the file; a killed process leaves none behind. SQLite's own locks are of another
kind (POSIX record locks), so the two do not meet. Must not know SQL.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from citestream.stores.port import StoreBusyError, StoreError, StoreLostError

_MODE: Final = 0o644
_OPEN: Final[set[tuple[int, int]]] = set()
"""Device and inode of each file that this process has taken."""


class DatabaseFile:
    """The file at ``path``, taken; it is made when it is not there, unless ``create`` is false.

    Raises :class:`StoreBusyError` when another process has it, :class:`StoreError` when it cannot
    be opened.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path.resolve()
        # Closing a second descriptor of a file would drop the locks that SQLite has on it in this
        # process, so a file that is open here is not opened again.
        with suppress(OSError):
            if _identity(self.path.stat()) in _OPEN:
                raise StoreBusyError("this process has this store open already")
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(
                self.path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), _MODE
            )
        except OSError as error:
            raise StoreError(f"the store's file cannot be opened: {error.strerror}") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise StoreBusyError("another process has this store open") from None
        self._identity = _identity(os.fstat(self._descriptor))
        _OPEN.add(self._identity)

    def check(self) -> None:
        """Raise :class:`StoreLostError` when the path no longer names the file that was opened."""
        try:
            now = _identity(self.path.stat())
        except OSError:
            raise StoreLostError("the store's file was removed") from None
        if now != self._identity:
            raise StoreLostError("the store's file was replaced")

    def close(self) -> None:
        """Let the file go; every connection to it must be closed before."""
        _OPEN.discard(self._identity)
        os.close(self._descriptor)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
