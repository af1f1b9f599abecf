"""Where the last sentence of a growing text begins (UAX 29, with the exceptions for claims).

Lives here: the sentence rules as a small machine that reads each character once. Must not know
lines, markers or claims.

A full stop, question mark and the like (``ATerm``, ``STerm``) ends a sentence, but only what comes
later shows whether it did: closing signs and blanks belong to the sentence (SB9, SB10), and a
small letter further on may show that a full stop ended nothing (SB8). So the machine keeps where
the next sentence may begin, and takes that place as soon as it is sure. If the text ends before
that, the place counts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from citestream.claims.abbreviations import AFTER_ORDINAL, ALWAYS, BEFORE_NUMBER
from citestream.claims.characters import (
    CLOSE,
    DIGIT,
    EXTEND,
    LOWER,
    NUMERIC,
    OTHER_LETTER,
    UPPER,
    WHITE,
    WORD,
    Passage,
    run_end,
)

Phase = Literal["lead", "text", "end", "close", "blank", "marks", "gap", "word", "look"]

_TERMINATOR: Final = re.compile(r"[.!n]")
_WHITE: Final = re.compile(f"[{WHITE}]*")
_EXTENDED: Final = re.compile(f"[{EXTEND}]*")
_CLOSING: Final = re.compile(f"[{CLOSE}{EXTEND}]*")
_BLANKS: Final = re.compile(f"[s{EXTEND}]*")
_MARKS: Final = re.compile(r"[*_~]*")
_WORD: Final = re.compile(f"[{WORD}{EXTEND}]*")
_DECIDES: Final = re.compile(f"[{LOWER}{UPPER}{OTHER_LETTER}n.!]")

_ALWAYS: Final = frozenset(ALWAYS.split("|"))
_BEFORE_NUMBER: Final = frozenset(BEFORE_NUMBER.split("|"))
_LENGTHS: Final = sorted({len(one) for one in _ALWAYS | _BEFORE_NUMBER})
LOOKBACK: Final = _LENGTHS[-1] + 8
"""Code points before a full stop that its meaning may depend on: an abbreviation, marks on it."""
_ORDINAL: Final = "1."
_AFTER_MARKS: Final = -2
"""A candidate that is not there yet: marks of emphasis and a separator are before it."""


def _followers(abbreviations: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return what may follow after a full stop inside of an abbreviation with blanks.

    ``v. Chr.`` gives ``Chr.`` for ``v.``: there no sentence begins either.
    """
    found: dict[str, set[str]] = {}
    for abbreviation in abbreviations:
        pieces = abbreviation.split(" ")
        for number in range(1, len(pieces)):
            word = pieces[number].partition(".")[0] + "."
            found.setdefault(" ".join(pieces[:number]), set()).add(word)
    return {head: frozenset(words) for head, words in found.items()}


_FOLLOWERS: Final = _followers(_ALWAYS) | {_ORDINAL: frozenset(AFTER_ORDINAL.split("|"))}
_MAX_WORD: Final = max(len(word) for words in _FOLLOWERS.values() for word in words)
_HEAD_LENGTHS: Final = sorted({len(head) for head in _FOLLOWERS})


