"""What holds for every entry of the table of formats, whatever its bytes look like.

A format brings a sample: streams in its own form with what they hold, and functions that read back
what it writes.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from citestream import Turn
from citestream.citations import EngineOptions
from citestream.turns import (
    ArtifactEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    EndReason,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    StartInput,
)
from citestream.wire.formats import Filter, Reader, Writer

MARKER = "\ue200cite\ue202a\ue201"
OPTIONS = EngineOptions(invalid_markers="drop")
MakeFilter = Callable[[Callable[[StartInput], Turn]], Filter]
ERROR = ErrorEvent({"type": "about:blank", "title": "Broken", "status": 500, "detail": "it broke"})


class Shown(NamedTuple):
    """What a client of the format sees in a stream."""

    deltas: list[str]
    snapshots: list[str]
    """Every whole text that the stream repeats."""
    opened: int
    closed: int
    ends: int
    errors: int
    last: str
    """The kind of the last event: "end", "error" or "other"."""


@dataclass(frozen=True)
class ReaderSample:
    """A stream with its events, and the beginning of one that cannot be read further."""

    stream: bytes
    events: list[InputEvent]
    broken: bytes
    before: list[InputEvent]
    """The events before the place where ``broken`` cannot be read."""


@dataclass(frozen=True)
class FilterSample:
    """Streams of a vendor: with markers, and without."""

    marked: bytes
    unmarked: bytes
    part: PartInput
    """What the markers cite."""


@dataclass(frozen=True)
class Sample:
    """What the suite needs to try an entry of the table."""

    reader: ReaderSample | None = None
    shown: Callable[[bytes], Shown] | None = None
    """Reads a stream as a client does; for writers and filters."""
    filter: FilterSample | None = None


def cuts(stream: bytes) -> Iterator[list[bytes]]:
    """Cut a stream in every way in two, and into single bytes."""
    yield [stream]
    yield [bytes([byte]) for byte in stream]
    for at in range(len(stream) + 1):
        yield [stream[:at], b"", stream[at:]]


# -- readers -------------------------------------------------------------------------------------


def read(make: Callable[[], Reader], chunks: Iterable[bytes]) -> tuple[list[InputEvent], str]:
    """Return the events of a stream, and what was wrong with it."""
    reader = make()
    events: list[InputEvent] = []
    try:
        for chunk in chunks:
            events += reader.feed(chunk)  # in place, so those before an error are there
        events.extend(reader.finish())
    except ValueError as error:
        assert not reader.problem
        return events, f"{reader.line} {type(error).__name__}"
    return events, reader.problem


def check_reader(make: Callable[[], Reader], sample: ReaderSample) -> None:
    """A stream gives its events however it is cut; what is before an error is given."""
    for chunks in cuts(sample.stream):
        assert read(make, chunks) == (sample.events, "")
    for chunks in cuts(sample.broken):
        events, problem = read(make, chunks)
        assert problem
        ends = [event for event in events if isinstance(event, EndInput)]
        if ends:  # a format that knows an end says that it failed
            assert ends == [events.pop()] == [EndInput("failed")]
        assert events == sample.before


# -- writers -------------------------------------------------------------------------------------


def answers() -> Iterator[list[OutputEvent]]:
    """Yield the events of answers of every kind."""
    reasons: tuple[EndReason, ...] = ("complete", "length", "stopped", "failed", "timeout")
    part = PartInput("t", {"value": "a fact"}, "a", title="T", url="https://example.org/a")
    cited = ["A fact", MARKER, ". 🗼 two\n\nlines", f"{MARKER} end\ue200ci"]
    texts: tuple[list[str], ...] = ([], ["One."], cited, [MARKER])
    for reason in reasons:
        for deltas in texts:
            turn = Turn(parts=[part], include=["excerpt", "offsets", "source"])
            custom = CustomInput("n", {"a": ["\n\n", None]})
            inputs: list[InputEvent] = [*map(DeltaInput, deltas), EndInput(reason)]
            inputs.insert(len(deltas) // 2, custom)
            yield [made for event in inputs for made in turn.accept(event)]
    users = Turn()
    yield [*users.feed("\ue200cite\ue202user_text_01\ue201"), *users.finish()]


def pieces(writer: Writer, events: Iterable[OutputEvent]) -> list[bytes]:
    return [writer.encode(event, number) for number, event in enumerate(events, 1)]


def check_writer(
    make: Callable[[int], Writer], shown: Callable[[bytes], Shown], events: list[OutputEvent]
) -> None:
    """All laws of a writer, for one answer."""
    made = pieces(make(0), events)
    stream = b"".join(made)
    whole = shown(stream)
    assert whole.opened == whole.closed
    assert (whole.ends, whole.errors, whole.last) == (1, 0, "end")
    closing = events[-1]
    assert isinstance(closing, ArtifactEvent)
    assert "".join(whole.deltas) == closing.answer.text
    assert set(whole.snapshots) <= {closing.answer.text}
    _check_error(make, shown, events)
    _check_between(make, shown, made)
    _check_stored(make, events, made)
    _check_resume(make, events, stream)


def _check_error(
    make: Callable[[int], Writer], shown: Callable[[bytes], Shown], events: list[OutputEvent]
) -> None:
    """An error anywhere in the middle: what is opened is closed first, and it is the last."""
    for count in range(len(events)):
        made = pieces(make(0), [*events[:count], ERROR])
        broken = shown(b"".join(made))
        assert broken.opened == broken.closed
        assert (broken.ends, broken.errors, broken.last) == (0, 1, "error")
        assert broken.deltas == shown(b"".join(made[:-1])).deltas


def _check_between(
    make: Callable[[int], Writer], shown: Callable[[bytes], Shown], made: list[bytes]
) -> None:
    """A keepalive between any two events is a comment and changes nothing; so does a farewell."""
    writer = make(0)
    keepalive = writer.keepalive
    assert keepalive.startswith(b":")
    if writer.replays:  # a blank line ends an event without data, at which vendors' clients fail
        assert keepalive.count(b"\n") == 1
        assert keepalive.endswith(b"\n")
        assert not any(line.startswith((b"id:", b"retry:")) for line in b"".join(made).splitlines())
    filled = [piece for piece in made if piece]
    between = keepalive + keepalive.join(filled) + keepalive
    assert shown(between) == shown(b"".join(made))
    assert shown(filled[0] + writer.farewell) == shown(filled[0])


def _check_stored(
    make: Callable[[int], Writer], events: list[OutputEvent], made: list[bytes]
) -> None:
    """An event that was stored as JSON gives the bytes that it would have given live."""
    writer = make(0)
    for number, (event, piece) in enumerate(zip(events, made, strict=True), 1):
        data = json.dumps(event.as_json(), ensure_ascii=False, separators=(",", ":")).encode()
        assert writer.encode_stored(event.type, data, number) == piece


def _check_resume(make: Callable[[int], Writer], events: list[OutputEvent], stream: bytes) -> None:
    """A reader who has all up to a position gets the rest of the very same bytes."""
    writer = make(0)
    pieces(writer, events)
    rests = []
    for after in range(writer.position + 1):
        resumed = make(after)
        first = 1 if resumed.replays else after + 1
        rest = b"".join(
            resumed.encode(event, number)
            for number, event in enumerate(events, 1)
            if number >= first
        )
        assert stream.endswith(rest)
        assert resumed.position in (writer.position, 0)
        rests.append(len(rest))
    assert rests[0] == len(stream)
    assert rests[-1] == 0
    assert all(more > less for more, less in pairwise(rests))


# -- filters -------------------------------------------------------------------------------------


def filtered(make: MakeFilter, part: PartInput, *cut: bytes) -> bytes:
    made = make(lambda start: Turn(parts=[part], options=OPTIONS, include=start.include))
    return b"".join([*map(made.feed, cut), made.finish()])


def check_filter(
    make: MakeFilter,
    shown: Callable[[bytes], Shown],
    sample: FilterSample,
) -> None:
    """All laws of a filter that hold for every format."""
    clean = filtered(make, sample.part, sample.marked)
    for chunks in cuts(sample.marked):
        assert filtered(make, sample.part, *chunks) == clean
    for chunks in cuts(sample.unmarked):
        assert filtered(make, sample.part, *chunks) == sample.unmarked
    before, after = shown(sample.marked), shown(clean)
    assert after.deltas
    assert set(after.snapshots) <= {"".join(after.deltas)}
    assert not set("".join(after.deltas)) & set(MARKER[0] + MARKER[-1])
    assert after.opened - after.closed == before.opened - before.closed
    assert after[4:] == before[4:]  # nothing else is ended
    for at in range(len(sample.marked)):
        broken = shown(filtered(make, sample.part, sample.marked[:at]))
        source = shown(sample.marked[:at])
        assert (broken.ends, broken.errors) == (source.ends, source.errors)
        assert "".join(after.deltas).startswith("".join(broken.deltas))
