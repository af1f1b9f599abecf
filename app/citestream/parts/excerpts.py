"""Excerpts: what a cited place says, short enough to show beside the claim.

Must not know citations; it takes a part and a locator.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, Literal

from citestream.parts.locators import resolve
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
    found = resolve(part.root, locator, enough=MAX_EXCERPT)
    text = found.value if isinstance(found.value, str) else _compact(found.value)
    return Excerpt(found.kind, text[:MAX_EXCERPT], len(text) > MAX_EXCERPT)


_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _compact(value: Any) -> str:
    """Return the head of a value's JSON: a big part is not written out for each citation."""
    pieces: list[str] = []
    length = 0
    for piece in _JSON.iterencode(value):
        pieces.append(piece)
        length += len(piece)
        if length > MAX_EXCERPT:
            break
    return "".join(pieces)
