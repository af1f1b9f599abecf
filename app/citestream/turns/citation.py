"""Citations as values, and the fields a caller may ask for on top.

Must not know streams, or when a citation is sent to which reader.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from citestream.claims import Check
from citestream.parts import Excerpt
from citestream.turns.claiming import Covered
from citestream.turns.offsets import Offsets

Include = Literal[
    "excerpt", "offsets", "source", "diagnostics", "claim", "check", "sources", "registered"
]
"""What an answer may carry beyond the citations themselves: six kinds of fields, and the events
``source`` and ``registered``."""

INCLUDES: Final[tuple[Include, ...]] = get_args(Include)


def known_includes(names: Iterable[str]) -> frozenset[Include]:
    """Return the names that a caller asks for. Raises ``ValueError`` for an unknown one."""
    asked = frozenset(names)
    if not asked <= frozenset(INCLUDES):
        raise ValueError(f"include: must be some of {', '.join(INCLUDES)}")
    return frozenset(name for name in INCLUDES if name in asked)


DropReason = Literal["unknown_part", "user_origin", "limit"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a cited part came from; ``source`` is what its tool calls it, if it says so."""

    tool_name: str
    title: str | None
    url: str | None
    source: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; ``source`` is there when it is known."""
        shown = {"tool_name": self.tool_name, "title": self.title, "url": self.url}
        return shown if self.source is None else {**shown, "source": self.source}


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker, resolved (S1 "Citation metadata").

    ``offset`` counts code points of the joined clean text, snapped past closing punctuation.
    ``locator`` is as the model wrote it: a JSON Pointer, a line range, another text that names no
    place, or empty for the whole part. ``target`` is what the part points at, a JSON object (S3),
    where that is known. The other fields are there when they were asked for: ``claim`` is which
    words the citation covers, ``check`` which of their numbers and quoted strings the cited place
    holds.
    """

    data_part_id: str
    offset: int
    locator: str
    excerpt: Excerpt | None = None
    offsets: Offsets | None = None
    source: Source | None = None
    target: dict[str, Any] | None = None
    claim: Covered | None = None
    check: Check | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the citation as a JSON object, without the fields that were not asked for."""
        shown: dict[str, Any] = {
            "data_part_id": self.data_part_id,
            "offset": self.offset,
            "locator": self.locator,
        }
        if self.target is not None:
            shown["target"] = self.target
        if self.excerpt:
            shown["resolution"] = self.excerpt.resolution
            shown["excerpt"] = {"text": self.excerpt.text, "truncated": self.excerpt.truncated}
        if self.offsets:
            shown["offsets"] = self.offsets.as_json()
        if self.source:
            shown["source"] = self.source.as_json()
        if self.claim:
            shown["claim"] = self.claim.as_json()
        if self.check is not None:
            shown["check"] = self.check.as_json()
        return shown

    def is_unsupported(self) -> bool:
        """Tell whether a check found nothing of the claim, and something missing."""
        return self.check is not None and bool(self.check.missing) and not self.check.found


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a marker named and no reader gets as a citation, and why.

    ``unknown_part``: no part of the turn has this id. ``user_origin``: the part is the user's own.
    ``limit``: the turn had named 2,000 sources before.
    """

    data_part_id: str
    offset: int
    locator: str
    reason: DropReason

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "data_part_id": self.data_part_id,
            "offset": self.offset,
            "locator": self.locator,
            "reason": self.reason,
        }
