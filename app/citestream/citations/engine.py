"""The engine: deltas of a raw answer in, clean text and settled entries out.

Lives here: the only state between two deltas. What a marker looks like is the dialect's; whether an
entry's part exists is the turn's. No I/O, no clock, no environment; whole text = feed + finish.

What is held back, and nothing else: an open candidate; a high surrogate at the end of a delta;
under ``whitespace="tidy"`` the blanks at the end of the text (not an indent).
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from citestream.citations.dialects import DIALECTS, GUIDE, Dialect, Recogniser
from citestream.citations.snapping import CLOSES_UP, SNAPPED_PAST, inside_word, punctuation_run
from citestream.parts.text import REPLACEMENT, replace_surrogates

InvalidMarkers = Literal["keep", "drop"]
Whitespace = Literal["keep", "tidy"]

MAX_FAILURES_LISTED: Final = 100
"""Failed candidates are all counted; the places of this many are told."""


Named = tuple[tuple[str, str, tuple[str, ...]], ...]
"""What one marker names: source ids, locators and undecided fields, in text order."""


class Entry(NamedTuple):
    """One source that a marker names, where it landed in the clean text."""

    source_id: str
    offset: int
    """Code points of the clean text before it, snapped past closing punctuation."""
    locator: str
    undecided: tuple[str, ...] = ()
    """Later fields of the marker, from the first on that may be a source or a locator."""


_MAY_SNAP: Final = SNAPPED_PAST | frozenset(map(chr, range(0xD800, 0xDC00)))
"""What may be snapped past; of a high half that is not known yet."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the text is treated; fixed for the whole of one answer.

    ``invalid_markers``: "keep" shows a broken marker as the literal text it is, "drop" removes its
    signs and ids. ``whitespace``: "keep" removes nothing but markers, "tidy" also the blanks that a
    removed marker leaves dangling. ``dialect``: a name from the table of dialects. Raises
    ``ValueError`` for any other value.
    """

    invalid_markers: InvalidMarkers = "keep"
    whitespace: Whitespace = "keep"
    dialect: str = GUIDE.name

    def __post_init__(self) -> None:
        for name, value, known in (
            ("invalid_markers", self.invalid_markers, ("keep", "drop")),
            ("whitespace", self.whitespace, ("keep", "tidy")),
            ("dialect", self.dialect, tuple(DIALECTS)),
        ):
            if value not in known:
                raise ValueError(f"{name}: must be one of {', '.join(known)}")

    def as_json(self) -> dict[str, str]:
        """Return the options as a JSON object."""
        return {
            "invalid_markers": self.invalid_markers,
            "whitespace": self.whitespace,
            "dialect": self.dialect,
        }


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
        "_end",
        "_entries",
        "_floating",
        "_fresh",
        "_gap",
        "_half",
        "_head",
        "_heads",
        "_idle",
        "_in_head",
        "_last",
        "_length",
        "_line_is_blank",
        "_literal",
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
        self._entries = self._dialect.entries
        self._drop = options.invalid_markers == "drop"
        self._tidy = options.whitespace == "tidy"
        self._literal = not (self._drop or self._tidy)
        self._stray = re.compile(f"[{re.escape(self._dialect.stray_signs)}]")
        self._head = self._dialect.head
        self._heads = _beginnings(self._head)
        self._start = self._head[0]
        self._end = self._dialect.end
        self.invalid_markers = 0
        """Candidates that failed so far."""
        self.failures: list[int] = []
        """Offsets in the clean text where the first 100 of them stood."""
        # True when nothing waits, so that plain text may pass untouched.
        self._idle = not self._tidy
        self._half = ""
        # What has come of the open candidate; one string, as a dialect bounds its length.
        self._candidate = ""
        self._in_head = False
        self._recogniser: Recogniser = self._dialect.recogniser()
        # Clean text: the pieces that are counted, those not counted yet; then the count, and the
        # last character counted.
        self._counted: list[str] = []
        self._fresh: list[str] = []
        self._length = 0
        self._last = ""
        self._settled: list[tuple[str, int, str, tuple[str, ...]]] = []  # the fields of entries
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
            and (delta.isidentifier() or delta.isalnum())
            and not self._half
        ):
            # Inside a candidate, where so many word characters are sure to continue it.
            self._recogniser.room -= len(delta)
            self._candidate += delta
            return ""
        if self._in_head and not self._half:
            candidate = self._candidate + delta
            if candidate in self._heads:
                self._candidate = candidate
                return ""
            if candidate.startswith(self._head):
                self._candidate = self._head
                self._in_head = False
                self._recogniser.begin()
                rest = candidate[len(self._head) :]
                return self.feed(rest) if rest else ""
        if self._start in delta:
            return self._open(delta)
        if self._candidate and not self._in_head:
            return self._read_body(delta)
        return self._take_run(delta)

    def finish(self) -> str:
        """End the answer; return the clean text that was still held back.

        An open candidate has failed. The engine is done: feeding it further is a mistake of the
        caller that nothing here guards against.
        """
        shown = self._interrupt("")
        shown += self._settle_blanks(closes_up=True)
        self._count()
        self._settle(self._length, "", "")
        return shown

    def take(self) -> list[Entry]:
        """Return the entries that have settled since the last call, in text order."""
        if not self._settled:
            return []
        entries = list(map(Entry._make, self._settled))
        self._settled.clear()
        return entries

    @property
    def length(self) -> int:
        """Code points of clean text made visible so far."""
        self._count()
        return self._length

    @property
    def text(self) -> str:
        """The clean text made visible so far."""
        self._count()
        if len(self._counted) > 1:
            self._counted = ["".join(self._counted)]
        return self._counted[0] if self._counted else ""

    @property
    def held(self) -> int:
        """Code points held back at the moment."""
        return len(self._candidate) + sum(map(len, self._blanks)) + len(self._half)

    # -- the scan ------------------------------------------------------------------------------
    # Cuts change nothing, so a delta is cut at the signs that matter and its pieces are fed one by
    # one: most of them then take one of the short ways at the head of ``feed``.

    def _open(self, delta: str) -> str:
        """Take a delta with a start sign, which opens a candidate whatever it stands in."""
        before, start, behind = delta.partition(self._start)
        if start in behind:  # never piece by piece from the left: that would be quadratic
            before, *pieces = delta.split(start)
            return self.feed(before) + "".join([self.feed(start + piece) for piece in pieces])
        shown = self.feed(before) if before else ""
        if self._candidate or self._half:
            shown += self._interrupt(start)
        self._idle = False
        self._in_head = True
        self._candidate = start + behind
        if self._candidate in self._heads:  # as ``feed`` would find, by a longer way
            return shown
        self._candidate = start
        return shown + self.feed(behind)

    def _read_body(self, delta: str) -> str:
        """Take a delta for a candidate whose head is whole."""
        body, end, rest = delta.partition(self._end)
        if not end:
            return self._take_run(delta)
        shown = self.feed(body) if body else ""
        if self._half:
            shown += self._replace_half()
        if not self._candidate:
            return shown + self.feed(end + rest)
        named = self._entries(self._candidate)
        if not named:
            return self._fail(end) + self.feed(end + rest)
        self._candidate = ""
        self._recogniser.room = 0
        self._count()
        if self._literal and not self._waiting and rest and rest[0] not in _MAY_SNAP:
            # Nothing can move the offset any more.
            for source, locator, undecided in named:
                self._settled.append((source, self._length, locator, undecided))
            self._idle = True
            return self.feed(rest)
        self._gap = self._tidy
        if self._blanks:
            self._floating.append(named)
        else:
            self._waiting.append((named, self._length, self._last))
        return self.feed(rest) if rest else ""

    def _take_run(self, delta: str) -> str:
        """Take a delta that goes on with what is open, text or candidate, until it fails."""
        if self._half:
            delta = self._half + delta
            self._half = ""
        try:
            delta.encode()  # finds halves in a third of the time that a search takes
        except UnicodeEncodeError:
            return self._mend(delta)
        if not self._candidate:
            shown = self._text(delta) if delta else ""
            self._update_idle()
            return shown
        reached = 0
        if self._in_head:
            while self._candidate + delta[: reached + 1] in self._heads:
                reached += 1
        else:
            reached = self._recogniser.push(delta)
        self._candidate += delta[:reached]
        if reached == len(delta):
            return ""
        return self._fail(delta[reached]) + self.feed(delta[reached:])

    def _mend(self, delta: str) -> str:
        """Take a delta with surrogate halves; a high one at the end waits for the next delta."""
        half = delta[-1] if "\ud800" <= delta[-1] <= "\udbff" else ""
        shown = self.feed(replace_surrogates(delta[: len(delta) - len(half)]))
        if half:
            self._half = half
            self._idle = False
        return shown

    def _replace_half(self) -> str:
        self._half = ""
        return self._take_run(REPLACEMENT)

    def _interrupt(self, following: str) -> str:
        """End what is open: a start sign follows, or ("") the text is over."""
        shown = self._replace_half() if self._half else ""
        return shown + self._fail(following) if self._candidate else shown

    def _update_idle(self) -> None:
        self._idle = not (self._candidate or self._tidy or self._waiting or self._half)

    def _fail(self, following: str) -> str:
        candidate = self._candidate
        self._candidate = ""
        self._in_head = False
        self._recogniser.room = 0
        self.invalid_markers += 1
        shown = "" if self._drop else self._settle_blanks(closes_up=False)
        if len(self.failures) < MAX_FAILURES_LISTED:
            self.failures.append(self.length)
        if self._drop:
            self._gap = self._tidy
            candidate = self._dialect.residue(candidate, following)
        if candidate:
            shown += self._text(candidate)
        self._update_idle()
        return shown

    def _text(self, text: str) -> str:
        """Pass on text that is no marker; under "drop", without its stray signs."""
        if not self._drop:
            return self._plain(text)
        first, *others = self._stray.split(text)
        shown = [self._plain(first)] if first else []
        for piece in others:
            self._gap = self._tidy
            if piece:
                shown.append(self._plain(piece))
        return "".join(shown)

    # -- blanks (tidy) ------------------------------------------------------------------------

    def _plain(self, text: str) -> str:
        if not self._tidy:
            return self._show(text)
        shown = self._settle_blanks(closes_up=text[0] in CLOSES_UP) if self._gap else ""
        body = text.rstrip(" \t")
        if body:
            shown += self._settle_blanks(closes_up=False) + self._show(body)
            self._line_is_blank = body[-1] in "\r\n"
        tail = text[len(body) :]
        if tail and self._line_is_blank:
            shown += self._show(tail)
        elif tail:
            self._blanks.append(tail)
        return shown

    def _settle_blanks(self, *, closes_up: bool) -> str:
        """Decide on the blanks held back: they go before a gap that closes up, else they show."""
        blanks = "".join(self._blanks)
        self._blanks.clear()
        shown = self._show(blanks) if blanks and not (self._gap and closes_up) else ""
        self._gap = False
        if self._floating:
            self._count()
            self._waiting += [(named, self._length, self._last) for named in self._floating]
            self._floating.clear()
        return shown

    # -- offsets ------------------------------------------------------------------------------

    def _show(self, text: str) -> str:
        """Make clean text (never empty) visible, and settle what it lets settle."""
        if self._waiting:
            run = punctuation_run(text) if text[0] in SNAPPED_PAST else 0
            if run < len(text):
                if self._fresh:
                    self._count()
                last = text[run - 1] if run else self._last
                self._settle(self._length + run, last, text[run])
        self._fresh.append(text)
        return text

    def _settle(self, end: int, last: str, behind: str) -> None:
        """Settle every waiting marker: the punctuation behind it ends at offset ``end``.

        ``last`` is the character before that offset, ``behind`` the one there ("" at the end).
        """
        for named, offset, before in self._waiting:
            at = end
            if end - offset == 1 and inside_word(before, last, behind):
                at = offset
            for source, locator, undecided in named:
                self._settled.append((source, at, locator, undecided))
        self._waiting.clear()

    # -- text ---------------------------------------------------------------------------------

    def _count(self) -> None:
        text = "".join(self._fresh)
        self._fresh.clear()
        if text:
            self._counted.append(text)
            self._length += len(text)
            self._last = text[-1]

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
            "candidate": self._candidate,
            "settled": [[*fields, list(undecided)] for *fields, undecided in self._settled],
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
        engine.feed(state["candidate"])  # as open as it was, and the recogniser as far
        engine._counted = [text]
        engine._length = state["length"]
        engine._last = state["last"]
        engine.invalid_markers = state["invalid_markers"]
        engine.failures = list(state["failures"])
        engine._half = "" if state["half"] is None else chr(state["half"])
        engine._settled = [
            (source, at, locator, tuple(undecided))
            for source, at, locator, undecided in state["settled"]
        ]
        engine._waiting = [
            (_named(named), offset, before) for named, offset, before in state["waiting"]
        ]
        engine._blanks = [state["blanks"]] if state["blanks"] else []
        engine._gap = state["gap"]
        engine._floating = [_named(named) for named in state["floating"]]
        engine._line_is_blank = state["line_is_blank"]
        engine._update_idle()
        return engine


@cache
def _beginnings(head: str) -> frozenset[str]:
    """Return the pieces of a head that may still become it; one set for all engines."""
    return frozenset(head[:end] for end in range(1, len(head)))


def _listed(named: Named) -> list[list[Any]]:
    return [[source, locator, list(undecided)] for source, locator, undecided in named]


def _named(listed: list[list[Any]]) -> Named:
    return tuple((source, locator, tuple(undecided)) for source, locator, undecided in listed)
