"""The clean text of one answer and the places where its citations land.

Lives here: what the two machines that find markers share. Text is shown, blanks are held back under
``whitespace="tidy"``, offsets wait until their punctuation has ended, and all of it is kept in a
snapshot. It must not know what a marker looks like or how one is found.
"""

import re
from itertools import starmap
from typing import Any, Final, NamedTuple, TypeAlias

from citestream.citations.dialects import Named
from citestream.citations.options import EngineOptions
from citestream.citations.snapping import CLOSES_UP, SNAPPED_PAST, inside_word, punctuation_run

MAX_FAILURES_LISTED: Final = 100
"""Failed candidates are all counted; the places of this many are reported."""


Span: TypeAlias = tuple[int, int]


class Entry(NamedTuple):
    """One source that a marker names, where it landed in the clean text."""

    source_id: str
    offset: int
    """Code points of the clean text before it, snapped past closing punctuation."""
    locator: str
    undecided: tuple[str, ...] = ()
    """Later fields of the marker, from the first on that may be a source or a locator."""
    span: Span | None = None
    """The claim that the markers themselves enclose, in code points of the clean text."""
    numbered: bool = False
    """Whether the id may also be the number of a source."""


class Landing:
    """What both machines are: clean text that grows, entries that settle, and their snapshot.

    A machine adds :meth:`feed` and :meth:`finish`, and calls :meth:`_text` for what is no marker.
    """

    __slots__ = (
        "_blanks",
        "_counted",
        "_drop",
        "_floating",
        "_fresh",
        "_gap",
        "_half",
        "_last",
        "_length",
        "_line_is_blank",
        "_settled",
        "_stray",
        "_tidy",
        "_waiting",
        "failures",
        "invalid_markers",
        "widgets",
    )

    def __init__(self, options: EngineOptions, stray_signs: str) -> None:
        self._drop = options.invalid_markers == "drop" and bool(stray_signs)
        self._tidy = options.whitespace == "tidy"
        self._stray = re.compile(f"[{re.escape(stray_signs)}]") if stray_signs else None
        self.invalid_markers = 0
        """Candidates that failed so far."""
        self.failures: list[int] = []
        """Offsets in the clean text of the first 100 of them."""
        self.widgets = 0
        """Markers that name and show nothing a reader gets."""
        # A high surrogate that ended the last delta.
        self._half = ""
        # Clean text: the pieces that are counted, those not counted yet; then the count, and the
        # last character counted.
        self._counted: list[str] = []
        self._fresh: list[str] = []
        self._length = 0
        self._last = ""
        # The fields of entries.
        self._settled: list[tuple[str, int, str, tuple[str, ...], Span | None, bool]] = []
        # Markers that have not met the end of their punctuation: what they name, their offset, the
        # character before; then the claim they enclose, and whether their ids may be numbers.
        self._waiting: list[tuple[Named, int, str, Span | None, bool]] = []
        # Tidy alone: blanks held back, whether something was removed after them, the markers
        # there.
        self._blanks: list[str] = []
        self._gap = False
        self._floating: list[tuple[Named, Span | None, bool]] = []
        self._line_is_blank = True

    def take(self) -> list[Entry]:
        """Return the entries that have settled since the last call, in the order of settling."""
        if not self._settled:
            return []
        entries = list(map(Entry._make, self._settled))
        self._settled.clear()
        return entries

    def opened(self) -> tuple[int, ...]:
        """Return the places from which on an entry to come may enclose a claim."""
        waiting = (enclosed for *_, enclosed, _ in self._waiting)
        floating = (enclosed for *_, enclosed, _ in self._floating)
        return tuple(enclosed[0] for enclosed in (*waiting, *floating) if enclosed)

    def length(self) -> int:
        """Return how many code points of clean text have been made visible."""
        self._count()
        return self._length

    def text(self) -> str:
        """Return the clean text made visible so far."""
        self._count()
        if len(self._counted) > 1:
            self._counted = ["".join(self._counted)]
        return self._counted[0] if self._counted else ""

    # -- text that is no marker ---------------------------------------------------------------

    def _text(self, text: str) -> str:
        """Pass on text that is no marker (never empty); under "drop", without its stray signs."""
        if not self._drop or self._stray is None:
            return self._plain(text)
        first, *others = self._stray.split(text)
        shown = [self._plain(first)] if first else []
        for piece in others:
            self._gap = self._tidy
            if piece:
                shown.append(self._plain(piece))
        return "".join(shown)

    def _record_failure(self) -> None:
        self.invalid_markers += 1
        if len(self.failures) < MAX_FAILURES_LISTED:
            self.failures.append(self.length())

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
            self._waiting += [
                (named, self._length, self._last, span, numbered)
                for named, span, numbered in self._floating
            ]
            self._floating.clear()
        return shown

    # -- offsets ------------------------------------------------------------------------------

    def _land(self, named: Named, span: Span | None = None, *, numbered: bool = False) -> None:
        """Place a marker where the clean text ends, or after the blanks that are held back."""
        if self._blanks:
            self._floating.append((named, span, numbered))
        else:
            self._count()
            self._waiting.append((named, self._length, self._last, span, numbered))

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

    def _settle(self, end: int, last: str, following: str) -> None:
        """Settle every waiting marker: the punctuation after it ends at offset ``end``.

        ``last`` is the character before that offset, ``following`` the one there ("" at the end).
        """
        for named, offset, before, span, numbered in self._waiting:
            at = end
            if end - offset == 1 and inside_word(before, last, following):
                at = offset
            for source, locator, undecided in named:
                self._settled.append((source, at, locator, undecided, span, numbered))
        self._waiting.clear()

    def _end(self) -> str:
        """End the text: what was held back shows, and every offset settles."""
        shown = self._settle_blanks(closes_up=True)
        self._count()
        self._settle(self._length, "", "")
        return shown

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
            "settled": list(starmap(listed, self._settled)),
            "waiting": list(starmap(listed, self._waiting)),
            "blanks": "".join(self._blanks),
            "gap": self._gap,
            "floating": list(starmap(listed, self._floating)),
            "line_is_blank": self._line_is_blank,
        }

    def _recall(self, state: dict[str, Any], text: str) -> None:
        """Take over the state of a snapshot; ``text`` is what had been shown by then."""
        self._counted = [text]
        self._fresh.clear()
        self._length = state["length"]
        self._last = state["last"]
        self.invalid_markers = state["invalid_markers"]
        self.failures = list(state["failures"])
        self._half = "" if state["half"] is None else chr(state["half"])
        self._settled = [
            (source, at, locator, tuple(undecided), span(enclosed), numbered)
            for source, at, locator, undecided, enclosed, numbered in state["settled"]
        ]
        self._waiting = [
            (named(sources), offset, before, span(enclosed), numbered)
            for sources, offset, before, enclosed, numbered in state["waiting"]
        ]
        self._blanks = [state["blanks"]] if state["blanks"] else []
        self._gap = state["gap"]
        self._floating = [
            (named(sources), span(enclosed), numbered)
            for sources, enclosed, numbered in state["floating"]
        ]
        self._line_is_blank = state["line_is_blank"]


def listed(*fields: Any) -> list[Any]:
    """Return the fields as a JSON value: a list, and so each tuple in it."""
    return [listed(*field) if isinstance(field, tuple) else field for field in fields]


def named(sources: list[list[Any]]) -> Named:
    """Return the sources of a marker from their JSON value."""
    return tuple((source, locator, tuple(undecided)) for source, locator, undecided in sources)


def span(ends: list[int] | None) -> Span | None:
    """Return a span from its JSON value."""
    return None if ends is None else (ends[0], ends[1])
