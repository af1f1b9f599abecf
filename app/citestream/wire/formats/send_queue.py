"""What a filter may not send yet, because a list of the vendor's in it waits for what follows.

Lives here: the order of sending. Must not know any vendor.
"""

from typing import Protocol


class Waiting(Protocol):
    """An event that is not whole yet."""

    def waits(self) -> bool:
        """Whether it is not to be sent yet."""
        ...

    def made(self) -> bytes:
        """Return its bytes."""
        ...


class SendQueue:
    """Gives bytes in their order, up to the first event that waits."""

    __slots__ = ("_queue",)

    def __init__(self) -> None:
        self._queue: list[bytes | Waiting] = []

    def send(self, one: bytes | Waiting = b"") -> bytes:
        """Take what is to be sent next; return what may be sent now."""
        if not self._queue and isinstance(one, bytes):
            return one
        self._queue.append(one)
        out: list[bytes] = []
        for made in self._queue:
            if not isinstance(made, bytes):
                if made.waits():
                    break
                made = made.made()
            out.append(made)
        del self._queue[: len(out)]
        return b"".join(out)
