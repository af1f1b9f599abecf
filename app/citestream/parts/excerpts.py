"""Excerpts: what a cited place says, short enough to show beside the claim.

Must not know citations; it takes a part and a locator.
"""

import json
from collections.abc import Callable
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

    An empty locator, and one that does not resolve, give the whole part (S1), but for the columns
    of its rows that were read to find its target.
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
            found = resolve_in_data(part.data, locator, enough=MAX_EXCERPT, index=self.index)
            value, head = found.value, _Head(MAX_EXCERPT + 1)
            if isinstance(value, str):
                text = value
            elif part.columns and found.kind != "resolved":
                text = head.rows_without(value, frozenset(part.columns))
            else:
                text = head.json(value)
            made = Excerpt(found.kind, text[:MAX_EXCERPT], len(text) > MAX_EXCERPT)
            self._found[part.id, locator] = made
        return made

    def index(self, text: str) -> LineIndex:
        """Return the lines of a text that is part of a part's data."""
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

    def rows_without(self, value: Any, columns: frozenset[str]) -> str:
        """Return the head of the JSON of ``value`` without these columns of its ``rows``."""
        if not isinstance(value, dict):
            return self.json(value)

        def inner(key: str, found: Any) -> None:
            if key == "rows" and isinstance(found, list):
                self._array(found, lambda row: self._value(row, columns))
            else:
                self._value(found)

        self._object(value, inner)
        return "".join(self._pieces)

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._left -= len(piece)

    def _value(self, value: Any, omitted: frozenset[str] = frozenset()) -> None:
        if isinstance(value, str):
            self._add(encode_basestring(value[: max(self._left, 0)]))
        elif isinstance(value, dict):
            self._object(value, lambda _, inner: self._value(inner), omitted)
        elif isinstance(value, list):
            self._array(value, self._value)
        else:
            self._add(json.dumps(value))

    def _object(
        self,
        value: dict[str, Any],
        write: Callable[[str, Any], None],
        omitted: frozenset[str] = frozenset(),
    ) -> None:
        self._add("{")
        shown = (key for key in value if key not in omitted)
        for number, key in enumerate(shown):
            if self._left <= 0:
                return
            name = encode_basestring(key[: self._left])
            self._add(f",{name}:" if number else f"{name}:")
            write(key, value[key])
        self._add("}")

    def _array(self, values: list[Any], write: Callable[[Any], None]) -> None:
        self._add("[")
        for number, inner in enumerate(values):
            if self._left <= 0:
                return
            if number:
                self._add(",")
            write(inner)
        self._add("]")
