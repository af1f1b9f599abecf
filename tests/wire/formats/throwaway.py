"""A format that nobody speaks: it proves that the port carries one which is not ours.

Lines of a word and a JSON string. A position counts lines, of which an event may give several; a
text is opened and closed, and repeated whole at its end.
"""

import json
from collections.abc import Callable, Iterable, Iterator

from tests.wire.formats.contract import FilterSample, ReaderSample, Sample, Shown

from citestream import Turn
from citestream.turns import (
    ArtifactEvent,
    DeltaInput,
    EndInput,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    StartInput,
    TextDelta,
)
from citestream.wire.formats import Format, Reader, Writer
from citestream.wire.json_text import JsonInputError
from citestream.wire.ndjson import LineReader


def line(word: str, text: str = "") -> bytes:
    return f"{word} {json.dumps(text)}\n".encode()


def parsed(found: bytes) -> tuple[str, str]:
    word, _, text = found.decode().partition(" ")
    try:
        return word, json.loads(text)
    except ValueError:
        raise JsonInputError("not JSON") from None


class WordReader(Reader):
    def __init__(self) -> None:
        self._lines = LineReader()

    def feed(self, chunk: bytes) -> Iterator[InputEvent]:
        yield from self._events(self._lines.feed(chunk))

    def finish(self) -> Iterator[InputEvent]:
        yield from self._events(self._lines.finish())

    def _events(self, lines: Iterable[bytes]) -> Iterator[InputEvent]:
        for found in lines:
            word, text = parsed(found)
            if word == "text":
                yield DeltaInput(text)
            elif word == "end":
                yield EndInput()


class WordWriter(Writer):
    def __init__(self, after: int = 0) -> None:
        super().__init__(after)
        self._opened = False

    def encode(self, event: OutputEvent, number: int) -> bytes:
        del number
        return b"".join(self._numbered(self._lines(event)))

    def _numbered(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        for made in lines:
            self.position += 1
            if self.position > self.after:
                yield made

    def _lines(self, event: OutputEvent) -> Iterator[bytes]:
        if not self._opened and not isinstance(event, ErrorEvent):
            self._opened = True
            yield line("open")
        if isinstance(event, TextDelta):
            yield line("text", event.text)
        elif isinstance(event, ArtifactEvent):
            yield line("whole", event.answer.text)
            yield line("close")
            yield line("end")
        elif isinstance(event, ErrorEvent):
            if self._opened:
                yield line("close")
            yield line("error")


class WordFilter:
    def __init__(self, turn_of: Callable[[StartInput], Turn]) -> None:
        self.problem = ""
        self._lines = LineReader()
        self._rest = b""
        self._turn = turn_of(StartInput())

    def feed(self, chunk: bytes) -> bytes:
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        return b"".join(self._passed(found + b"\n") for found in whole)

    def finish(self) -> bytes:
        return self._rest

    def _passed(self, found: bytes) -> bytes:
        word, text = parsed(found)
        if word == "text":
            return self._text(self._turn.feed(text), found, text)
        if word == "whole":
            held = self._text(self._turn.finish(), b"", "")
            clean = self._turn.answer().text
            return held + (found if clean == text else line("whole", clean))
        return found

    def _text(self, events: list[OutputEvent], found: bytes, text: str) -> bytes:
        clean = "".join(event.text for event in events if isinstance(event, TextDelta))
        if clean == text:
            return found
        return line("text", clean) if clean else b""


THROWAWAY = Format("words", "text/x-words", WordReader, WordWriter, WordFilter)


def shown(stream: bytes) -> Shown:
    *lines, _ = stream.split(b"\n")  # what is behind the last line end was cut off
    found = [parsed(one) for one in lines if not one.startswith(b":")]
    words = [word for word, _ in found]
    last = words[-1] if words else ""
    return Shown(
        [text for word, text in found if word == "text"],
        [text for word, text in found if word == "whole"],
        *(words.count(word) for word in ("open", "close", "end", "error")),
        last if last in ("end", "error") else "other",
    )


MARKED = "A fact\ue200cite\ue202a\ue201. More \ue200ci"


def stream(text: str) -> bytes:
    deltas = b"".join(line("text", text[at : at + 5]) for at in range(0, len(text), 5))
    ends = line("whole", text) + line("close") + line("end")
    return line("open") + line("thought", "hm") + deltas + ends


SAMPLE = Sample(
    reader=ReaderSample(
        stream=line("open") + line("text", "é\ue200") + line("end"),
        events=[DeltaInput("é\ue200"), EndInput()],
        broken=line("text", "a") + b"text {\n" + line("end"),
        before=[DeltaInput("a")],
    ),
    shown=shown,
    filter=FilterSample(
        marked=stream(MARKED), unmarked=stream("Plain 🗼 text."), part=PartInput("t", 1, "a")
    ),
)
