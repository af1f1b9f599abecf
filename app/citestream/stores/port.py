"""What the service asks of a store, as values and one protocol.

    StoreError
    ├── StoreFullError, StoreBusyError    for a while; nothing has to be done about what is stored
    ├── StoreLostError                    what was opened is no longer there; a restart opens anew
    ├── ConflictError, KeyReusedError     what was asked does not fit what is stored
    ├── GoneError                         it is no longer stored
    └── DamagedError                      it is not what was written

The input log is the truth; output events are written in the transaction of the input they follow
from. Payloads are opaque bytes to a store: it never reads, repairs or re-encodes them. Times are
seconds since the epoch, given by the caller; order comes from numbers, never from times.

Every key begins with a tenant: what one tenant stores does not exist for another. Without access
control there is one, the empty string.
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

PAGE_BYTES: Final = 256 * 1024
"""A page of rows ends with the row with which it reaches so many bytes of payload."""


class StoreError(Exception):
    """The store cannot do what was asked; nothing of it has happened."""


class StoreFullError(StoreError):
    """There is no room left on the disk. Reading goes on; writing works again when there is."""


class StoreBusyError(StoreError):
    """Another process holds the store. Try again later."""


class StoreLostError(StoreError):
    """The store that was opened was removed or replaced: what is written to it would be lost."""


class ConflictError(StoreError):
    """What was to be created is there already."""


class KeyReusedError(StoreError):
    """The idempotency key was used for another request."""


class GoneError(StoreError):
    """The event rows asked for are no longer stored (retention)."""


class DamagedError(StoreError):
    """What is stored is not what was written. It is never returned."""


class Key(NamedTuple):
    """The id of a turn or a session within its tenant."""

    tenant: str
    id: str


class TurnRow(NamedTuple):
    """A turn after its last committed push."""

    tenant: str
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
    """Whether its event rows, but the last, are gone or being removed (retention)."""

    @property
    def key(self) -> Key:
        """What names the turn."""
        return Key(self.tenant, self.id)

    def after(self, push: "Push") -> "TurnRow":
        """Return the turn after ``push`` has been written."""
        return self._replace(
            touched=push.touched,
            ended=push.ended,
            status=push.status,
            reason=push.reason,
            next=self.next + len(push.inputs),
            events=self.events + len(push.events),
            state=push.state,
        )


class EventRow(NamedTuple):
    """One output event: its type and its JSON object."""

    type: str
    data: bytes


class PartRow(NamedTuple):
    """One data part of a turn; ``about`` is all but its data, and small."""

    id: str
    about: bytes
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
    carried: list[PartRow]
    """The parts of earlier turns that it may cite."""


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
    and between processes. Rows of ``inputs`` and ``events`` take the numbers after the last ones;
    ``named`` and ``results`` rows and ``parts`` keep their order.
    """

    turn: Key
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


class Carry(NamedTuple):
    """The parts of earlier turns of its session that a new turn may cite, newest first."""

    ids: Sequence[str] | None
    """Those with these ids; None: of all of them."""
    most: int
    """At most so many."""
    size: int
    """No more once they have so many bytes of data together."""


