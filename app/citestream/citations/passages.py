"""A raw answer cut into passages: text, markers, candidates that failed, and one that is open.

Lives here: the scanner that keeps a record of what it has decided, for people who ask why a marker
was or was not one. It must not know turns.
"""

from typing import Literal, NamedTuple

from citestream.citations.dialects import Known, Marker, Named, Recogniser
from citestream.citations.dialects.guide import MAX_MARKER
from citestream.citations.options import EngineOptions
from citestream.citations.scanner import Scanner
from citestream.parts.text import replace_surrogates


class Passage(NamedTuple):
    """A stretch of the raw answer."""

    kind: Literal["text", "marker", "failed", "open"]
    raw: str
    named: Named = ()
    """Of a marker: its sources in text order."""
    numbered: bool = False
    """Whether an id may also be the number of a source."""
    why: str | None = None
    """Of a failed candidate: what it broke off at."""


class PassageReader(Scanner):
    """Reads an answer as every engine does, and tells what each stretch of it was."""

    __slots__ = ("_decided", "_raw", "_taken")

    def __init__(self, options: EngineOptions, known: Known) -> None:
        super().__init__(options, options.dialects(), known)
        self._raw: list[str] = []
        # Markers and failed candidates, by where they begin and end in the raw answer.
        self._decided: list[tuple[int, int, Passage]] = []
        self._taken = (0, 0)

    def feed(self, delta: str) -> str:
        """Take the next piece of the raw answer; return the clean text it made visible."""
        self._raw.append(delta)
        return super().feed(delta)

    def passages(self, *, ended: bool) -> list[Passage]:
        """Return the raw answer in passages: joined, their ``raw`` is what was fed.

        ``ended`` says whether nothing follows; the reader is done then.
        """
        if ended:
            self.finish()
        raw = replace_surrogates("".join(self._raw))
        found: list[Passage] = []
        end = 0
        for start, stop, passage in self._decided:
            found += [Passage("text", raw[end:start])] if end < start else []
            found.append(passage._replace(raw=raw[start:stop]))
            end = stop
        held = len(raw) - len(self._held) - len(self._half) if self._held else len(raw)
        found += [Passage("text", raw[end:held])] if end < held else []
        found += [Passage("open", raw[held:])] if held < len(raw) else []
        return found

    # The longer way, on which all is recorded.

    def _go_on(self, delta: str) -> str:
        return self._read(delta)

    def _open(self, delta: str) -> str:
        return self._read(delta)

    def _advance(self, text: str, place: int, *, ended: bool) -> tuple[Recogniser, int] | None:
        taken = super()._advance(text, place, ended=ended)
        if taken:
            self._taken = (self._place + place, self._place + place + taken[1])
        return taken

    def _apply(self, marker: Marker, rest: str) -> str:
        self._decide(*self._taken, Passage("marker", "", marker.named, marker.numbered))
        return super()._apply(marker, rest)

    def _count_failure(self, text: str, place: int, shown: list[str]) -> int:
        removed = super()._count_failure(text, place, shown)
        opened = self._by_start[text[place]]
        end = max(recogniser.reached(text, place, MAX_MARKER) for recogniser in opened)
        following = text[end : end + 1]
        why = f"U+{ord(following):04X}" if following else "the end of the text"
        self._decide(self._place + place, self._place + end, Passage("failed", "", why=why))
        return removed

    def _decide(self, start: int, end: int, passage: Passage) -> None:
        if self._decided and self._decided[-1][1] > start:  # inside of a candidate that failed
            before, _, failed = self._decided[-1]
            self._decided[-1] = (before, start, failed)
        self._decided.append((start, end, passage))
