"""What an answer may be made from: the parts of its turn, with their numbers and targets.

Lives here: which parts are registered, carried from earlier turns, or refused, and what results
settled about them. Must not know text, markers or streams.
"""

from collections.abc import Iterable
from typing import Any

from citestream.citations.known import KnownSources
from citestream.parts import DataPart, IdCounter, Origin, PartRegistry
from citestream.targets import Preset
from citestream.turns.answer import MAX_REFUSED, Refused
from citestream.turns.events import SettledResults
from citestream.turns.intake import Assign, Intake, Registration
from citestream.turns.prompt import PromptStyle, prompt_of
from citestream.turns.results import ToolResults


class Material:
    """The parts of one turn. ``carried`` are parts of earlier turns that may be cited too: they
    keep their ids, and are registered once they are cited.
    """

    def __init__(
        self,
        *,
        ids: IdCounter,
        preset: Preset | None,
        web_tools: frozenset[str],
        carried: Iterable[DataPart],
    ) -> None:
        self.ids = ids
        self.preset = preset
        self.web_tools = web_tools
        self.known = KnownSources()
        """Which sources markers may name at the moment."""
        self.results = ToolResults()
        self.refused: list[Refused] = []
        """The first 20 parts and results that could not be registered."""
        self._parts = PartRegistry()
        self._carried = {part.id: part for part in carried}
        self._carried_cited: list[str] = []
        for part_id in self._carried:
            self.known.add(part_id)

    def intake(
        self,
        assign: Assign | None = None,
        preset: Preset | None = None,
        web_tools: frozenset[str] | None = None,
    ) -> Intake:
        """Return what checks and settles events before they are added, see ``Turn.intake``."""
        return Intake(
            self._parts,
            self.results,
            assign or (lambda origin, data: self.ids.assign(origin, data, self._parts)),
            preset or self.preset,
            self.web_tools if web_tools is None else web_tools,
            free=len(self._carried_cited),
        )

    # -- parts --------------------------------------------------------------------------------

    def add_results(self, registration: Registration) -> None:
        """Take note of what an event settled and of what was refused, but for its parts."""
        if isinstance(registration.event, SettledResults):
            self.results.add(registration.event)
        self.refused += registration.refused[: MAX_REFUSED - len(self.refused)]

    def add(self, part: DataPart) -> bool:
        """Register a part; return whether it is new."""
        new = self._parts.add(part)
        if new:
            self.known.add(part.id)
        if number := self.results.number(part.id):
            self.known.add_number(number, part.id)
        return new

    def may_carry(self) -> bool:
        """Tell whether there are parts of earlier turns that may be cited."""
        return bool(self._carried)

    def carry(self, part_id: str) -> None:
        """Register the part of an earlier turn that has this id, unless it was cited before."""
        if part_id not in self._parts:
            self._parts.add(self._carried[part_id])
            self._carried_cited.append(part_id)

    def __getitem__(self, part_id: str) -> DataPart:
        """Return a registered part. Raises ``KeyError`` for an id that no part has."""
        return self._parts[part_id]

    def origin(self, part_id: str) -> Origin | None:
        """Return where a part is from, registered or carried; None for an unknown id."""
        part = self._parts.get(part_id) or self._carried.get(part_id)
        return part.origin if part else None

    def new_parts(self, registration: Registration) -> list[DataPart]:
        """Return those parts of a registration that are not registered yet, each once."""
        new = {part.id: part for part in registration.parts if part.id not in self._parts}
        return list(new.values())

    def parts(self) -> tuple[DataPart, ...]:
        """Return the parts of the turn's own, in the order in which they were registered."""
        carried = set(self._carried_cited)
        return tuple(part for part in self._parts if part.id not in carried)

    def carried_cited(self, first: int = 0) -> list[DataPart]:
        """Return the carried parts that are cited, from number ``first`` (from 0) on."""
        return [self._parts[part_id] for part_id in self._carried_cited[first:]]

    def citable(self) -> list[DataPart]:
        """Return all parts that may be cited, carried ones included."""
        return list({**self._carried, **{part.id: part for part in self._parts}}.values())

    def replaced_signs(self) -> int:
        """Return how many marker signs were replaced in the data of the registered parts."""
        return sum(part.signs for part in self._parts)

    def prompt(self, part_ids: Iterable[str] | None, style: PromptStyle) -> dict[str, Any]:
        """Return what teaches a model to cite these parts, see ``Turn.prompt``."""
        citable = {part.id: part for part in self.citable()}
        chosen = citable.values() if part_ids is None else map(citable.__getitem__, part_ids)
        return prompt_of(chosen, self.results.number, style)

    # -- snapshots ----------------------------------------------------------------------------

    def rows(self) -> dict[str, Any]:
        """Return what only grows, as JSON values: ``results``, ``parts``, ``carried``,
        ``carried_cited``.
        """
        return {
            "results": self.results.rows(0),
            "parts": [part.as_json() for part in self.parts()],
            "carried": [part.as_json() for part in self._carried.values()],
            "carried_cited": list(self._carried_cited),
        }

    def restore(self, rows: dict[str, Any], refused: Iterable[dict[str, Any]]) -> None:
        """Take in the rows of another turn that carried the same parts, and what it refused."""
        self.results.restore(rows["results"])
        for part in rows["parts"]:
            self.add(DataPart.from_json(part))
        for part_id in rows["carried_cited"]:
            self.carry(part_id)
        self.refused = [Refused(**one) for one in refused]
