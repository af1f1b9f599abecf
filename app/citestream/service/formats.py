"""Which stream formats may be asked for together, and the pipe of a filter.

Lives here: the pairs of the table, what a query says of them, and bytes through a filter in the
steps that a response takes. Must not know HTTP.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, get_args

from citestream.citations import EngineOptions
from citestream.service.problems import INVALID_INPUT, MEDIA_TYPE, Problem
from citestream.targets import Preset
from citestream.telemetry.logs import log_filter
from citestream.turns import Include, InputEvent, StartInput, Turn
from citestream.wire.formats import (
    FORMATS,
    NATIVE,
    Filter,
    Format,
    MixedReader,
    Reader,
    View,
    Writer,
)
from citestream.wire.formats.clean_text import VENDOR_OPTIONS
from citestream.wire.formats.native import NativeReader, NativeWriter
from citestream.wire.formats.positions import Unit
from citestream.wire.input.errors import FieldProblem


def table() -> list[dict[str, Any]]:
    """Return the table of formats.

    Each entry: ``name``, ``media_type``, and whether a stream can be read (``reader``), written
    (``writer``) and passed on clean in the same format (``filter``).
    """
    return [
        {
            "name": one.name,
            "media_type": one.media_type,
            "reader": one.reader is not None,
            "writer": one.writer is not None,
            "filter": one.filter is not None,
        }
        for one in FORMATS.values()
    ]


def _listed() -> str:
    pairs = [f"{name} to {name}" for name, one in FORMATS.items() if one.filter]
    pairs += [
        f"{source} to {target}"
        for source, reads in FORMATS.items()
        for target, writes in FORMATS.items()
        if reads.reader and writes.writer
    ]
    return ", ".join(pairs)


def _refused(field: str, rule: str) -> Problem:
    return Problem(INVALID_INPUT, f"{field}: {rule}", (FieldProblem(field, rule),))


def chosen(query: Mapping[str, str]) -> tuple[Format, Format]:
    """Return the formats that a query names, ``native`` where it names none.

    Raises :class:`~citestream.service.problems.Problem`, which lists the table, for a name that it
    does not have and for a pair that it does not offer.
    """
    found = []
    for field in ("from", "to"):
        one = FORMATS.get(query.get(field, NATIVE.name))
        if one is None:
            raise _refused(field, f"must be one of {', '.join(FORMATS)}; offered are {_listed()}")
        found.append(one)
    source, target = found
    if source is target and source.filter:
        return source, target
    if not source.reader or not target.writer:
        raise _refused("to", f"this pair is not offered; offered are {_listed()}")
    return source, target


def view_of(query: Mapping[str, str], part_url: str | None) -> View:
    """Return how a query asks for citations to be shown. Raises ``Problem`` for another value."""
    unit = query.get("offset_unit")
    if unit is not None and unit not in get_args(Unit):
        raise _refused("offset_unit", f"must be one of {', '.join(get_args(Unit))}")
    if query.get("markers", "strip") != "strip":
        raise _refused("markers", "must be strip")
    units: dict[str, Unit] = {one: one for one in get_args(Unit)}
    return View(units.get(unit or ""), part_url)


OPENAI_RESPONSES: Final = "openai-responses"
VERCEL_AI: Final = "vercel-ai"
FILLING: Final[frozenset[Include]] = frozenset(("offsets", "source"))
"""What is added to the citations of a stored turn so that a vendor's places can be filled."""
MAX_CURSOR_DIGITS: Final = 12
"""Digits of a ``sequence_number``: more events than any turn has."""

MakeFilter = Callable[..., Filter]
"""Takes what makes a turn under some options, and a view."""


