"""Whether the cited place holds the numbers and quoted words of a claim.

Lives here: what of a claim is compared, and how. It is lexical: it knows no meaning. Must not know
citations or where the place is.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from citestream.claims.characters import WORD, classify
from citestream.claims.numbers import find_numbers, fold_digits, reading

MAX_CLAIM: Final = 2000
"""Code points of a claim that are compared at most, its last ones: as many as an excerpt has."""
MAX_QUOTED: Final = 10
"""Quoted strings of a claim that are compared at most, its first ones: each is a search through the
cited place (4 MB take some 4 ms)."""
SMALL: Final = 1024
"""Code points of a value that is as well read alone."""

_QUOTED: Final = re.compile(
    "“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」|『([^『』]*)』"
    '|(?<![0-9])"([^"]*)"'  # 5" is a measure
)
_CLOSING: Final = ",.;:!?…"
_BETWEEN: Final = "\x00"


class Check(NamedTuple):
    """The numbers and quoted strings of a claim, as written, each once, in order."""

    found: tuple[str, ...]
    """Those that the cited place holds."""
    missing: tuple[str, ...]

    def as_json(self) -> dict[str, list[str]]:
        """Return it as a JSON object."""
        return {"found": list(self.found), "missing": list(self.missing)}


def find_items(claim: str) -> tuple[str, ...]:
    """Return the numbers and the quoted strings of a claim as written, each once, in order.

    Of a claim over 2,000 code points these are those of its end, and at most 10 quoted strings.
    """
    if len(claim) > MAX_CLAIM:  # at a blank, as half a number is another number
        claim = claim[-MAX_CLAIM:].partition(" ")[2]
    numbers = find_numbers(fold_digits(claim))
    places = [(number.start, claim[number.start : number.end]) for number in numbers]
    quoted: dict[str, int] = {}
    for start, words in _quoted(claim):
        quoted.setdefault(words, start)
    places += ((start, words) for words, start in islice(quoted.items(), MAX_QUOTED))
    return tuple(dict.fromkeys(item for _, item in sorted(places)))


def _quoted(claim: str) -> Iterator[tuple[int, str]]:
    for found in _QUOTED.finditer(claim):
        words = found[found.lastindex or 0].strip()
        while words and words[-1] in _CLOSING:
            words = words[:-1].rstrip()
        if any(letter in WORD for letter in classify(words)):
            yield found.start(), words


class Place:
    """A value that is cited, read once for all claims that cite it or what is in it.

    ``value`` is a string or another JSON value that does not change; of an object or array its
    keys, strings and numbers count.
    """

    def __init__(self, value: Any) -> None:
        # By each reading of a number: its places, in ascending order.
        self._numbers: dict[str, list[int]] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        texts: list[str] = []
        self.length = 0
        """Code points of all of it."""
        for piece in self._pieces(value):
            text = piece if isinstance(piece, str) else str(piece)
            if isinstance(piece, str):
                for number in find_numbers(fold_digits(text)):
                    self._add(number.readings, number.start)
            else:
                self._add((reading(piece),), 0)
            texts.append(text)
            self.length += len(text) + len(_BETWEEN)
        self._text = _folded(_BETWEEN.join(texts))

    def _pieces(self, value: Any) -> Iterator[str | int | float]:
        """Yield keys, strings and numbers in text order; depth costs no frames."""
        todo: list[Any] = [value]
        while todo:
            one = todo.pop()
            if isinstance(one, _Read):
                self._note(one.value, one.start)
            elif isinstance(one, dict):
                todo.append(_Read(one, self.length))
                for key, inner in reversed(one.items()):
                    todo += (inner, key)
            elif isinstance(one, list):
                todo.append(_Read(one, self.length))
                todo += reversed(one)
            elif isinstance(one, str):
                start = self.length
                yield one
                self._note(one, start)
            elif isinstance(one, int | float) and not isinstance(one, bool):
                yield one

    def _note(self, value: Any, start: int) -> None:
        if self.length - start > SMALL:
            self._spans[id(value)] = (start, self.length)

    def _add(self, readings: Iterable[str], start: int) -> None:
        for one in readings:
            self._numbers.setdefault(one, []).append(self.length + start)

    def span(self, value: Any) -> tuple[int, int] | None:
        """Return where a value of more than 1,024 code points is in this one, by identity."""
        return self._spans.get(id(value))

    def check(self, items: Iterable[str], span: tuple[int, int] | None = None) -> Check:
        """Return which of the items are there, or between two places if a span is given."""
        start, end = span or (0, self.length)
        found: list[str] = []
        missing: list[str] = []
        for item in items:
            (found if self._holds(item, start, end) else missing).append(item)
        return Check(tuple(found), tuple(missing))

    def _holds(self, item: str, start: int, end: int) -> bool:
        number = next(find_numbers(fold_digits(item)), None)
        if number and (number.start, number.end) == (0, len(item)):
            return any(self._has_number(one, start, end) for one in number.readings)
        words = map(re.escape, _folded(item).split())
        return re.compile(r"\s+".join(words)).search(self._text, start, end) is not None

    def _has_number(self, number: str, start: int, end: int) -> bool:
        places = self._numbers.get(number, ())
        index = bisect_left(places, start)
        return index < len(places) and places[index] < end


class _Read(NamedTuple):
    """A value all of which has been read, and where that began."""

    value: Any
    start: int


def check(claim: str, value: Any) -> Check:
    """Return which numbers and quoted strings of a claim are in a JSON value, and which are not."""
    return Place(value).check(find_items(claim))


def _folded(text: str) -> str:
    """Return ``text`` without case and with one apostrophe, as long as it was."""
    text = text.replace("’", "'")
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(low if len(low := one.lower()) == 1 else one for one in text)
