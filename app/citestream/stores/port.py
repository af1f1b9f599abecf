"""What the service asks of a store, as values and one protocol.

    StoreError
    ├── StoreFullError, StoreBusyError    for a while; nothing has to be done about what is kept
    ├── ConflictError, KeyReusedError     what was asked does not fit what is kept
    ├── GoneError                         it is no longer kept
    └── DamagedError                      it is not what was written

The input log is the truth; output events are written in the transaction of the input they follow
from. Payloads are opaque bytes to a store: it never reads, repairs or re-encodes them. Times are
seconds since the epoch, given by the caller; order comes from numbers, never from times.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

PAGE_BYTES: Final = 256 * 1024
"""A page of rows ends behind the row with which it reaches so many bytes of payload."""


class StoreError(Exception):
    """The store cannot do what was asked; nothing of it has happened."""


class StoreFullError(StoreError):
    """There is no room left on the disk. Reading goes on; writing works again when there is."""


class StoreBusyError(StoreError):
    """Another process holds the store. Try again later."""


class ConflictError(StoreError):
    """What was to be created is there already."""


class KeyReusedError(StoreError):
    """The idempotency key was used for another request."""


class GoneError(StoreError):
    """The event rows asked for are no longer kept (retention)."""


class DamagedError(StoreError):
    """What is kept is not what was written. It is never handed out."""


class TurnRow(NamedTuple):
    """A turn as it stands after its last committed push."""

    id: str
    session_id: str | None
    semantics: int
    """The rules it began under and ends under."""
    created: float
    touched: float
    """When its last input was accepted."""
    ended: float | None
    status: str
    reason: str | None
    next: int
    """The number of the next input event, from 1."""
    events: int
    """The number of the last output event; 0 before the first."""
    state: bytes
    """The engine's state after input ``next - 1``."""
    labels: bytes
    trimmed: bool = False
    """Whether its event rows, but the last, are gone or going (retention)."""

    def after(self, push: "Push") -> "TurnRow":
        """Return the turn as it stands when ``push`` has been written."""
        return TurnRow(
            id=self.id,
            session_id=self.session_id,
            semantics=self.semantics,
            created=self.created,
            touched=push.touched,
            ended=push.ended,
            status=push.status,
            reason=push.reason,
            next=self.next + len(push.inputs),
            events=self.events + len(push.events),
            state=push.state,
            labels=self.labels,
            trimmed=self.trimmed,
        )


class EventRow(NamedTuple):
    """One output event: its type and its JSON object."""

    type: str
    data: bytes


class PartRow(NamedTuple):
    """One data part of a turn."""

    id: str
    data: bytes


class TurnSnapshot(NamedTuple):
    """All that a running turn is restored from, as of one moment."""

    row: TurnRow
    deltas: list[bytes]
    """The payloads of its ``delta`` events."""
    parts: list[PartRow]
    named: list[bytes]
    """What its markers named, in text order."""
    results: list[bytes]
    """What each event of results settled, in order."""


class Head(NamedTuple):
    """How far a turn has come."""

    events: int
    ended: bool


class Counts(NamedTuple):
    """The session's numbers of assigned part ids, compared and set with a push."""

    session_id: str
    before: bytes
    after: bytes


class Push(NamedTuple):
    """One push: all of it is written, or none.

    It is written only if the turn's ``next`` still is ``expected``, the turn has not ended, and the
    session's counts (when given) still are ``counts.before``: that is the fence between producers
    and between processes. Rows of ``inputs`` and ``events`` take the numbers behind the last ones;
    ``named`` and ``results`` rows and ``parts`` keep their order.
    """

    turn_id: str
    expected: int
    touched: float
    state: bytes
    status: str
    reason: str | None = None
    ended: float | None = None
    inputs: Sequence[bytes] = ()
    events: Sequence[EventRow] = ()
    parts: Sequence[PartRow] = ()
    named: Sequence[bytes] = ()
    results: Sequence[bytes] = ()
    counts: Counts | None = None
    reset: bool = False
    """Forget the ``named`` rows stored so far before these are written: another answer begins."""


