"""The engine: deltas of a raw answer in, clean text and settled entries out.

Lives here: the only state between two deltas. What a marker looks like is the dialect's; whether an
entry's part exists is the turn's. No I/O, no clock, no environment; whole text = feed + finish.

What is held back, and nothing else: an open candidate; a high surrogate at the end of a delta;
under ``whitespace="tidy"`` the blanks at the end of the text (not an indent).
"""

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from citestream.citations.dialects import DIALECTS, GUIDE, Dialect, Recogniser
from citestream.citations.snapping import CLOSES_UP, inside_word, punctuation_run
from citestream.parts.text import REPLACEMENT, whole_characters

InvalidMarkers = Literal["keep", "drop"]
Whitespace = Literal["keep", "tidy"]

MAX_FAILURES_LISTED: Final = 100
"""Failed candidates are all counted; the places of this many are told."""


Named = tuple[tuple[str, str], ...]
"""What one marker names: source ids and locators, in text order."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Entry(NamedTuple):
    """One source that a marker names, where it landed in the clean text."""

    source_id: str
    offset: int
    """Code points of the clean text before it, snapped past closing punctuation."""
    locator: str


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the text is treated; fixed for the whole of one answer.

    ``invalid_markers``: "keep" shows a broken marker as the literal text it is, "drop" removes its
    signs and ids. ``whitespace``: "keep" removes nothing but markers, "tidy" also the blanks that a
    removed marker leaves dangling. ``dialect``: a name from the table of dialects.
    """

    invalid_markers: InvalidMarkers = "keep"
    whitespace: Whitespace = "keep"
    dialect: str = GUIDE.name


