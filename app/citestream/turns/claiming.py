"""What a marker of a turn covers: its claim in all units, and what of it is to be compared.

Lives here: which of that a turn keeps, as its ``include`` asks. How a claim is found is in
:mod:`citestream.claims`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from citestream.citations import EngineOptions, Entry
from citestream.claims import ClaimTracker, find_items
from citestream.turns.offsets import Offsets

State = list[Any]


@dataclass(frozen=True, slots=True)
class Covered:
    """What a citation covers: two places of the clean text, and what is between them.

    ``offsets`` are the same places in all units, where they were asked for.
    """

    start: int
    end: int
    offsets: tuple[Offsets, Offsets] | None = None
    items: tuple[str, ...] = ()
    """The numbers and quoted strings of the claim, where a check was asked for."""

    def as_json(self) -> dict[str, Any]:
        """Return the claim as a JSON object: ``start``, ``end``, and perhaps ``offsets``."""
        claim: dict[str, Any] = {"start": self.start, "end": self.end}
        if self.offsets:
            start, end = self.offsets
            claim["offsets"] = {"start": start.as_json(), "end": end.as_json()}
        return claim

    def as_row(self) -> list[Any]:
        """Return it as a small JSON value."""
        units = [[place.utf16, place.utf8] for place in self.offsets or ()]
        return [self.start, self.end, units, list(self.items)]

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "Covered":
        """Return what :meth:`as_row` was made of."""
        start, end, units, items = row
        offsets = None
        if units:
            offsets = Offsets(start, *units[0]), Offsets(end, *units[1])
        return cls(start, end, offsets, tuple(items))


class Claims:
    """The claims of one answer, found with its markers."""

    def __init__(
        self, options: EngineOptions, *, words: bool, units: bool, state: State | None = None
    ) -> None:
        self._words = words
        self._units = units
        asked = options.dialect if isinstance(options.dialect, tuple) else (options.dialect,)
        numbers = "numbers" in asked
        self._keeps_numbers = numbers and options.numbers == "keep"
        if state is None:
            self._tracker = ClaimTracker(numbers=numbers, words=words, units=units)
        else:
            self._tracker = ClaimTracker.restore(state, numbers=numbers, words=words, units=units)

    def feed(self, text: str, opened: Iterable[int] = ()) -> None:
        """Take the next piece of the clean text.

        ``opened`` are the places from which on the engine may still say a claim.
        """
        self._tracker.feed(text)
        self._tracker.open(opened)

    def covered(self, entry: Entry) -> Covered:
        """Return what a marker covers; asked once for each entry, in their order."""
        kept = entry.source_id if entry.numbered and self._keeps_numbers else None
        claim = self._tracker.claim(entry.offset, kept=kept, said=entry.span)
        offsets = None
        if self._units:
            start, end = (Offsets(place, *self._tracker.units(place)) for place in claim)
            offsets = start, end
        items = find_items(self._tracker.words(claim)) if self._words else ()
        return Covered(claim.start, claim.end, offsets, items)

    def state(self) -> State:
        """Return the state as a small JSON value."""
        return self._tracker.snapshot()