class SessionRow(NamedTuple):
    """A session: turns and user messages in order."""

    id: str
    created: float
    counts: bytes
    """Numbers of assigned part ids (JSON)."""
    items: int
    """How many items it has had."""


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

    @property
    def shared(self) -> bool:
        """Whether others may write to it too; then :meth:`changes` says what they wrote."""

    async def open(self) -> None:
        """Make ready: take the store, bring its schema up to date."""

    async def close(self) -> None:
        """Finish what is being written and let the store go."""

    async def ready(self) -> bool:
        """Tell whether it would take a write now."""

    def changes(
        self, followed: Callable[[], Collection[Key]], /
    ) -> AsyncIterator[Mapping[Key, Head | None]]:
        """Yield how far turns have come that others wrote to; None for one that was removed.

        ``followed`` returns the turns that somebody waits for at the moment; others may be left
        out. The first mapping is empty and says that from here on no change is missed. Only asked
        of a store that is shared. Ends when the store is closed.
        """

    # -- turns --------------------------------------------------------------------------------

    async def create_turn(
        self, row: TurnRow, once: Idempotency | None = None, carry: Carry | None = None
    ) -> bytes | None:
        """Store a new turn (and its session, if that is new).

        Returns None when it has been created, or the answer stored under the idempotency key when
        the same request created one before. Raises :class:`ConflictError` for an id that exists,
        and :class:`KeyReusedError` for a key stored with another request; nothing is stored then.
        """

    async def push(self, push: Push) -> bool:
        """Write a push; return whether its conditions held. False: nothing was written."""

    async def turn(self, turn: Key) -> TurnRow | None:
        """Return the turn, or None."""

    async def heads(self, turns: Collection[Key]) -> dict[Key, Head]:
        """Return how far turns have come; those that are not there are left out."""

    async def snapshots(self, turns: Collection[Key]) -> dict[Key, TurnSnapshot]:
        """Return all that turns are restored from; those that are not there are left out."""

    async def inputs(self, turn: Key, first: int, limit: int) -> list[bytes]:
        """Return a page of input events from number ``first`` on, at most ``limit``."""

    async def events(self, turn: Key, after: int, limit: int) -> list[EventRow]:
        """Return a page of output events after number ``after``, at most ``limit``.

        Raises :class:`GoneError` when the first of them has been removed.
        """

    async def last_events(self, turns: Sequence[Key], size: int) -> dict[Key, EventRow]:
        """Return the last event of each turn, in order, up to ``size`` bytes and at least one.

        Turns without an event, and those that are not there, are left out.
        """

    async def parts(self, turn: Key) -> list[PartRow]:
        """Return all parts of the turn in the order in which they were registered."""

    async def part(self, turn: Key, part_id: str) -> PartRow | None:
        """Return one part, or None."""

    async def about_parts(
        self, wanted: Mapping[Key, Collection[str]]
    ) -> dict[Key, dict[str, bytes]]:
        """Return ``about`` of parts by turn and id, in one call; others are left out."""

    async def named(self, turn: Key) -> list[bytes]:
        """Return all that its markers named, in text order."""

    async def results(self, turn: Key) -> list[bytes]:
        """Return what each event of results settled, in order."""

    async def delete_turn(self, turn: Key) -> bool:
        """Remove the turn and all that is its; return whether it was there.

        It is gone for every reader at once; the rows of a big turn are removed in steps, between
        which others write.
        """

    async def running(self, after: Key | None, limit: int) -> list[tuple[Key, int]]:
        """Return turns that have not ended with their next number, in the order of their keys.

        ``after`` is the last key of the page before, None before the first.
        """

    async def running_turns(self) -> int:
        """Return how many turns have not ended."""

    async def turns(self, after: Key | None, limit: int) -> list[Key]:
        """Return a page of all turns in the order of their keys, as :meth:`running` does."""

    async def trim(self, before: float, limit: int) -> int:
        """Remove event rows, but the last, of turns that ended before; return of how many turns.

        The last event holds the whole answer. Idempotency keys older than ``before`` are removed
        too, and what a removal that broke off has left. Big turns are trimmed in steps, between
        which others write.
        """

    # -- sessions -----------------------------------------------------------------------------

    async def session(self, session: Key) -> SessionRow | None:
        """Return the session, or None."""

    async def sessions(
        self, tenant: str, before: tuple[float, str] | None, limit: int
    ) -> list[SessionRow]:
        """Return a page of the tenant's sessions, the newest first.

        ``before`` is ``created`` and ``id`` of the last one of the page before.
        """

    async def taken_part_ids(self, session: Key, ids: Collection[str]) -> set[str]:
        """Return those of ``ids`` that some part of some turn of the session has."""

    async def add_message(
        self, session: Key, message_id: str, message: bytes, created: float
    ) -> AddedMessage:
        """Store a user message (and its session, if that is new); return it with its position.

        A session has one message of each id: where there is one already, nothing is written and
        that one is returned.
        """

    async def items(self, session: Key, after: int, limit: int) -> list[ItemRow]:
        """Return the session's items after position ``after``, in order, at most ``limit``.

        A page also ends with the message with which it reaches 256 KiB of messages.
        """

    async def delete_session(self, session: Key) -> list[str] | None:
        """Remove the session and its turns; return the turns' ids, or None if it was not there."""