class Engine:
    """A transducer over one raw answer.

    ``feed`` returns the clean text that a delta made visible, ``take`` the entries whose offsets
    have settled since the last call, in text order. How the answer is cut into deltas changes
    neither the text, nor the entries, nor their offsets.
    """

    __slots__ = (
        "_blanks",
        "_candidate",
        "_counted",
        "_dialect",
        "_drop",
        "_floating",
        "_fresh",
        "_gap",
        "_half",
        "_head",
        "_head_rest",
        "_idle",
        "_last",
        "_length",
        "_line_is_blank",
        "_literal",
        "_open",
        "_out",
        "_recogniser",
        "_settled",
        "_start",
        "_stray",
        "_tidy",
        "_waiting",
        "failures",
        "invalid_markers",
    )

    def __init__(self, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        self._dialect: Dialect = DIALECTS[options.dialect]
        self._drop = options.invalid_markers == "drop"
        self._tidy = options.whitespace == "tidy"
        self._stray = re.compile(f"[{re.escape(self._dialect.stray_signs)}]")
        self.invalid_markers = 0
        """Candidates that failed so far."""
        self.failures: list[int] = []
        """Offsets in the clean text where the first 100 of them stood."""
        self._literal = not (self._drop or self._tidy)
        # True when nothing waits, so that plain text may pass untouched.
        self._idle = not self._tidy
        self._half = ""
        self._head = self._dialect.head
        self._start = self._head[0]
        self._recogniser: Recogniser = self._dialect.recogniser()
        self._recogniser.room = 0
        self._open = False
        self._head_rest = ""  # what is still to come of the open candidate's head
        self._candidate: list[str] = []
        # Clean text: the pieces that are counted, those not counted yet, those of this very delta
        # (counted); then the count, and the last character counted.
        self._counted: list[str] = []
        self._fresh: list[str] = []
        self._out: list[str] = []
        self._length = 0
        self._last = ""
        self._settled: list[tuple[Named, int]] = []
        # Markers that have not met the end of their punctuation: what they name, their offset, the
        # character before.
        self._waiting: list[tuple[Named, int, str]] = []
        # Tidy alone: blanks held back, whether something was removed behind them, the markers
        # there.
        self._blanks: list[str] = []
        self._gap = False
        self._floating: list[Named] = []
        self._line_is_blank = True

    def feed(self, delta: str) -> str:
        """Take the next piece of the raw answer; return the clean text it made visible."""
        if self._idle:
            # Printable text holds no surrogate and no private-use character, hence no sign.
            if delta.isascii() or delta.isprintable():
                self._fresh.append(delta)
                return delta
        elif (
            len(delta) <= self._recogniser.room
            and (delta.isalnum() or delta.isidentifier())
            and not self._half
        ):
            # Inside a candidate, where so many word characters are sure to continue it.
            self._recogniser.room -= len(delta)
            self._candidate.append(delta)
            return ""
        return self._advance(delta)

    def finish(self) -> str:
        """End the answer; return the clean text that was still held back.

        An open candidate has failed. The engine is done: feeding it further is a mistake of the
        caller that nothing here guards against.
        """
        self._count()
        if self._half:
            self._half = ""
            self._scan(REPLACEMENT)
        if self._open:
            self._fail("")
        self._settle_blanks(closes_up=True)
        self._settle(self._length, "", "")
        return self._visible()

    def take(self) -> list[Entry]:
        """Return the entries that have settled since the last call, in text order."""
        if not self._settled:
            return []
        entries = [
            Entry(source, offset, locator)
            for named, offset in self._settled
            for source, locator in named
        ]
        self._settled.clear()
        return entries

    @property
    def length(self) -> int:
        """Code points of clean text made visible so far."""
        self._count()
        return self._length

    @property
    def text(self) -> str:
        """The clean text made visible so far (by this engine: a restored one begins empty)."""
        self._count()
        if len(self._counted) > 1:
            self._counted = ["".join(self._counted)]
        return self._counted[0] if self._counted else ""

    @property
    def held(self) -> int:
        """Code points held back at the moment."""
        return sum(map(len, self._candidate)) + sum(map(len, self._blanks)) + len(self._half)

    # -- the scan -----------------------------------------------------------------------------

    def _advance(self, delta: str) -> str:
        if self._head_rest.startswith(delta) and not self._half:
            self._candidate.append(delta)
            self._head_rest = self._head_rest[len(delta) :]
            if self._open and not self._head_rest:
                self._recogniser.begin()
            return ""
        if self._fresh:
            self._count()
        if self._half or not (delta.isascii() or _SURROGATE.search(delta) is None):
            delta = self._whole(delta)
        if self._start in delta:
            first, *others = delta.split(self._start)
            if first:
                self._scan(first)
            for piece in others:
                if self._open:
                    self._fail(self._start)
                self._open = True
                self._candidate.append(self._start)
                self._head_rest = self._head[1:]
                if piece:
                    self._scan(piece)
        elif delta:
            self._scan(delta)
        self._idle = not (self._open or self._tidy or self._waiting or self._half)
        return self._visible() if self._out else ""

    def _whole(self, delta: str) -> str:
        """Join surrogate halves over the cut; keep a high one at the end for the next delta."""
        if delta:
            delta = self._half + delta
            self._half = ""
            if "\ud800" <= delta[-1] <= "\udbff":
                self._half = delta[-1]
                delta = delta[:-1]
        return whole_characters(delta)

    def _scan(self, text: str) -> None:
        """Take text (never empty) without a start sign."""
        if self._open:
            position = 0
            if self._head_rest:
                position = self._push_head(text)
            if not self._head_rest and position < len(text):
                position = self._recogniser.push(text, position)
            self._candidate.append(text[:position])
            if self._recogniser.complete:
                self._mark()
            elif position < len(text):
                self._fail(text[position])
            if position == len(text):
                return
            text = text[position:]
        if self._literal:
            self._show(text)
        else:
            self._text(text)

    def _push_head(self, text: str) -> int:
        """Take what has come of a candidate's head; return the index behind it."""
        rest = self._head_rest
        if rest.startswith(text):
            come = len(text)
        elif text.startswith(rest):
            come = len(rest)
        else:
            come = 0
            while text[come] == rest[come]:
                come += 1
        self._head_rest = rest[come:]
        if come == len(rest):
            self._recogniser.begin()
        return come

    def _close(self) -> str:
        """Close the candidate; return its characters."""
        candidate = "".join(self._candidate)
        self._candidate.clear()
        self._open = False
        self._head_rest = ""
        self._recogniser.room = 0
        self._recogniser.complete = False
        return candidate

    def _mark(self) -> None:
        named = self._dialect.entries(self._close())
        if self._tidy:
            self._gap = True
            if self._blanks:
                self._floating.append(named)
                return
        self._waiting.append((named, self._length, self._last))

    def _fail(self, following: str) -> None:
        candidate = self._close()
        self.invalid_markers += 1
        if not self._drop:
            self._settle_blanks(closes_up=False)
        if len(self.failures) < MAX_FAILURES_LISTED:
            self.failures.append(self._length)
        if self._drop:
            self._gap = self._tidy
            candidate = self._dialect.residue(candidate, following)
        if candidate:
            self._text(candidate)

    def _text(self, text: str) -> None:
        """Pass on text that is no marker; under "drop", without its stray signs."""
        if self._drop and self._stray.search(text):
            first, *others = self._stray.split(text)
            if first:
                self._plain(first)
            for piece in others:
                self._gap = self._tidy
                if piece:
                    self._plain(piece)
        else:
            self._plain(text)

    # -- blanks (tidy) ------------------------------------------------------------------------

    def _plain(self, text: str) -> None:
        if not self._tidy:
            self._show(text)
            return
        if self._gap:
            self._settle_blanks(closes_up=CLOSES_UP.match(text) is not None)
        body = text.rstrip(" \t")
        if body:
            self._settle_blanks(closes_up=False)
            self._show(body)
            self._line_is_blank = body[-1] in "\r\n"
        if len(body) < len(text):
            tail = text[len(body) :]
            if self._line_is_blank:
                self._show(tail)
            else:
                self._blanks.append(tail)

    def _settle_blanks(self, *, closes_up: bool) -> None:
        """Decide on the blanks held back: they go before a gap that closes up, else they show."""
        if self._blanks:
            blanks = "".join(self._blanks)
            self._blanks.clear()
            if not (self._gap and closes_up):
                self._show(blanks)
        for named in self._floating:
            self._waiting.append((named, self._length, self._last))
        self._floating.clear()
        self._gap = False

    # -- offsets ------------------------------------------------------------------------------

    def _show(self, text: str) -> None:
        """Make clean text (never empty) visible, and settle what it lets settle."""
        if self._waiting:
            run = punctuation_run(text)
            if run < len(text):
                last = text[run - 1] if run else self._last
                self._settle(self._length + run, last, text[run])
        self._length += len(text)
        self._last = text[-1]
        self._out.append(text)

    def _settle(self, end: int, last: str, behind: str) -> None:
        """Settle every waiting marker: the punctuation behind it ends at offset ``end``.

        ``last`` is the character before that offset, ``behind`` the one there ("" at the end).
        """
        for named, offset, before in self._waiting:
            at = end
            if end - offset == 1 and inside_word(before, last, behind):
                at = offset
            self._settled.append((named, at))
        self._waiting.clear()

    # -- text ---------------------------------------------------------------------------------

    def _count(self) -> None:
        text = "".join(self._fresh)
        self._fresh.clear()
        if text:
            self._counted.append(text)
            self._length += len(text)
            self._last = text[-1]

    def _visible(self) -> str:
        out = self._out
        text = out[0] if len(out) == 1 else "".join(out)
        out.clear()
        self._counted.append(text)
        return text

    # -- snapshots ----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the state as a JSON value; with entries not yet taken, without text shown."""
        self._count()
        return {
            "length": self._length,
            "last": self._last,
            "invalid_markers": self.invalid_markers,
            "failures": list(self.failures),
            # Escaped by code point: half a character is no JSON text.
            "half": ord(self._half) if self._half else None,
            "candidate": "".join(self._candidate),
            "settled": [[_listed(named), offset] for named, offset in self._settled],
            "waiting": [
                [_listed(named), offset, before] for named, offset, before in self._waiting
            ],
            "blanks": "".join(self._blanks),
            "gap": self._gap,
            "floating": [_listed(named) for named in self._floating],
            "line_is_blank": self._line_is_blank,
        }

    @classmethod
    def restore(cls, options: EngineOptions, state: dict[str, Any], text: str = "") -> "Engine":
        """Return an engine that goes on where :meth:`snapshot` was taken, under equal options.

        ``text`` is what had been shown by then; who does not ask for :attr:`text` may leave it out.
        """
        engine = cls(options)
        engine._counted = [text]
        engine._length = state["length"]
        engine._last = state["last"]
        engine.invalid_markers = state["invalid_markers"]
        engine.failures = list(state["failures"])
        engine._half = "" if state["half"] is None else chr(state["half"])
        if state["candidate"]:
            engine._open = True
            engine._candidate = [state["candidate"]]
            engine._head_rest = engine._head
            reached = engine._push_head(state["candidate"])
            if not engine._head_rest:
                engine._recogniser.push(state["candidate"], reached)
        engine._settled = [(_named(named), offset) for named, offset in state["settled"]]
        engine._waiting = [
            (_named(named), offset, before) for named, offset, before in state["waiting"]
        ]
        engine._blanks = [state["blanks"]] if state["blanks"] else []
        engine._gap = state["gap"]
        engine._floating = [_named(named) for named in state["floating"]]
        engine._line_is_blank = state["line_is_blank"]
        engine._idle = not (engine._open or engine._tidy or engine._waiting or engine._half)
        return engine


def _listed(named: Named) -> list[list[str]]:
    return [list(pair) for pair in named]


def _named(listed: list[list[str]]) -> Named:
    return tuple((source, locator) for source, locator in listed)