@dataclass(slots=True)
class Sentence:
    """The last sentence of a text that is fed piece by piece; places are code points of the text.

    Nothing but blanks before the first visible character: the first sentence begins there.
    """

    start: int = 0
    """Where the sentence begins, as far as that is sure."""
    phase: Phase = "lead"
    candidate: int = 0
    """Where the next one may begin, in the phases ``marks``, ``word`` and ``look``."""
    separated: int = -1
    """The place directly after the first separator since visible text: marks of emphasis there may
    belong to what ended."""
    full_stop: bool = False
    """Whether the sign that may have ended it is an ATerm."""
    after_letter: bool = False
    abbreviation: Literal["", "always", "number"] = ""
    head: str = ""
    """A key of the words that may follow without beginning a sentence."""
    word: str = ""

    def current(self) -> int:
        """Return where the sentence of the last visible character begins, if the text ends here."""
        if self.phase == "look":
            return self.candidate
        if self.phase == "word":
            return self.start if self.word in _FOLLOWERS[self.head] else self.candidate
        return self.start

    def feed(self, passage: Passage, at: int, stop: int) -> None:
        """Read from index ``at`` to ``stop``; of what is before, :data:`LOOKBACK` are looked at."""
        while at < stop:
            at = self._step(passage, at, stop)

    def _step(self, passage: Passage, at: int, stop: int) -> int:
        match self.phase:
            case "text":
                return self._text(passage, at, stop)
            case "end" | "close" | "blank":
                return self._closing(passage, at, stop)
            case "marks":
                return self._marks(passage, at, stop)
            case "gap":
                return self._gap(passage, at, stop)
            case "word":
                return self._word(passage, at, stop)
            case "look":
                return self._look(passage, at, stop)
            case "lead":
                return self._lead(passage, at, stop)

    def _lead(self, passage: Passage, at: int, stop: int) -> int:
        at = run_end(_WHITE, passage.letters, at, stop)
        if at < stop:
            self._begin(passage.base + at)
        return at

    def _text(self, passage: Passage, at: int, stop: int) -> int:
        found = _TERMINATOR.search(passage.letters, at, stop)
        if not found:
            return stop
        at = found.start()
        self.phase = "end"
        self.full_stop = passage.letters[at] == "."
        self.abbreviation = self.head = self.word = ""
        self.after_letter = False
        if passage.letters[at] == "n":
            self._separate(passage.base + at + 1)
        elif self.full_stop:
            self._look_back(passage, at)
        return at + 1

    def _look_back(self, passage: Passage, at: int) -> None:
        """Find out what stands before the full stop at ``at``."""
        text, letters, _ = passage
        before = at
        while before and letters[before - 1] in EXTEND and at - before < LOOKBACK:
            before -= 1
        if not before or letters[before - 1] not in WORD + UPPER + LOWER:
            return
        self.after_letter = letters[before - 1] in LOWER + UPPER
        if text[at] != ".":
            return
        alone = before < 2 or letters[before - 2] not in WORD
        if letters[before - 1] in UPPER and alone:
            self.abbreviation = "always"
            return
        if letters[at - 1] == DIGIT and (alone or _begins(letters, at - 2, DIGIT)):
            self.head = _ORDINAL
            return
        past = text[max(0, at - LOOKBACK) : at + 1].replace("\xa0", " ").replace("\u202f", " ")
        for length in _LENGTHS:
            if length <= len(past) and _begins(letters, at + 1 - length):
                ending = past[-length:]
                if ending in _ALWAYS:
                    self.abbreviation = "always"
                elif ending in _BEFORE_NUMBER and not self.abbreviation:
                    self.abbreviation = "number"
        for length in _HEAD_LENGTHS:
            if length <= len(past) and _begins(letters, at + 1 - length):
                ending = past[-length:]
                if ending in _FOLLOWERS:
                    self.head = ending

    def _closing(self, passage: Passage, at: int, stop: int) -> int:
        """Pass closing signs, then blanks: they belong to the sentence (SB9, SB10)."""
        if self.phase == "blank":
            at = run_end(_BLANKS, passage.letters, at, stop)
        else:
            at = run_end(_EXTENDED, passage.letters, at, stop)
            closed = run_end(_CLOSING, passage.letters, at, stop)
            blank = run_end(_BLANKS, passage.letters, closed, stop)
            if closed > at:
                self.abbreviation = self.head = ""
                self.phase = "close"
            if blank > closed:
                self.phase = "blank"
            at = blank
        return at if at == stop else self._ended(passage, at)

    def _ended(self, passage: Passage, at: int) -> int:
        """Decide by the first character behind the blanks."""
        letter = passage.letters[at]
        if letter == "n":
            self._separate(passage.base + at + 1)
            return at
        directly = self.phase == "end" and self.full_stop
        if (
            letter in ".!,"  # SB8a
            or (directly and letter in NUMERIC)  # SB6
            or (directly and self.after_letter and letter in UPPER)  # SB7
        ):
            self.phase = "text"
            return at
        self.candidate = passage.base + at
        if passage.text[at] in "*_~":
            self.phase = "marks"
            return at
        return self._offer(passage, at)

    def _marks(self, passage: Passage, at: int, stop: int) -> int:
        """Pass marks of emphasis: before white space they belong to the sentence that ended."""
        at = run_end(_MARKS, passage.text, at, stop)
        if at == stop:
            return at
        if passage.letters[at] in WHITE:
            self.phase = "gap"
        elif self.abbreviation == "always":
            self.phase = "text"
        elif self.full_stop:
            self.phase = "look"
        else:
            self._begin(self.candidate)
        return at

    def _gap(self, passage: Passage, at: int, stop: int) -> int:
        end = run_end(_WHITE, passage.letters, at, stop)
        separator = passage.letters.find("n", at, end)
        if separator >= 0 and self.candidate >= 0:  # marks are between the full stop and this
            abbreviated = self.abbreviation == "always"
            self.abbreviation = self.head = ""
            self._separate(passage.base + separator + 1)
            self.candidate = -1 if abbreviated else _AFTER_MARKS
        if end == stop:
            return end
        place = passage.base + end
        directly = end > 0 and passage.letters[end - 1] == "n"
        if self.candidate < 0 and directly and passage.text[end] in "*_~":
            first = place == self.separated and self.candidate != _AFTER_MARKS
            if not first and self.abbreviation != "always":
                self.start = place
            self.candidate = place
            self.phase = "marks"
            return end
        return self._offer(passage, end)

    def _separate(self, after: int) -> None:
        """Pass a line or paragraph separator, the first one since visible text, which ends before
        ``after``: a sentence begins whatever was before it (SB4).
        """
        self.phase = "gap"
        self.full_stop = False
        self.candidate = -1
        self.separated = after

    def _offer(self, passage: Passage, at: int) -> int:
        """Take the visible character at ``at`` for the beginning of a sentence if it may be one."""
        letter = passage.letters[at]
        self.candidate = passage.base + at
        self.phase = "text"
        if letter in LOWER or self.abbreviation == "always":
            return at
        if self.abbreviation == "number" and letter == DIGIT:
            return at
        if self.head and letter in UPPER + OTHER_LETTER:
            self.phase = "word"
        elif self.full_stop:
            self.phase = "look"
        else:
            self._begin(self.candidate)
        return at

    def _word(self, passage: Passage, at: int, stop: int) -> int:
        """Read the first word after a number or after the head of an abbreviation."""
        end = run_end(_WORD, passage.letters, at, stop)
        self.word = (self.word + passage.text[at:end])[: _MAX_WORD + 1]
        if end < stop:
            words = _FOLLOWERS[self.head]
            if self.word in words or self.word + passage.text[end] in words:
                self.phase = "text"
            else:
                self._begin(self.candidate)
        return end

    def _look(self, passage: Passage, at: int, stop: int) -> int:
        """Look for a small letter before any other letter or end of a sentence (SB8)."""
        found = _DECIDES.search(passage.letters, at, stop)
        if not found:
            return stop
        if passage.letters[found.start()] in LOWER:
            self.phase = "text"
        else:
            self._begin(self.candidate)
        return found.start()

    def _begin(self, start: int) -> None:
        self.start = start
        self.phase = "text"


def _begins(letters: str, at: int, kind: str = "") -> bool:
    """Tell whether a word begins at ``at``; with ``kind``, whether it begins with that class."""
    if at < 0 or (kind and letters[at] not in kind):
        return False
    return at == 0 or letters[at - 1] not in WORD