class Idempotency(NamedTuple):
    """A key under which a creation may be repeated, and what was asked and answered under it."""

    key: str
    request: bytes
    """A digest of the request."""
    answer: bytes
    created: float


class SessionRow(NamedTuple):
    """A session: turns and user messages in order."""

    id: str
    created: float
    counts: bytes
    """Numbers of assigned part ids (JSON)."""


class AddedMessage(NamedTuple):
    """A user message as it is stored: the one that was sent, or an earlier one of its id."""

    position: int
    message: bytes


class ItemRow(NamedTuple):
    """One item of a session, in order: a turn, or a user message."""

    position: int
    created: float
    turn: TurnRow | None
    message: bytes | None
    message_id: str | None = None


class TurnLog(Protocol):
    """A store. Every method may raise :class:`StoreError`; none blocks the event loop."""

    async def open(self) -> None:
        """Make ready: take the store, bring its schema up to date."""

    async def close(self) -> None:
        """Finish what is being written and let the store go."""

    async def ready(self) -> bool:
        """Tell whether it would take a write now."""

    async def create_turn(self, row: TurnRow, once: Idempotency | None = None) -> bytes | None:
        """Keep a new turn (and its session, if that is new).

        Returns None when it has been created, or the answer kept under the idempotency key when the
        same request created one before. Raises :class:`ConflictError` for an id that exists, and
        :class:`KeyReusedError` for a key kept with another request; nothing is kept then.
        """

    async def push(self, push: Push) -> bool:
        """Write a push; return whether its conditions held. False: nothing was written."""

    async def turn(self, turn_id: str) -> TurnRow | None:
        """Return the turn, or None."""

    async def heads(self, turn_ids: Sequence[str]) -> dict[str, Head]:
        """Return how far turns have come; those that are not there are left out."""

    async def snapshot(self, turn_id: str) -> TurnSnapshot | None:
        """Return all that a turn is restored from, or None."""

    async def inputs(self, turn_id: str, first: int, limit: int) -> list[bytes]:
        """Return a page of input events from number ``first`` on, at most ``limit``."""

    async def events(self, turn_id: str, after: int, limit: int) -> list[EventRow]:
        """Return a page of output events behind number ``after``, at most ``limit``.

        Raises :class:`GoneError` when the first of them has been let go.
        """

    async def parts(self, turn_id: str) -> list[PartRow]:
        """Return all parts of the turn in the order they came."""

    async def part(self, turn_id: str, part_id: str) -> bytes | None:
        """Return one part, or None."""

    async def named(self, turn_id: str) -> list[bytes]:
        """Return all that its markers named, in text order."""

    async def results(self, turn_id: str) -> list[bytes]:
        """Return what each event of results settled, in order."""

    async def delete_turn(self, turn_id: str) -> bool:
        """Remove the turn and all that is its; return whether it was there."""

    async def session(self, session_id: str) -> SessionRow | None:
        """Return the session, or None."""

    async def part_ids(self, session_id: str) -> list[str]:
        """Return the ids of all parts of all turns of the session, in any order."""

    async def add_message(
        self, session_id: str, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        """Store a user message (and its session, if that is new); return it with its position.

        A session has one message of each id: where there is one already, nothing is written and
        that one is returned.
        """

    async def items(self, session_id: str, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items behind position ``after``, in order, at most ``limit``."""

    async def delete_session(self, session_id: str) -> list[str] | None:
        """Remove the session and its turns; return the turns' ids, or None if it was not there."""

    async def silent_turns(self, before: float, limit: int) -> list[str]:
        """Return running turns whose last input is older than ``before``."""

    async def turn_ids(self, after: str, limit: int) -> list[str]:
        """Return ids of turns behind ``after`` ("" is before the first), in their order."""

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""

    async def trim(self, before: float, limit: int) -> int:
        """Let event rows go, but the last, of turns that ended before; return of how many turns.

        The last event holds the whole answer. Idempotency keys older than ``before`` go too. Big
        turns go in steps, between which others write.
        """
