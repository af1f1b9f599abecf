"""``citestream strip``: a raw answer on stdin, the clean text on stdout while it arrives.

Lives here: which bytes become which input events, and where text and citations go. What reads
input events is imported only where those are asked for, so that a pipe starts quickly.
"""

import argparse
import codecs
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from citestream import (
    ArtifactEvent,
    CitationEvent,
    DeltaInput,
    EndInput,
    Engine,
    InputEvent,
    OutputEvent,
    PartInput,
    StartInput,
    TextDelta,
    Turn,
)
from citestream.citations import read_fields
from citestream.cli.outcomes import FAILED, STDERR, STDIN, STDOUT, WRONG, Failure, write
from citestream.cli.parts_file import read_parts
from citestream.extras import MissingExtraError, require_service
from citestream.targets import Preset, shipped_preset
from citestream.wire.formats import FORMATS, NATIVE, Reader
from citestream.wire.formats.clean_text import VENDOR_OPTIONS
from citestream.wire.formats.native import NativeReader
from citestream.wire.input.errors import INPUT_ERRORS
from citestream.wire.json_text import JsonInputError, dumps, loads

READ_BYTES: Final = 64 * 1024


class _TextReader(Reader):
    """The raw text itself; bytes that are no UTF-8 become U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, chunk: bytes) -> Iterator[InputEvent]:
        yield DeltaInput(self._decoder.decode(chunk))

    def finish(self) -> Iterator[InputEvent]:
        yield DeltaInput(self._decoder.decode(b"", final=True))


SOURCES: Final[Mapping[str, Callable[[], Reader]]] = {
    "text": _TextReader,
    **{name: one.reader for name, one in FORMATS.items() if one.reader and one is not NATIVE},
    "ndjson": NativeReader,
}
"""What stdin may be: the raw text, and each format that can be read."""

TARGETS: Final = ("text", *(name for name, one in FORMATS.items() if one.filter))
"""What stdout may be: the clean text, and each format that may be passed on clean."""


class _Output:
    """Text to stdout at once; citations to stderr or a file at once, or behind the text."""

    def __init__(self, citations: str | None) -> None:
        self._behind: list[bytes] | None = [] if citations == "-" else None
        self._descriptor = STDERR
        if citations not in (None, "-"):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            self._descriptor = os.open(str(citations), flags, 0o666)
        self._last = ""

    def text(self, text: str) -> None:
        if text:
            write(STDOUT, text.encode())
            self._last = text[-1]

    def line(self, value: Mapping[str, Any]) -> None:
        line = dumps(value) + b"\n"
        if self._behind is None:
            write(self._descriptor, line)
        else:
            self._behind.append(line)

    def finish(self) -> None:
        """Write what belongs behind the text."""
        if self._behind:
            head = b"" if self._last in ("", "\n") else b"\n"
            write(STDOUT, head + b"".join(self._behind))


def strip_stdin(args: argparse.Namespace) -> None:
    """Strip stdin as ``args`` says; raise :class:`Failure` for what cannot be read."""
    if args.target != "text":
        _pass_on(args)
        return
    source = SOURCES[args.source]()
    checked = args.parts is not None or args.source == "ndjson"
    if args.include and not checked:
        raise Failure(WRONG, "--include: needs --parts, for nothing is checked without")
    if args.source == "ndjson":
        require_service()  # its lines are read by the models of the service
    parts = read_parts(args.parts, _preset()) if args.parts is not None else []
    output = _Output(args.citations)
    try:
        if checked:
            _tell_resolved(args, parts, source, output)
        else:
            _tell_named(args, source, output)
    finally:
        output.finish()
    if source.problem:
        raise Failure(FAILED, source.problem)


def _pass_on(args: argparse.Namespace) -> None:
    """Write the stream on stdin to stdout, clean; raise :class:`Failure` when it was none."""
    if args.target != args.source:
        raise Failure(WRONG, f"--to: {args.target} needs --from {args.target}")
    if args.citations is not None:
        raise Failure(WRONG, "--citations: they are in the stream, in the vendor's own places")
    parts = read_parts(args.parts, _preset()) if args.parts is not None else []
    asked = _start(args, StartInput(VENDOR_OPTIONS))

    def turn(start: StartInput) -> Turn:
        return Turn(options=asked.options, include=start.include, parts=parts)

    make = FORMATS[args.target].filter
    if make is None:
        raise Failure(WRONG, f"--to: {args.target} cannot be passed on")
    one = make(turn)
    for chunk in iter(lambda: os.read(STDIN, READ_BYTES), b""):
        write(STDOUT, one.feed(chunk))
    write(STDOUT, one.finish())
    if one.problem:
        raise Failure(FAILED, one.problem)


def _events(source: Reader) -> Iterator[InputEvent]:
    """Yield the input events of stdin as they arrive, an ``end`` event last.

    What follows the end is read and left: its writer should not find a closed pipe.
    """
    chunks = iter(lambda: os.read(STDIN, READ_BYTES), b"")
    for event in _read_by(source, chunks):
        yield event
        if isinstance(event, EndInput):
            break
    else:
        yield EndInput()
    for _ in chunks:
        pass


def _read_by(source: Reader, chunks: Iterator[bytes]) -> Iterator[InputEvent]:
    for chunk in chunks:
        yield from source.feed(chunk)
    yield from source.finish()


def _tell_named(args: argparse.Namespace, source: Reader, output: _Output) -> None:
    """Write the clean text, and each source that a marker names."""
    engine = Engine(_start(args, StartInput()).options)
    for event in _events(source):
        if isinstance(event, DeltaInput):
            output.text(engine.feed(event.text))
        elif isinstance(event, EndInput):
            output.text(engine.finish())
        for entry in engine.take():
            named = read_fields(entry.source_id, entry.locator, entry.undecided, lambda _: False)
            for source_id, locator in named or ():
                output.line({"data_part_id": source_id, "offset": entry.offset, "locator": locator})


def _tell_resolved(
    args: argparse.Namespace, parts: list[PartInput], source: Reader, output: _Output
) -> None:
    """Write the clean text, each citation, and at the end what was dropped and why."""
    turn = Turn(preset=_preset())
    try:
        for event in _begun(args, parts, _events(source)):
            for told in turn.accept(event):
                _tell(told, output)
    except INPUT_ERRORS as error:
        place = "" if source.line is None else f"line {source.line}: "
        raise Failure(FAILED, f"{place}{error}") from None


def _tell(event: OutputEvent, output: _Output) -> None:
    if isinstance(event, TextDelta):
        output.text(event.text)
    elif isinstance(event, CitationEvent):
        output.line(event.citation.as_json())
    elif isinstance(event, ArtifactEvent):
        for dropped in event.answer.dropped:
            output.line(dropped.as_json())
        if event.answer.diagnostics:
            output.line({"diagnostics": event.answer.diagnostics.as_json()})


def _begun(
    args: argparse.Namespace, parts: list[PartInput], events: Iterator[InputEvent]
) -> Iterator[InputEvent]:
    """Put the start and the parts before ``events``, which may bring a start of their own."""
    first = next(events)
    if isinstance(first, StartInput):
        yield _start(args, first)
        yield from parts
    else:
        yield _start(args, StartInput())
        yield from parts
        yield first
    yield from events


def _start(args: argparse.Namespace, start: StartInput) -> StartInput:
    """Return how the text is treated: as ``start`` says, where no flag says otherwise."""
    options = start.options
    if args.invalid_markers:
        options = replace(options, invalid_markers=args.invalid_markers)
    if args.whitespace:
        options = replace(options, whitespace=args.whitespace)
    if args.dialect:
        try:
            dialects = [_dialect(one) for one in args.dialect]
            options = replace(options, dialect=dialects if dialects[1:] else dialects[0])
        except ValueError as error:
            raise Failure(WRONG, f"--{error}") from None
    if args.numbers:
        options = replace(options, numbers=args.numbers)
    if args.bare_residue:
        options = replace(options, bare_residue=True)
    return StartInput(options, start.include | set(args.include))


def _dialect(argument: str) -> Any:
    """Return the name of a dialect, or the template that a JSON object describes."""
    if not argument.startswith("{"):
        return argument
    try:
        return loads(argument.encode(), depth_limit=1)
    except JsonInputError as error:
        raise ValueError(f"dialect: {error}") from None


def _preset() -> Preset:
    """Return the product's preset; the library alone has no settings, so it has the shipped one."""
    try:
        require_service()
    except MissingExtraError:
        return shipped_preset()
    from citestream.cli.configured import preset_of, settings_of

    return preset_of(settings_of())
