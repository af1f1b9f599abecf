"""Citations as readers get them: each with what its turn was asked for.

Lives here: which field a name of ``include`` adds. Must not know text or when a citation is sent.
"""

from typing import Final

from citestream.parts import DataPart, Excerpts
from citestream.turns.checks import Checks
from citestream.turns.citation import Citation, Include, Source
from citestream.turns.ledger import NamedSource
from citestream.turns.material import Material

LARGE_PART: Final = 16 * 1024
"""Bytes of JSON of a part that is read for checks when it is registered, because reading it later
would delay a delta (16 KiB take some 5 ms)."""


class Citing:
    """Makes the citations of one turn; it reads each excerpt and each large part once."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._excerpts = Excerpts()
        self._checks = Checks(self._excerpts.index)

    def prepare(self, part: DataPart, include: frozenset[Include]) -> None:
        """Read a new part now if reading it with its first citation would take long."""
        if "check" in include and part.json_size() > LARGE_PART:
            self._checks.prepare(part)

    def citation(self, named: NamedSource, include: frozenset[Include]) -> Citation:
        """Return the citation of a source whose part is registered."""
        part = self._material[named.source_id]
        return Citation(
            part.id,
            named.offset,
            named.locator,
            self._excerpts.excerpt(part, named.locator) if "excerpt" in include else None,
            named.offsets,
            Source(part.tool_name, part.title, part.url, part.source)
            if "source" in include
            else None,
            # A source may lose its meaning after it was cited; the last state counts (S3).
            self._material.results.target(part),
            named.covered if "claim" in include else None,
            self._checks.check(part, named.locator, named.covered.items)
            if named.covered and "check" in include
            else None,
        )
