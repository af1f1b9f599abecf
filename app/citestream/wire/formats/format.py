"""The port of the stream formats: what each entry of the table offers, bytes on the outer side.

Lives here: Reader (a stream → input events), Writer (output events → a stream) and Filter (a stream
→ the same stream, clean). All three are free of I/O. Must not know any format, nor where bytes come
from or go to.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from citestream.turns import InputEvent, OutputEvent, output_event


class Reader(ABC):
    """Takes the bytes of a stream, however they are cut; gives its input events.

    A format that knows how a stream ends gives exactly one ``end`` event, the last of all; one that
    does not leaves the end to the caller.
    """

    __slots__ = ()

    problem: str = ""
    """Why the stream has failed, for a person; empty when it has not. Repeats none of it."""

    @property
    def line(self) -> int | None:
        """The number, from 1, of the line last read or refused; None in a format without lines."""
        return None

    @abstractmethod
    def feed(self, chunk: bytes) -> Iterable[InputEvent]:
        """Give the events that ``chunk`` completes.

        What cannot be read raises one of the input errors of ``wire.input`` when its turn comes:
        the events before it have been given by then.
        """

    @abstractmethod
    def finish(self) -> Iterable[InputEvent]:
        """Give the events that the end of the bytes completes. Raises what :meth:`feed` raises."""


class Writer(ABC):
    """Gives the bytes of one reader's stream, output event by output event.

    ``after`` is the position of the last event that the reader already has, 0 for none: what is at
    or before it is made and not sent. The first event opens what the format has to open. The
    artifact closes it and ends the stream; an error event closes it before it says what went wrong.
    """

    __slots__ = ("after", "position")

    keepalive: ClassVar[bytes] = b": ping\n"
    """What may be sent between any two events: a comment of a single line.

    A blank line after it would end an event without data, at which clients of some vendors fail.
    """
    farewell: ClassVar[bytes] = b""
    """What asks the reader to come back to a stream that has not ended; empty where the format has
    no word for it."""
    headers: ClassVar[Mapping[str, str]] = {}
    """Fields of the response beside those of every event stream."""
    replays: ClassVar[bool] = True
    """Whether the bytes of an event depend on the events before it, so that a reader who resumes is
    served by a Writer that is given all events from the first on."""

    def __init__(self, after: int = 0) -> None:
        self.after = after
        self.position = 0
        """The position of the last event made, as the format counts."""

    @abstractmethod
    def encode(self, event: OutputEvent, number: int) -> bytes:
        """Return the bytes for an event, the ``number``-th of its turn, counted from 1."""

    def encode_stored(self, type_: str, data: bytes, number: int) -> bytes:
        """Return the bytes for an event whose JSON, ``data``, has been stored."""
        del type_  # the JSON says it, too
        return self.encode(output_event(json.loads(data)), number)


class PassedOn(Writer):
    """What stands around a stream that is passed on: keepalives alone. It writes no event."""

    __slots__ = ()

    def encode(self, event: OutputEvent, number: int) -> bytes:
        """Return nothing: the events of such a stream are the vendor's own bytes."""
        del event, number
        return b""


class Filter(Protocol):
    """Takes the bytes of a vendor's stream, however they are cut; gives the same stream, clean.

    What is no answer text leaves as the bytes it came as. Nothing raises: a stream that cannot be
    read passes through, and ``problem`` says why.
    """

    problem: str

    def feed(self, chunk: bytes) -> bytes:
        """Return what ``chunk`` completes."""
        ...

    def finish(self) -> bytes:
        """Return what was held."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """One entry of the table: a name, and how to make what the format offers."""

    name: str
    media_type: str
    """Of a body in this format."""
    reader: Callable[[], Reader] | None = None
    writer: Callable[..., Writer] | None = None
    """Takes ``after``; those of a vendor's format also a ``view`` of citations."""
    filter: Callable[..., Filter] | None = None
    """Takes what makes a turn under some options (``Callable[[StartInput], Turn]``): a stream may
    hold several texts, each a turn of its own. A second argument, :class:`View`, is optional."""
