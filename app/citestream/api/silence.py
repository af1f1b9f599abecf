"""How long a client may say nothing while it sends a body.

Must not know what is sent. One timer runs for all waits and looks, when it is due, since when there
has been one: a timer for each would cost more than what it guards.
"""

import asyncio
import math

from starlette.types import Message, Receive


class Silence:
    """Gives up the wait for a client that has said nothing for ``seconds``; infinite: never."""

    __slots__ = ("_given_up", "_seconds", "_since", "_timer", "_waiting")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: asyncio.Task[object] | None = None
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._given_up = False

    async def broken_by(self, receive: Receive) -> Message:
        """Return the next message; raises ``TimeoutError`` when none comes in time."""
        if self._seconds == math.inf:
            return await receive()
        loop = asyncio.get_running_loop()
        self._waiting = task = asyncio.current_task()
        self._since = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._look, loop)
        try:
            return await receive()
        except asyncio.CancelledError:
            if self._given_up and task and not task.uncancel():
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None

    def end(self) -> None:
        """Let the timer go: nothing more is waited for."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give up, or look again when a wait that began at the latest would be too long."""
        since = self._since if self._waiting else loop.time()
        if self._waiting and loop.time() - since >= self._seconds:
            self._given_up = True
            self._waiting.cancel()
        else:
            self._timer = loop.call_at(since + self._seconds, self._look, loop)
