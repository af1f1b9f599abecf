"""The machine for any list of dialects: deltas in, clean text out.

Lives here: the reading from left to right, the candidates that are open at the leftmost place, the
tag that is open, and the only state between two deltas. What a marker looks like is the dialects';
whether an entry's part exists is the turn's. No I/O, no clock.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from citestream.citations.dialects import (
    FAILED,
    OPEN,
    Before,
    Dialect,
    Known,
    Marker,
    Named,
    Recogniser,
    nothing_known,
)
from citestream.citations.landing import Landing, Span, listed, named, span
from citestream.citations.markdown_code import CodeReader
from citestream.citations.options import EngineOptions
from citestream.citations.snapping import WHITE_SPACE, parts_claim
from citestream.parts.text import START, replace_surrogates

# The raw text is read from left to right. At each place the first dialect of the list that has a
# whole marker there takes it; where none has, the character is text, and reading goes on with the
# next one. So a marker inside of a broken one is found.
#
# ``_held`` is the raw text from the leftmost place on at which a marker may still come to be, and
# ``_alive`` are the recognisers that have not failed there, in the order of the list. A recogniser
# reads on in the held text each time more of it has arrived; none is asked about any other place,
# so that the work is bounded by the bounds of the markers.
#
# While nothing waits, text in which no opener's first character occurs is not even looked at: what
# is in ``_fresh`` then is raw text too, and is read for code in one piece when a candidate asks.
# That keeps a plain delta at two tests. A candidate that is alone is followed by ``_go_on``, which
# does without the loop of ``_read``.

_LINE_ENDS: Final = frozenset("\r\n")


class _Tag(NamedTuple):
    """The tag that is open: its kind, the sources placed where it closes, where it began."""

    kind: str
    named: Named
    numbered: bool
    start: int


class Scanner(Landing):
    """A transducer over one raw answer, for a list of dialects.

    Its methods are those of :class:`~citestream.citations.engine.Engine`. What is held back, and
    nothing else: what follows the leftmost place where a marker may still come to be (unless that
    marker stays in the text); a high surrogate at the end of a delta; under ``whitespace="tidy"``
    the blanks at the end of the text (not an indent).
    """

    __slots__ = (
        "_ahead",
        "_alive",
        "_before",
        "_by_start",
        "_claim",
        "_claim_from",
        "_code",
        "_dropping",
        "_failed",
        "_find",
        "_finders",
        "_held",
        "_idle",
        "_kept_claim",
        "_place",
        "_recognisers",
        "_room",
        "_solid",
        "_solid_line",
        "_starts",
        "_stop",
        "_stops",
        "_tag",
        "_unread",
    )

    def __init__(
        self,
        options: EngineOptions,
        dialects: Sequence[Dialect],
        known: Known = nothing_known,
    ) -> None:
        super().__init__(options, "".join(dialect.stray_signs for dialect in dialects))
        self._recognisers = tuple(dialect.recogniser(known) for dialect in dialects)
        self._by_start: dict[str, tuple[Recogniser, ...]] = {}
        for recogniser in self._recognisers:
            for start in dict.fromkeys(head[0] for head in recogniser.heads):
                self._by_start[start] = (*self._by_start.get(start, ()), recogniser)
        heads = [head for recogniser in self._recognisers for head in recogniser.heads]
        self._finders = _finders(tuple(dict.fromkeys(heads)))
        self._starts = frozenset(self._by_start)
        self._watch(line_ends=False)
        # The one whose failed candidates "drop" takes apart: the last reads what the others read.
        private = [one for one in self._recognisers if not one.printable]
        self._dropping = private[-1] if self._drop and private else None
        printable = any(recogniser.printable for recogniser in self._recognisers)
        self._code = CodeReader() if printable else None
        # True when nothing waits, so that plain text may pass untouched.
        self._idle = not self._tidy
        self._unread: list[str] = []  # raw text that is decided and was not looked at
        self._place = 0  # code points of raw text before what is held
        self._before = ""  # the last two of them
        self._held = ""
        self._ahead = 0  # how much of what is held the reader has already
        # Those whose candidate at the leftmost place has not failed, with its length once it is
        # a whole marker; whether one has failed there that is counted.
        self._alive: list[tuple[Recogniser, int]] = []
        self._failed = False
        self._room = 0
        self._tag: _Tag | None = None
        # While a tag is open, where the last character ends that is no white space; the same before
        # the line at hand.
        self._solid = self._solid_line = 0
        # What a claim sign has opened; the claim that it encloses; the same before a candidate.
        self._claim_from: int | None = None
        self._claim: Span | None = None
        self._kept_claim: Span | None = None

    def feed(self, delta: str) -> str:
        """Take the next piece of the raw answer; return the clean text it made visible."""
        if self._idle:
            if (
                self._stop not in delta
                if self._stop and delta.isascii()
                else self._stops.isdisjoint(delta) and (delta.isascii() or delta.isprintable())
            ):
                self._fresh.append(delta)
                return delta
            self._count()
            self._idle = False
            if delta.isascii() or not self._has_half(delta):
                return self._open(delta)
        elif (
            len(delta) <= self._room
            and (delta.isidentifier() or delta.isalnum())
            and not self._half
        ):
            self._room -= len(delta)
            self._held += delta
            return ""
        if self._half or not delta.isascii():
            delta = self._mended(delta)
        if self._held:
            return self._go_on(delta)
        if delta and self._stops.isdisjoint(delta):
            return self._pass_on(delta)
        return self._read(delta)

    def _go_on(self, delta: str) -> str:
        """Take a delta for what is held: most often one candidate, which goes on or ends."""
        if len(self._alive) > 1 or self._ahead:
            return self._read(delta)
        recogniser, length = self._alive[0]
        text = self._held + delta
        if length == OPEN:
            length = recogniser.advance(text, 0)
            if length == OPEN and not recogniser.kept:
                self._held = text
                self._room = recogniser.room
                return ""
            self._alive[0] = (recogniser, length)
        if length < 0 or recogniser.kept:
            return self._read(delta)
        rest = text[length:]
        if recogniser.asks_after and not (rest and recogniser.may_end(rest[0])):
            return self._read(delta)
        self._alive.clear()
        self._room = 0
        self._held = ""
        shown = self._apply(recogniser.marker(text, 0, length), "")
        if rest and not self._stops.isdisjoint(rest):
            self._unread.append(text[:length])
            return shown + self._read(rest)
        self._unread.append(text)
        if rest:
            shown += self._text(rest)
        self._count()
        self._idle = not (self._tidy or self._waiting or self._half)
        return shown

    def _pass_on(self, text: str) -> str:
        """Take text in which nothing begins, while something waits for it."""
        self._unread.append(text)
        shown = self._text(text)
        self._count()
        self._idle = not (self._tidy or self._waiting or self._half)
        return shown

    def _open(self, delta: str) -> str:
        """Take a delta in which a candidate may begin, while nothing is held and nothing waits.

        Most often one does, and is open at the end of the delta.
        """
        found = self._find.search(delta)
        if found is None:
            return self._pass_on(delta)
        place = found.start()
        starting = self._by_start.get(delta[place], ())
        if len(starting) != 1 or self._claim:
            return self._read(delta)
        recogniser = starting[0]
        if place:
            self._unread.append(delta[:place])
        if self._code and recogniser.printable:
            self._catch_up()
            if recogniser.asks_before or self._code.covers(delta[place]):
                return (self._text(delta[:place]) if place else "") + self._read(delta[place:])
        self._failed = False
        recogniser.begin()
        length = recogniser.advance(delta, place)
        self._alive.append((recogniser, length))
        shown = self._text(delta[:place]) if place else ""
        if length == OPEN:
            self._held = delta[place:]
            self._room = recogniser.room
            return shown
        self._held = delta[place:]
        return shown + self._read("")

    def _catch_up(self) -> None:
        """Read the raw text that is decided, for code and for what is before a candidate."""
        text = "".join(self._unread)
        self._unread.clear()
        self._place += len(text)
        self._before = text[-2:] if len(text) > 1 else (self._before + text)[-2:]
        if self._code:
            self._code.read(text, 0, len(text))

    def finish(self) -> str:
        """End the answer; return the clean text that was still held back."""
        rest = replace_surrogates(self._half)
        self._half = ""
        for recogniser in self._recognisers:
            recogniser.ended = True
        shown = self._read(rest, ended=True)
        self._close_tag(before_line=self._code is not None and self._code.is_blank)
        return shown + self._end()

    def held(self) -> int:
        """Return how many code points are held back at the moment."""
        held = len(self._held) - self._ahead
        return held + sum(map(len, self._blanks)) + len(self._half)

    def _mended(self, delta: str) -> str:
        """Return the delta without surrogate halves; a high one at its end waits for the next."""
        if not self._half and not self._has_half(delta):
            return delta
        delta = self._half + delta
        self._half = delta[-1] if "\ud800" <= delta[-1:] <= "\udbff" else ""
        return replace_surrogates(delta[: len(delta) - len(self._half)])

    def opened(self) -> tuple[int, ...]:
        """Return the places from which on an entry to come may enclose a claim."""
        begun = (
            self._tag.start if self._tag else None,
            self._claim_from,
            self._claim[0] if self._claim else None,
            self._kept_claim[0] if self._kept_claim else None,
        )
        return (*super().opened(), *(place for place in begun if place is not None))

    @staticmethod
    def _has_half(delta: str) -> bool:
        try:
            delta.encode()  # finds halves in a third of the time that a search takes
        except UnicodeEncodeError:
            return True
        return False

    # -- the scan ------------------------------------------------------------------------------

    def _read(self, delta: str, *, ended: bool = False) -> str:
        """Read on in what is held and what has arrived since."""
        if self._unread:
            self._catch_up()
        text = self._held + delta
        shown: list[str] = []
        place = 0  # the leftmost place that is not decided
        done = self._ahead  # up to here the reader has the text, or it was removed
        read = 0  # up to here the text has been read for code
        while True:
            if not self._alive:
                found = self._find.search(text, place)
                place = found.start() if found else len(text)
                if self._code:
                    self._code.read(text, read, place)
                    read = place
                if not found:
                    break
                if self._claim or text[place] in _LINE_ENDS:
                    shown.append(self._pass(text[done:place]))
                    done = max(done, place)
                if text[place] in _LINE_ENDS:
                    self._end_line(text, place)
                    place = read = place + 1
                    continue
                if not self._begin(text, place):
                    place += 1
                    continue
            taken = self._advance(text, place, ended=ended)
            if self._alive:
                break
            if taken:
                recogniser, length = taken
                shown.append(self._pass(text[done:place]))
                marker = recogniser.marker(text, place, place + length)
                shown.append(self._apply(marker, text[max(done, place) : place + length]))
                done = place = place + length
            else:
                if self._failed:
                    shown.append(self._pass(text[done:place]))
                    done = max(done, place)
                    removed = self._count_failure(text, place, shown)
                    done += removed
                    place += removed or 1
                else:
                    place += 1
        until = place
        if self._alive and all(recogniser.kept for recogniser, _ in self._alive):
            # Its text may be shown, up to where another candidate may begin inside of it.
            found = self._find.search(text, place + 1)
            until = found.start() if found else len(text)
        shown.append(self._pass(text[done:until]))
        self._hold(text, place, max(done, until))
        return "".join(shown)

    def _hold(self, text: str, place: int, done: int) -> None:
        """Keep what is not decided: ``text`` from ``place`` on, shown up to ``done``."""
        self._held = text[place:]
        self._ahead = done - place
        self._place += place
        self._before = (self._before + text[max(0, place - 2) : place])[-2:]
        self._room = 0
        if len(self._alive) == 1:
            recogniser, length = self._alive[0]
            self._room = 0 if length else recogniser.room
        self._count()
        self._idle = not (self._alive or self._tidy or self._waiting or self._half)

    def _begin(self, text: str, place: int) -> bool:
        """Open the candidates that may begin at ``place``; return whether there are any."""
        self._failed = False
        self._kept_claim = self._claim
        covered = before = None
        for recogniser in self._by_start[text[place]]:
            if recogniser.printable and self._code:
                if covered is None:
                    covered = self._code.covers(text[place])
                if covered:
                    continue
            if recogniser.asks_before:
                if before is None:
                    last = (self._before + text[max(0, place - 2) : place])[-2:]
                    in_prefix = self._code is not None and self._code.in_prefix
                    before = Before(self._place + place, last, in_prefix)
                if not recogniser.may_begin(before):
                    continue
            recogniser.begin()
            self._alive.append((recogniser, OPEN))
        return bool(self._alive)

    def _advance(self, text: str, place: int, *, ended: bool) -> tuple[Recogniser, int] | None:
        """Read on in the open candidates; return the one that is a marker, and its length.

        Where none is, those that may still become one are left in ``_alive``.
        """
        alive = []
        for recogniser, length in self._alive:
            # All of them read on: what is known when a marker closes may change later.
            reached = length or recogniser.advance(text, place)
            if reached == FAILED:
                self._failed |= recogniser.opened
            else:
                alive.append((recogniser, reached))
        for number, (recogniser, length) in enumerate(alive):
            end = place + length
            undecided = length == OPEN or (recogniser.asks_after and end == len(text))
            if undecided and not ended:
                self._alive = alive[number:]
                return None
            if length != OPEN and (
                not recogniser.asks_after or recogniser.may_end(text[end : end + 1])
            ):
                self._alive = []
                return recogniser, length
            self._failed |= recogniser.opened
        self._alive = []
        return None

    def _count_failure(self, text: str, place: int, shown: list[str]) -> int:
        """Count the candidate that failed at ``place``; return how much of it is removed."""
        removed = 0
        if self._dropping and text[place] == START:
            removed = self._dropping.residue(text, place)
            self._gap = self._tidy
        else:
            shown.append(self._settle_blanks(closes_up=False))
        self._record_failure()
        return removed

    def _pass(self, text: str) -> str:
        return self._text(text) if text else ""

    # -- markers -------------------------------------------------------------------------------

    def _apply(self, marker: Marker, rest: str) -> str:
        """Do what a marker asks for; of one that stays, ``rest`` has not been shown yet."""
        if marker.role == "point" and not (marker.shown or marker.kept or marker.widget):
            if self._claim:  # what was shown since may have parted the marker from it
                self._count()
            self._gap = self._tidy
            if marker.named:
                self._land(marker.named, self._claim, numbered=marker.numbered)
            return ""
        shown = self._pass(rest) if marker.kept else ""
        if marker.shown:
            shown += self._plain(marker.shown)
        self._count()
        if marker.kept:
            self._claim = self._kept_claim
        elif not marker.shown:
            self._gap = self._tidy
        self.widgets += marker.widget
        if marker.role == "open":
            self._close_tag()
            self._open_tag(marker)
        elif marker.role == "close":
            tag = self._tag
            if tag and tag.kind == marker.tag:
                self._end_tag()
                self._land(tag.named, (tag.start, self._length), numbered=tag.numbered)
        elif marker.role == "claim_from":
            self._claim_from, self._claim = self._length, None
        elif marker.role == "claim_to":
            if self._claim_from is not None:
                self._claim = (self._claim_from, self._length)
                self._claim_from = None
        elif marker.named:
            self._land(marker.named, self._claim, numbered=marker.numbered)
        return shown

    def _watch(self, *, line_ends: bool) -> None:
        """Look for openers, and for the ends of lines while a tag is open."""
        self._find = self._finders[line_ends]
        self._stops = self._starts | _LINE_ENDS if line_ends else self._starts
        # Of one such character a text is asked faster than of several; of none in ASCII as well.
        in_ascii = [one for one in self._stops if one.isascii()] or [min(self._stops)]
        self._stop = in_ascii[0] if len(in_ascii) == 1 else ""

    def _open_tag(self, marker: Marker) -> None:
        self._tag = _Tag(marker.tag, marker.named, marker.numbered, self._length)
        self._solid = self._solid_line = self._length
        self._watch(line_ends=True)

    def _end_tag(self) -> None:
        self._tag = None
        self._watch(line_ends=False)

    def _close_tag(self, *, before_line: bool = False) -> None:
        """Close the tag that is open without its own closing tag: after its last character that is
        no white space, of the line at hand or of those before it.
        """
        self._count()
        if not self._tag:
            return
        _, named, numbered, start = self._tag
        end = max(start, self._solid_line if before_line else self._solid)
        if end == self._length:
            self._waiting.append((named, end, self._last, (start, end), numbered))
        else:  # white space follows, so nothing can move the offset any more
            for source, locator, undecided in named:
                self._settled.append((source, end, locator, undecided, (start, end), numbered))
        self._end_tag()

    def _end_line(self, text: str, place: int) -> None:
        """Read the line end at ``place`` while a tag is open; the end of a paragraph closes it."""
        if self._code:
            paragraphs = self._code.paragraphs
            self._code.read(text, place, place + 1)
            if self._code.paragraphs != paragraphs:
                self._close_tag(before_line=True)
        self._count()
        self._solid_line = self._solid

    def _count(self) -> None:
        if not self._fresh:
            return
        if self._idle:  # it has passed without being looked at
            self._fresh = ["".join(self._fresh)]
            self._unread += self._fresh
        length = self._length
        super()._count()
        if (self._tag or self._claim) and self._length > length:
            text = self._counted[-1]
            solid = text.rstrip(WHITE_SPACE)
            if solid:
                self._solid = length + len(solid)
            if self._claim and parts_claim(text):
                self._claim = None

    # -- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the state as a JSON value; with entries not yet taken, without text shown."""
        self._count()
        self._catch_up()
        return {
            **super().snapshot(),
            "widgets": self.widgets,
            "held": self._held,
            "ahead": self._ahead,
            "place": self._place,
            "before": self._before,
            "alive": [
                [self._recognisers.index(recogniser), length] for recogniser, length in self._alive
            ],
            "failed": self._failed,
            "tag": self._tag and listed(*self._tag),
            "solid": [self._solid, self._solid_line],
            "claims": listed(self._claim_from, self._claim, self._kept_claim),
            "code": self._code and self._code.state(),
            "recognisers": [recogniser.state() for recogniser in self._recognisers],
        }

    def recall(self, state: dict[str, Any], text: str) -> None:
        """Go on from a snapshot, under equal options; ``text`` is what had been shown by then."""
        self._recall(state, text)
        self.widgets = state["widgets"]
        self._held, self._ahead = state["held"], state["ahead"]
        self._place, self._before = state["place"], state["before"]
        self._failed = state["failed"]
        for recogniser, remembered in zip(self._recognisers, state["recognisers"], strict=True):
            recogniser.recall(remembered)
        for index, length in state["alive"]:
            recogniser = self._recognisers[index]
            recogniser.begin()
            if length == OPEN:
                recogniser.advance(self._held, 0)
            self._alive.append((recogniser, length))
        if state["tag"]:
            kind, named_sources, numbered, start = state["tag"]
            self._open_tag(Marker(named(named_sources), tag=kind, numbered=numbered))
            self._tag = self._tag and self._tag._replace(start=start)
        self._solid, self._solid_line = state["solid"]
        self._claim_from = state["claims"][0]
        self._claim, self._kept_claim = map(span, state["claims"][1:])
        if self._code:
            self._code.recall(state["code"])
        self._hold(self._held, 0, self._ahead)


@cache
def _finders(heads: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds the next head, whole or cut at the end of the text; and line ends too."""
    patterns = []
    for head in heads:
        pattern = ""
        for character in reversed(head[1:]):
            pattern = f"(?:{re.escape(character)}{pattern}|\\Z)"
        patterns.append(re.escape(head[0]) + pattern)
    return re.compile("|".join(patterns)), re.compile("|".join([*patterns, "[\r\n]"]))
