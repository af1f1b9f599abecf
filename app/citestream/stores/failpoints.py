"""Named places at which a test may kill the process.

Lives here: the table of the names, and what an armed one does. Code that passes a place calls its
failpoint with the name; unless a test armed one, that is :func:`no_op`.
"""

import os
import signal
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

Failpoint = Callable[[str], None]
"""Called with a name of :data:`FAILPOINTS` whenever that place is passed."""

FAILPOINTS: Final = MappingProxyType(
    {
        "turn-written": "the row of a new turn is written, not committed",
        "key-written": "an idempotency key is written, not committed",
        "push-received": "a push begins; what the producer pushed before has been answered",
        "before-begin": "writes wait and their transaction has not begun",
        "in-transaction": "all of a group is written, not committed",
        "committed": "a group is committed, nobody knows of it",
        "published": "followers have been woken, the producer has no answer",
        "end-written": "the end of a turn is written, not committed",
        "removed": "a turn is gone for its readers, its rows are still there",
        "end-committed": "the end of a turn is committed, nobody knows of it",
        "replaying": "a follower has read a page of stored events and not passed it on",
        "checkpoint": "a checkpoint is about to be made",
        "migrating": "a migration has run, not committed",
        "sweeping": "some of the events that retention lets go are gone",
    }
)
"""Every place with what has and has not happened there."""


def no_op(name: str) -> None:
    """Do nothing: no failpoint is armed."""


def arm(setting: str) -> Failpoint:
    """Return a failpoint that kills the process, as ``kill -9`` does, at ``name@nth``.

    ``nth`` counts from 1, and is 1 when it is left out. An empty setting arms nothing. Raises
    :class:`ValueError` for a name that is not in the table.
    """
    if not setting:
        return no_op
    armed, _, nth = setting.partition("@")
    if armed not in FAILPOINTS:
        raise ValueError(f"failpoint: must be one of {', '.join(FAILPOINTS)}")
    left = int(nth or 1)

    def failpoint(name: str) -> None:
        nonlocal left
        if name == armed:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return failpoint