class FilterPipe:
    """The bytes of a vendor's stream in, the same stream out, clean.

    Each call returns bytes to send. A stream that breaks off ends as it broke off: nothing of ours
    is added. The reason why a stream could not be read is logged.
    """

    __slots__ = ("_filter", "cost", "ended", "fault", "unread")

    def __init__(self, one: Filter) -> None:
        self._filter = one
        self.cost = 0
        self.fault: Exception | None = None
        self.ended = False
        self.unread = 0
        """Bytes that may wait for the rest of their event."""

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk in; return what follows from it."""
        made = self._filter.feed(chunk)
        self.unread = len(chunk) if made else self.unread + len(chunk)
        return made

    def resume(self) -> bytes:
        """Return nothing: no event of a filter waits."""
        return b""

    def finish(self) -> bytes:
        """Take the end of the bytes; return what was held."""
        self.ended = True
        made = self._filter.finish()
        if self._filter.problem:
            log_filter(self._filter.problem)
        return made

    def end(self, reason: str) -> bytes:
        """Take silence for the end of the bytes."""
        del reason  # a vendor's stream has no word for it
        return self.finish()

    def refuse(self, problem: Problem) -> bytes:
        """Break off, as the body did."""
        del problem
        return self.finish()


def reader_of(one: Format, include: frozenset[Include] = frozenset()) -> Reader:
    """Return the reader of a format; a vendor's stream may hold blocks of our own events.

    A ``start`` event that it gives asks for what is in ``include``, too.
    """
    make = one.reader or NativeReader
    reader = make() if one is NATIVE else MixedReader(make())
    return _Including(reader, include) if include else reader


def reading(query: Mapping[str, str], media_type: str) -> Reader:
    """Return the reader of a pushed stream, which a query names by ``from``.

    Raises ``Problem`` for a format that is not read and for another media type than its own.
    """
    one = FORMATS.get(query.get("from", NATIVE.name))
    if one is None or one.reader is None:
        read = ", ".join(name for name, found in FORMATS.items() if found.reader)
        raise _refused("from", f"must be one of {read}")
    if media_type != one.media_type:
        raise Problem(MEDIA_TYPE, f"content-type: {one.name} is {one.media_type}")
    return reader_of(one)


def written_format(query: Mapping[str, str]) -> Format:
    """Return the format in which a turn is followed, which a query names by ``to``.

    Raises ``Problem`` for one that is not written.
    """
    one = FORMATS.get(query.get("to", NATIVE.name))
    if one is None or one.writer is None:
        written = ", ".join(name for name, found in FORMATS.items() if found.writer)
        raise _refused("to", f"must be one of {written}")
    return one


def writer_of(one: Format, after: int, view: View) -> Writer:
    """Return the writer of a format. A vendor's stream is written from its beginning."""
    if one.writer is None or one is NATIVE:
        return NativeWriter(after)
    return one.writer(0, view)


def follower_of(one: Format, query: Mapping[str, str], view: View) -> Writer:
    """Return the writer of a vendor's format for a reader of a stored turn.

    Of the Responses format ``starting_after`` is the ``sequence_number`` of the last event that the
    reader has; the others are read from the beginning. Raises ``Problem`` for another value.
    """
    after = 0
    if one.name == OPENAI_RESPONSES and "starting_after" in query:
        text = query["starting_after"]
        if not (text.isascii() and text.isdecimal() and len(text) <= MAX_CURSOR_DIGITS):
            raise _refused("starting_after", "must be a sequence_number")
        after = int(text) + 1
    return NativeWriter() if one.writer is None else one.writer(after, view)


def needed_by(one: Format) -> frozenset[Include]:
    """Return what a turn must include so that a format can fill its places."""
    return frozenset() if one is NATIVE else frozenset(("claim", "offsets", "source"))


class _Including(Reader):
    """A reader whose ``start`` event asks for more."""

    __slots__ = ("_include", "_reader")

    def __init__(self, reader: Reader, include: frozenset[Include]) -> None:
        self._reader = reader
        self._include = include

    @property
    def line(self) -> int | None:
        """The number of the line last read."""
        return self._reader.line

    def feed(self, chunk: bytes) -> Iterator[InputEvent]:
        """Yield what ``chunk`` completes."""
        return map(self._asking, self._reader.feed(chunk))

    def finish(self) -> Iterator[InputEvent]:
        """Yield what the end of the bytes completes."""
        return map(self._asking, self._reader.finish())

    def _asking(self, event: InputEvent) -> InputEvent:
        if isinstance(event, StartInput):
            return StartInput(event.options, event.include | self._include)
        return event


def options_for(one: Format) -> EngineOptions:
    """Return how a text in a format is treated when no event says so."""
    return EngineOptions() if one is NATIVE else VENDOR_OPTIONS


def filter_pipe(
    make: MakeFilter, view: View, preset: Preset | None, web_tools: frozenset[str]
) -> FilterPipe:
    """Return the pipe of a filter."""

    def turn(start: StartInput) -> Turn:
        return Turn(
            options=start.options, include=start.include, preset=preset, web_tools=web_tools
        )

    return FilterPipe(make(turn, view))
