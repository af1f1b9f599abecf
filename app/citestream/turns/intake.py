"""What a turn takes in besides text, checked and settled before anything of the turn changes.

Lives here: ids that are assigned, results that become parts, and what is refused. Must not know
markers or streams.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from citestream.parts import (
    MAX_PARTS,
    DataPart,
    Origin,
    PartDataError,
    PartError,
    PartRegistry,
    make_part,
)
from citestream.sources import Source
from citestream.targets import Preset, one_address, parse_target, target_json
from citestream.turns.answer import Refused
from citestream.turns.events import PartInput, ResultsInput, SettledPart, SettledResults
from citestream.turns.results import WEB_TOOLS, ToolResults, settle_results

Assign = Callable[[Origin, Any], str]
"""Returns the next free id for data of this origin."""


class TurnOverflowError(ValueError):
    """More was registered than a turn may hold; the message names the field and the limit."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A ``part`` or ``results`` event with all ids, numbers and targets, and its parts."""

    event: SettledPart | SettledResults
    parts: tuple[DataPart, ...]
    """One for each part of the event; one that is registered already may be among them."""
    refused: tuple[Refused, ...] = ()
    """What could not be held. It costs only itself."""


class Intake:
    """Checks the events of one push against a turn, in order; the turn stays as it is.

    ``parts`` and ``results`` are what the turn has; ``assign`` gives an id to a part without one.
    """

    def __init__(
        self,
        parts: PartRegistry,
        results: ToolResults,
        assign: Assign,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
    ) -> None:
        self._parts = parts
        self._assign = assign
        self._preset = preset
        self._web_tools = web_tools
        self._sources: list[Source] = [*results.sources()]
        self._new = PartRegistry()
        # Parts that count: those of an address that was known take no place.
        self._count = len(parts) - results.repeats

    def admit(
        self, event: PartInput | ResultsInput | SettledResults, *, strict: bool = False
    ) -> Registration:
        """Return what the event registers.

        Data that cannot be held is refused by name, in what is returned or, when ``strict``, by
        :class:`~citestream.parts.PartDataError`. Raises :class:`~citestream.parts.PartError` for
        an id outside the grammar or a target of no known kind, its child
        :class:`~citestream.parts.PartConflictError` for a known id with other data, and
        :class:`TurnOverflowError` for one part too many.
        """
        if isinstance(event, PartInput):
            return self._admit_part(event, strict)
        if isinstance(event, ResultsInput):
            event = settle_results(
                event, self._ids_of_results(), self._sources, self._preset, self._web_tools
            )
        self._sources += event.added
        fresh = {source.index for source in event.added}
        parts = []
        for given, number in zip(event.parts, event.numbers, strict=True):
            parts.append(self._admitted(_made(given), counts=number is None or number in fresh))
            fresh.discard(number or 0)
        return Registration(event, tuple(parts), refusals(event))

    def _admit_part(self, event: PartInput, strict: bool) -> Registration:
        settled = event if isinstance(event, SettledPart) else self._settled(event)
        try:
            part = _made(settled)
        except PartDataError as error:
            if strict:
                raise
            return Registration(settled, (), (_refused(event, error),))
        if settled.id is None:  # what is refused uses up no id
            settled = replace(settled, id=self._next_id(event.origin, event.data))
            part = replace(part, id=str(settled.id))
        return Registration(settled, (self._admitted(part, counts=True),))

    def _admitted(self, part: DataPart, *, counts: bool) -> DataPart:
        if self._parts.is_new(part) and self._new.add(part):
            self._count += counts
            if self._count > MAX_PARTS:
                raise TurnOverflowError(f"parts: at most {MAX_PARTS} in a turn")
        return part

    def _ids_of_results(self) -> Callable[[str | None, DataPart], str]:
        """Return what gives each result of one event its id: its own, where that is no conflict."""
        reserved = PartRegistry()

        def id_of(given: str | None, part: DataPart) -> str:
            registries = (self._parts, self._new, reserved)
            part_id = given
            while part_id is None or not all(one.admits(part_id, part.data) for one in registries):
                part_id = self._next_id("tool", part.data)
            reserved.add(replace(part, id=part_id))
            return part_id

        return id_of

    def _settled(self, event: PartInput) -> SettledPart:
        kinds = self._preset.kinds if self._preset else None
        target = parse_target(event.target, kinds)
        if target is None and event.target is not None:
            raise PartError("target: must be a target of a known kind, with the fields of its kind")
        target, address = one_address(target, event.url)
        given = {field.name: getattr(event, field.name) for field in fields(event)}
        return SettledPart(**given, address=address, own_target=target_json(target))

    def _next_id(self, origin: Origin, data: Any) -> str:
        while (part_id := self._assign(origin, data)) in self._parts or part_id in self._new:
            pass
        return part_id


def refusals(event: PartInput | SettledResults) -> tuple[Refused, ...]:
    """Return what an event that was taken did not register, because it cannot be held."""
    if isinstance(event, SettledResults):
        return tuple(
            Refused(None, event.tool_name, f"results[{index}]: {problem}")
            for index, problem in event.refused
        )
    try:
        _made(event)
    except PartDataError as error:
        return (_refused(event, error),)
    return ()


def _refused(event: PartInput, error: PartDataError) -> Refused:
    # Without the place: it would repeat keys of the data.
    return Refused(event.id, event.tool_name, f"data: {error.problem}")


_UNNAMED: Final = "part"
"""The id of a part whose id is not settled yet."""


def _made(event: PartInput) -> DataPart:
    """Make the part of an event; its own fields are checked, what is settled is taken from it."""
    if event.unreadable is not None:
        raise PartDataError(event.unreadable)
    settled = event if isinstance(event, SettledPart) else SettledPart(event.tool_name, None)
    return make_part(
        _UNNAMED if event.id is None else event.id,
        event.tool_name,
        event.data,
        origin=event.origin,
        title=event.title,
        url=settled.address,
        target=settled.own_target,
        source=settled.source,
        columns=settled.columns,
    )
