"""Where the links of terminal excerpts are put in the words of an old message.

A draft marked the place with one placeholder an excerpt; when it was sent, the placeholder could
become a written-out label, `@terminal-1:509-514`. This file knows words and places, not blocks.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from citestream.context.long_text import find, joined, matches, spliced
from citestream.context.records import Record

PLACEHOLDER = "\ufffc"
"""OBJECT REPLACEMENT CHARACTER."""

# Most signs that cannot begin a label are passed in the expression; `_is_glued` decides the rest.
_PLACE = re.compile(rf"{PLACEHOLDER}|(?<![A-Za-z0-9_@.-])@")


@dataclass(frozen=True, slots=True)
class PlacedTerminals:
    """The pieces of prose with links in them, and the records that found no place."""

    prose: list[str]
    waiting: list[Record]


def place_terminals(
    prose: Sequence[str], terminals: Sequence[Record], links: Mapping[str, str]
) -> PlacedTerminals:
    """Put the links of `terminals` (by id) into the pieces of `prose`.

    Placeholders take the first excerpts in order, one too many is removed. Each further excerpt
    takes the first written-out label of its range that is not glued to a word or an address.
    """
    count = len(list(islice(_placeholders(prose), len(terminals))))
    bound = iter(terminals[:count])
    labels = _Labels(terminals[count:])

    def changes(piece: str) -> Iterator[tuple[int, int, str]]:
        done = 0
        for match in matches(_PLACE, piece, longest=1):
            start = match.start()
            if match[0] == PLACEHOLDER:
                record = next(bound, None)
                yield start, start + 1, links[record["contextId"]] if record else ""
            elif start >= done and (label := labels.at(piece, start)):
                done = start + len(label)
                record = None if _is_glued(piece, start, done) else labels.take(label)
                if record is not None:
                    yield start, done, links[record["contextId"]]

    placed = [joined(spliced(piece, changes(piece))) for piece in prose]
    return PlacedTerminals(placed, labels.left())


class _Labels:
    """The written-out labels of excerpts, looked up where one may begin."""

    def __init__(self, terminals: Sequence[Record]) -> None:
        self._waiting: dict[str, deque[Record]] = {}
        for record in terminals:
            self._waiting.setdefault(_written_label(record), deque()).append(record)
        self._terminals = terminals
        self._head = min(map(len, self._waiting), default=0)
        # The longer label first: `@sh:1` is the head of `@sh:1-2`.
        self._lengths: dict[str, list[int]] = {}
        for label in sorted(self._waiting, key=len, reverse=True):
            lengths = self._lengths.setdefault(label[: self._head], [])
            if len(label) not in lengths:
                lengths.append(len(label))

    def at(self, text: str, start: int) -> str:
        """Return the longest label that begins at `start`, empty when none does."""
        for length in self._lengths.get(text[start : start + self._head], ()):
            if (label := text[start : start + length]) in self._waiting:
                return label
        return ""

    def take(self, label: str) -> Record | None:
        """Return the next excerpt with this label, None when each has its place."""
        waiting = self._waiting[label]
        return waiting.popleft() if waiting else None

    def left(self) -> list[Record]:
        """Return the excerpts without a place, in their order."""
        left = {record["contextId"] for waiting in self._waiting.values() for record in waiting}
        return [record for record in self._terminals if record["contextId"] in left]


def _placeholders(prose: Sequence[str]) -> Iterator[int]:
    for piece in prose:
        at = -1
        while (at := find(piece, PLACEHOLDER, at + 1)) >= 0:
            yield at


def _written_label(record: Record) -> str:
    first, last = record["lineStart"], record["lineEnd"]
    lines = f"{first}" if first == last else f"{first}-{last}"
    return f"@{record['terminalId']}:{lines}"


def _is_glued(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start]
    if before and (before in "@.-" or _is_word(before)):
        return True
    # Dots and at signs belong to an address only when a word follows them.
    while text[end : end + 1] in {".", "@"}:
        end += 1
    after = text[end : end + 1]
    return bool(after) and (after == "-" or _is_word(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
