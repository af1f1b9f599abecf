"""How long a client may send nothing of a body that is awaited.

Must not know what is sent. One timer serves all waits for a body: it looks how long the present one
has lasted. A timer, or a cancel scope, for each would cost more than what it guards.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Final

_CLOCK_SECONDS: Final = 0.001
"""Clocks of event loops may advance in such steps: a timer that fires a moment too early must not
look again at once, and again."""


class IdleTimeout:
    """Cancels a wait that lasts ``seconds``; infinite: never. For one task, one wait at a time.

    idle.begin()
    try:
        message = await receive()
    except asyncio.CancelledError:
        if idle.expired():
            ...  # nothing was sent in time; the task goes on
        raise
    finally:
        idle.pause()
    """

    __slots__ = ("_clock", "_expired", "_seconds", "_since", "_task", "_timer", "waiting")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.waiting: asyncio.Task[object] | None = None
        """The task while it waits. Time in which it does not, does not count."""
        self._task: asyncio.Task[object] | None = None
        self._clock: Callable[[], float] = float  # of the loop, once a wait has begun
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._expired = False

    def begin(self) -> None:
        """Begin a wait of the running task."""
        if self._timer is None:
            if self._seconds == math.inf:
                return
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._seconds, self._look, loop)
            self._task, self._clock = asyncio.current_task(loop), loop.time
        self.waiting = self._task
        self._since = self._clock()

    def expired(self) -> bool:
        """Return, once a wait was cancelled, whether it lasted too long and nothing else did it.

        The cancellation is then over.
        """
        expired, self._expired = self._expired, False
        return expired and self.waiting is not None and not self.waiting.uncancel()

    def stop(self) -> None:
        """Release the timer: nothing more is awaited."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel the wait; or look again when this one, or one that begins now, would be too long.

        The clock is the event loop's, which is monotonic.
        """
        lasted = loop.time() - self._since if self.waiting else 0.0
        if self.waiting and lasted >= self._seconds:
            self._timer = None
            self._expired = True
            self.waiting.cancel()
        else:
            again = max(self._seconds - lasted, _CLOCK_SECONDS)
            self._timer = loop.call_later(again, self._look, loop)
