"""From the address of a store to the store.

Lives here: the table of schemes. Must not know settings.
"""

from pathlib import Path
from typing import Final

from citestream.stores.failpoints import Failpoint, no_op
from citestream.stores.memory import MemoryLog
from citestream.stores.port import TurnLog
from citestream.stores.sqlite.log import SqliteLog

SQLITE: Final = "sqlite:///"
MEMORY: Final = "memory:"
SCHEMES: Final = (SQLITE, MEMORY)
"""How an address may begin: ``sqlite:///FILE``; ``memory:`` is gone with the process."""


def store_at(
    url: str, *, durable: bool = False, create: bool = True, failpoint: Failpoint = no_op
) -> TurnLog:
    """Return the store at an address, not yet opened.

    ``durable``: every commit waits for the disk. With ``create`` false opening a store that is not
    there is an error. Raises ``ValueError`` for an address that begins with none of
    :data:`SCHEMES`.
    """
    if url == MEMORY:
        return MemoryLog()
    if url.startswith(SQLITE) and len(url) > len(SQLITE):
        path = Path(url.removeprefix(SQLITE))
        return SqliteLog(path, durable=durable, create=create, failpoint=failpoint)
    raise ValueError(f"must begin with one of: {', '.join(SCHEMES)}")
