"""The ledger of an answer: what its markers named, in text order, and what each became.

Lives here: which entry waits for its part, which is a citation, which is dropped and why, and what
is to be sent next. Must not know text, events or how parts are registered.
"""

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from typing import Any, Final

from citestream.citations import Entry, read_fields
from citestream.parts import is_user_origin_id
from citestream.turns.citation import Dropped, DropReason
from citestream.turns.claiming import Covered
from citestream.turns.offsets import Offsets

MAX_ENTRIES: Final = 2000
"""Entries of one turn that may become citations; those named later are dropped (``limit``)."""

Known = Callable[[str], str | None]
"""Returns the origin of the part that has an id (``tool`` or ``user``), None when there is none."""


@dataclass(slots=True)
class NamedSource:
    """One source that a marker names, and where."""

    source_id: str
    locator: str
    offset: int
    offsets: Offsets | None
    over: bool
    """Named after the 2,000th."""
    covered: Covered | None = None
    cited: bool = False


@dataclass(slots=True)
class _Line:
    """One entry of a marker and the sources it names; None while a field is undecided."""

    entry: Entry
    offsets: Offsets | None
    before: int
    """The most sources that the entries before it can name."""
    covered: Covered | None = None
    sources: list[NamedSource] | None = None


class Ledger:
    """What the markers of one answer named. ``known`` answers for the parts of the turn, and
    ``resolve`` returns the id of the part that an id or the number of a source names.

    A later field of a marker may be a source or a locator (:func:`read_fields`). Its entry waits
    until every such field is a known id, or until the answer ends.
    """

    __slots__ = ("_known", "_lines", "_most", "_resolve", "_waiting", "unsent")

    def __init__(self, known: Known, resolve: Known) -> None:
        self._known = known
        self._resolve = resolve
        self._lines: list[_Line] = []
        self._most = 0
        self.unsent: list[NamedSource] = []
        """What became a citation since the last :meth:`take`, in the order in which it did."""
        # By the id of a part that is not there: the sources that it makes citations, and the lines
        # whose fields it decides.
        self._waiting: dict[str, list[NamedSource | _Line]] = {}

    def __len__(self) -> int:
        """Return how many entries were added."""
        return len(self._lines)

    def add(self, entry: Entry, offsets: Offsets | None, covered: Covered | None = None) -> None:
        """Take in what a marker names.

        ``offsets`` is its place in all units and ``covered`` what it covers, if asked for.
        """
        line = _Line(entry, offsets, self._most, covered)
        self._most += 1 + len(entry.undecided)
        self._lines.append(line)
        if not self._decide(line):
            for field in (entry.source_id,) if entry.numbered else entry.undecided:
                self._waiting.setdefault(field, []).append(line)

    def part_added(self, part_id: str) -> None:
        """Take notice that a part has come."""
        for waiting in self._waiting.pop(part_id, ()):
            if isinstance(waiting, NamedSource):
                self._place(waiting)
            elif waiting.sources is None:
                self._decide(waiting)

    def number_added(self, number: int) -> None:
        """Take notice that a part has the number of a source."""
        for waiting in self._waiting.pop(str(number), ()):
            if isinstance(waiting, NamedSource) or not waiting.entry.numbered:
                self._waiting.setdefault(str(number), []).append(waiting)
            else:
                self._decide(waiting)

    def take(self) -> list[NamedSource]:
        """Return :attr:`unsent`, which is empty then."""
        unsent, self.unsent = self.unsent, []
        return unsent

    def close(self) -> None:
        """Decide what is undecided: the answer has ended, and no part can come any more."""
        for line in self._lines:
            if line.sources is None:
                self._decide(line, at_end=True)
        # How many sources were named before each is known only now.
        for number, source in enumerate(self.sources()):
            if source.over and number < MAX_ENTRIES:
                source.over = False
                self._place(source)

    def sources(self) -> Iterator[NamedSource]:
        """Return all sources named, in text order, but for undecided entries."""
        return (source for line in self._lines for source in line.sources or ())

    def dropped(self, *, ended: bool) -> tuple[Dropped, ...]:
        """Return what no reader gets as a citation, by offset; until the end its part may come."""
        dropped = (
            Dropped(source.source_id, source.offset, source.locator, reason)
            for source in self.sources()
            if (reason := self._drop_reason(source, ended=ended))
        )
        return tuple(sorted(dropped, key=lambda one: one.offset))

    def wants_retry(self) -> bool:
        """Tell whether nothing is cited and something was dropped as the user's own (S1)."""
        users = False
        for source in self.sources():
            if source.cited:
                return False
            users = users or self._is_users(source.source_id)
        return users

    # -- what becomes of an entry -------------------------------------------------------------

    def _decide(self, line: _Line, *, at_end: bool = False) -> bool:
        entry = line.entry
        if entry.numbered:
            part_id = self._resolve(entry.source_id)
            if part_id is None and not at_end:
                return False
            # Decided for good: what is known later may give the number's part another rank.
            entry = entry._replace(source_id=part_id or entry.source_id, numbered=False)
            line.entry = entry
        pairs = [(entry.source_id, entry.locator)]
        if entry.undecided:
            read = read_fields(
                entry.source_id,
                entry.locator,
                entry.undecided,
                lambda field: self._known(field) is not None or (False if at_end else None),
            )
            if read is None:
                return False
            pairs = read
        line.sources = [
            NamedSource(
                source_id,
                locator,
                entry.offset,
                line.offsets,
                number >= MAX_ENTRIES,
                line.covered,
            )
            for number, (source_id, locator) in enumerate(pairs, line.before)
        ]
        for source in line.sources:
            self._place(source)
        return True

    def _place(self, source: NamedSource) -> None:
        if source.over or is_user_origin_id(source.source_id):
            return
        origin = self._known(source.source_id)
        if origin is None:
            self._waiting.setdefault(source.source_id, []).append(source)
        elif origin == "tool":
            source.cited = True
            self.unsent.append(source)

    def _is_users(self, source_id: str) -> bool:
        return is_user_origin_id(source_id) or self._known(source_id) == "user"

    def _drop_reason(self, source: NamedSource, *, ended: bool) -> DropReason | None:
        if source.cited:
            return None
        if source.over:
            return "limit"
        if self._is_users(source.source_id):
            return "user_origin"
        return "unknown_part" if ended else None

    # -- snapshots ----------------------------------------------------------------------------

    def rows(self, first: int) -> list[dict[str, Any]]:
        """Return the entries from number ``first`` (from 0) on, as JSON values."""
        return list(map(_row, self._lines[first:]))

    def unsent_places(self) -> list[int]:
        """Return the places of :attr:`unsent` among :meth:`sources`."""
        if not self.unsent:
            return []
        places = {id(source): place for place, source in enumerate(self.sources())}
        return [places[id(source)] for source in self.unsent]

    def restore(self, rows: list[dict[str, Any]], unsent: list[int], *, ended: bool) -> None:
        """Take in the rows of another ledger, when all parts are registered."""
        for row in rows:
            source_id, offset, locator, *undecided = row["entry"]
            covered = row.get("covered")
            entry = Entry(
                source_id,
                offset,
                locator,
                tuple(undecided),
                numbered=row.get("numbered", False),
            )
            self.add(
                entry,
                row["offsets"] and Offsets(*row["offsets"]),
                covered and Covered.from_row(covered),
            )
        if ended:
            self.close()
        sources = list(self.sources())
        self.unsent = [sources[place] for place in unsent]


def _row(line: _Line) -> dict[str, Any]:
    entry = line.entry
    row: dict[str, Any] = {
        "entry": [entry.source_id, entry.offset, entry.locator, *entry.undecided],
        "offsets": line.offsets and list(astuple(line.offsets)),
    }
    if line.covered:
        row["covered"] = line.covered.as_row()
    if entry.numbered:
        row["numbered"] = True
    return row
