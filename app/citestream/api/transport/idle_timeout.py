"""How long a client may say nothing while it sends a body.

Must not know what is sent. One timer serves all waits for a body: it looks how long the present one
has lasted. A timer, or a cancel scope, for each would cost more than what it guards.
"""

import asyncio
import math
from typing import Final

from starlette.types import Message, Receive

_CLOCK_SECONDS: Final = 0.001
"""Clocks of event loops may go in such steps: who is woken a moment too early must not look again
at once, and again."""


class Silence:
    """Gives up the wait for a client that has said nothing for ``seconds``; infinite: never.

    For one wait at a time.
    """

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
        self._waiting = task = asyncio.current_task(loop)
        self._since = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._look, loop)
        try:
            return await receive()
        except asyncio.CancelledError:
            given_up, self._given_up = self._given_up, False
            if given_up and task and not task.uncancel():
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
        """Give up; or look again when this wait, or one that begins now, would be too long."""
        lasted = loop.time() - self._since if self._waiting else 0.0
        if self._waiting and lasted >= self._seconds:
            self._timer = None
            self._given_up = True
            self._waiting.cancel()
        else:
            again = max(self._seconds - lasted, _CLOCK_SECONDS)
            self._timer = loop.call_later(again, self._look, loop)
