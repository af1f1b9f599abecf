"""Excerpts: what a cited place says, short enough to show beside the claim.

Must not know citations; it takes a part and a locator.
"""

import json
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Final, Literal

from citestream.parts.locators import LineIndex, resolve_in_data
from citestream.parts.part import DataPart

MAX_EXCERPT: Final = 2000
"""Code points of an excerpt at most."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An excerpt and how its place was found; ``truncated`` when more than 2,000 characters."""

    resolution: Literal["whole", "resolved", "unresolved"]
    text: str
    truncated: bool


def excerpt(part: DataPart, locator: str) -> Excerpt:
    """Return the text at ``locator``: a string itself, another value as compact JSON, or lines.

    An empty locator, and one that does not resolve, give the whole part (S1).
    """
    return Excerpts().excerpt(part, locator)


class Excerpts:
    """The excerpts of one turn: each is made once, and each text is searched for its lines once.

    So the work is bounded without a clock: at most 2,000 pieces of JSON for each place cited, and
    one reading of each part.
    """

    __slots__ = ("_found", "_indexes")

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Excerpt] = {}
        self._indexes: dict[int, tuple[str, LineIndex]] = {}

    def excerpt(self, part: DataPart, locator: str) -> Excerpt:
        """Return the same as :func:`excerpt`; parts of one id must be the same part."""
        made = self._found.get((part.id, locator))
        if made is None:
            found = resolve_in_data(part.data, locator, enough=MAX_EXCERPT, index=self._index)
            value = found.value
            text = value if isinstance(value, str) else _Head(MAX_EXCERPT + 1).json(value)
            made = Excerpt(found.kind, text[:MAX_EXCERPT], len(text) > MAX_EXCERPT)
            self._found[part.id, locator] = made
        return made

    def _index(self, text: str) -> LineIndex:
        known = self._indexes.get(id(text))
        if known is None:
            # The text is kept beside its index, so that no other one takes its place in memory.
            known = self._indexes[id(text)] = (text, LineIndex(text))
        return known[1]


class _Head:
    """Writes the first ``length`` code points of a value's compact JSON, or a few more.

    Strings are cut before they are written, and nothing behind the end is looked at.
    """

    __slots__ = ("_left", "_pieces")

    def __init__(self, length: int) -> None:
        self._left = length
        self._pieces: list[str] = []

    def json(self, value: Any) -> str:
        """Return the head of the JSON of ``value``."""
        self._value(value)
        return "".join(self._pieces)

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._left -= len(piece)

    def _value(self, value: Any) -> None:
        if isinstance(value, str):
            self._add(encode_basestring(value[: max(self._left, 0)]))
        elif isinstance(value, dict):
            self._add("{")
            for number, (key, inner) in enumerate(value.items()):
                if self._left <= 0:
                    return
                shown = encode_basestring(key[: self._left])
                self._add(f",{shown}:" if number else f"{shown}:")
                self._value(inner)
            self._add("}")
        elif isinstance(value, list):
            self._add("[")
            for number, inner in enumerate(value):
                if self._left <= 0:
                    return
                if number:
                    self._add(",")
                self._value(inner)
            self._add("]")
        else:
            self._add(json.dumps(value))
