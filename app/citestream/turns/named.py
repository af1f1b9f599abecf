"""One source that a marker names: where it stands, and the citation it has become.

Must not know what the turn makes of it.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from citestream.citations import Entry
from citestream.turns.citation import Citation, Offsets


@dataclass(slots=True)
class Named:
    """One source that a marker names, where, and the citation it has become."""

    entry: Entry
    offsets: Offsets | None
    over: bool
    """Named behind the 2,000th."""
    citation: Citation | None = None

    def as_row(self) -> dict[str, Any]:
        """Return what is kept of it, as a JSON value."""
        return {"entry": list(self.entry), "offsets": self.offsets and list(astuple(self.offsets))}


def entry_of(fields: Sequence[Any]) -> Entry:
    """Return the entry of a row, whose tuples are lists."""
    source_id, offset, locator, undecided, span, numbered = fields
    return Entry(
        source_id, offset, locator, tuple(undecided), span and (span[0], span[1]), numbered
    )


def place_at(offset: int, base: Offsets, before: str, text: str) -> Offsets:
    """Return the place at ``offset``: in ``text``, which begins at ``base``, or one before it.

    Only a single punctuation character inside a word or number lets an offset lie behind; it is
    then ``before``, the character before ``base``.
    """
    if offset >= base.rune:
        return base.after(text[: offset - base.rune])
    back = Offsets(0, 0, 0).after(before)
    return Offsets(base.rune - back.rune, base.utf16 - back.utf16, base.utf8 - back.utf8)
