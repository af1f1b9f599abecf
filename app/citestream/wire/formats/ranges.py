"""The range that a citation covers, in the unit of a vendor's places.

Lives here: what stands for a claim that is empty. Must not know any vendor.
"""

from dataclasses import dataclass

from citestream.parts import DataPart
from citestream.turns import Citation
from citestream.wire.formats.positions import Unit


@dataclass(slots=True)
class Cited:
    """A citation with where it is opened, and the range it covers in the unit of the places."""

    citation: Citation
    title: str | None
    url: str | None
    start: int
    end: int
    at: int
    """The citation's offset in that unit."""
    part: DataPart | None = None
    """The cited part, where it is at hand."""


class Ranges:
    """Gives the ranges of the citations of one text, which are asked for in their order."""

    __slots__ = ("_before", "_here", "_unit")

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._before = 0
        self._here = 0

    def of(self, citation: Citation) -> tuple[int, int, int]:
        """Return start and end of what a citation covers, and its offset.

        That is its claim; where the claim is empty or unknown, what is between the place of the
        citation before and its own. Several at one place have the same range.
        """
        claim, unit = citation.claim, self._unit
        at = getattr(citation.offsets, unit) if citation.offsets else citation.offset
        if at != self._here:
            self._before, self._here = self._here, at
        if claim is None or claim.start == claim.end:
            return self._before, at, at
        if claim.offsets is None:
            return claim.start, claim.end, at
        return getattr(claim.offsets[0], unit), getattr(claim.offsets[1], unit), at
