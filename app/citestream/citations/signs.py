"""The machine for one dialect whose signs are private-use characters: deltas in, clean text out.

Lives here: the search for such markers, and the only state between two deltas. What a marker looks
like is the dialect's; whether an entry's part exists is the turn's. No I/O, no clock.
"""

from functools import cache
from typing import Any, Final

from citestream.citations.dialects import SignDialect
from citestream.citations.landing import Landing
from citestream.citations.options import EngineOptions
from citestream.citations.snapping import SNAPPED_PAST
from citestream.parts.text import REPLACEMENT, replace_surrogates

# One machine, written as one. Text passes through it, a candidate is held until it is a marker or
# fails, and both change the same few fields, so that one delta costs a handful of operations.
#
# Cutting it in two, a scanner that yields pieces and a fold over them, was built and measured: all
# tests pass, and it costs x 1.15 to x 2.0, because every delta then pays for a second call and for
# the value between them. What it shares with the machine for other dialects is inherited, not
# called through: a method of a base class costs the same as one's own.
#
# In order of how often they run, a delta takes one of these ways:
#
# 1. Nothing waits and the delta is printable: it is text. No sign is printable, so one test of the
#    whole delta is enough (``isascii`` first, as it reads one flag).
# 2. A candidate is open and the delta is a word that fits into its *room*: it is part of the
#    candidate. ``Follower.room`` is how many letters, digits and underscores are sure to continue
#    it. The follower sets it whenever it has read; the machine alone takes from it, for what it
#    keeps from the follower, and clears it when the candidate is over. It pays x 1.3 on English
#    prose with a marker every 200 characters, and x 1.45 with one every 30.
# 3. The delta holds signs: it is cut at them and its pieces are fed one by one, since cuts change
#    nothing; most pieces then take one of the ways above.

_MAY_SNAP: Final = SNAPPED_PAST | frozenset(map(chr, range(0xD800, 0xDC00)))
"""What may be snapped past; of a high half that is not known yet."""


class SignMachine(Landing):
    """A transducer over one raw answer, for one dialect of private signs.

    ``feed`` returns the clean text that a delta made visible, ``take`` the entries whose offsets
    have settled since the last call, in text order. How the answer is cut into deltas changes
    neither the text, nor the entries, nor their offsets.

    What is held back, and nothing else: an open candidate; a high surrogate at the end of a delta;
    under ``whitespace="tidy"`` the blanks at the end of the text (not an indent).
    """

    __slots__ = (
        "_candidate",
        "_dialect",
        "_end_sign",
        "_entries",
        "_follower",
        "_head",
        "_heads",
        "_idle",
        "_in_head",
        "_literal",
        "_start",
    )

    def __init__(self, options: EngineOptions, dialect: SignDialect) -> None:
        super().__init__(options, dialect.stray_signs)
        self._dialect = dialect
        self._entries = dialect.entries
        self._literal = not (self._drop or self._tidy)
        self._head = dialect.head
        self._heads = _beginnings(self._head)
        self._start = self._head[0]
        self._end_sign = dialect.end
        # True when nothing waits, so that plain text may pass untouched.
        self._idle = not self._tidy
        # What has come of the open candidate; one string, as a dialect bounds its length.
        self._candidate = ""
        self._in_head = False
        self._follower = dialect.follower()

    def feed(self, delta: str) -> str:
        """Take the next piece of the raw answer; return the clean text it made visible."""
        if self._idle:
            # Printable text holds no surrogate and no private-use character, hence no sign.
            if delta.isascii() or delta.isprintable():
                self._fresh.append(delta)
                return delta
        elif (
            len(delta) <= self._follower.room
            and (delta.isidentifier() or delta.isalnum())
            and not self._half
        ):
            self._follower.room -= len(delta)
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
                self._follower.begin()
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
        return self._interrupt("") + self._end()

    def held(self) -> int:
        """Return how many code points are held back at the moment."""
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
        body, end, rest = delta.partition(self._end_sign)
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
        self._follower.room = 0
        self._count()
        if self._literal and not self._waiting and rest and rest[0] not in _MAY_SNAP:
            # Nothing can move the offset any more.
            for source, locator, undecided in named:
                self._settled.append((source, self._length, locator, undecided, None, False))
            self._idle = True
            return self.feed(rest)
        self._gap = self._tidy
        if self._blanks:
            self._floating.append((named, None, False))
        else:
            self._waiting.append((named, self._length, self._last, None, False))
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
            reached = self._follower.push(delta)
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
        self._follower.room = 0
        shown = "" if self._drop else self._settle_blanks(closes_up=False)
        self._record_failure()
        if self._drop:
            self._gap = self._tidy
            candidate = self._dialect.residue(candidate, following)
        if candidate:
            shown += self._text(candidate)
        self._update_idle()
        return shown

    # -- snapshots ----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the state as a JSON value; with entries not yet taken, without text shown."""
        return {**super().snapshot(), "candidate": self._candidate}

    def recall(self, state: dict[str, Any], text: str) -> None:
        """Go on from a snapshot, under equal options; ``text`` is what had been shown by then."""
        self.feed(state["candidate"])  # as open as it was, and the recogniser as far
        self._recall(state, text)
        self._update_idle()


@cache
def _beginnings(head: str) -> frozenset[str]:
    """Return the pieces of a head that may still become it; one set for all engines."""
    return frozenset(head[:end] for end in range(1, len(head)))
