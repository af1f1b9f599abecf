"""What a turn takes in besides text, checked and settled before anything of the turn changes.

Lives here: ids that are assigned, results that become parts, and what is refused. Must not know
markers or streams.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from citestream.parts import MAX_PARTS, DataPart, Origin, PartError, PartRegistry, make_part
from citestream.sources import Source
from citestream.targets import Preset, one_address, parse_target, target_json
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


class Intake:
    """Checks the events of one push against a turn, in order; the turn stays as it is.

    ``parts`` and ``results`` are what the turn has, ``free`` the number of parts that take no slot;
    ``assign`` gives an id to a part without one.
    """

    def __init__(
        self,
        parts: PartRegistry,
        results: ToolResults,
        assign: Assign,
        preset: Preset | None = None,
        web_tools: frozenset[str] = WEB_TOOLS,
        free: int = 0,
    ) -> None:
        self._parts = parts
        self._taken = len(parts) - free
        self._assign = assign
        self._preset = preset
        self._web_tools = web_tools
        self._sources: list[Source] = [*results.sources()]
        self._new = PartRegistry()

    def admit(self, event: PartInput | ResultsInput | SettledResults) -> Registration:
        """Return what the event registers.

        Raises :class:`~citestream.parts.PartError` for an id outside the grammar, data that is no
        JSON value or a target of no known kind, its child
        :class:`~citestream.parts.PartConflictError` for a known id with other data, and
        :class:`TurnOverflowError` for one part too many.
        """
        match event:
            case SettledPart():
                return Registration(event, self._checked([event]))
            case PartInput():
                part = self._settled(event)
                return Registration(part, self._checked([part]))
            case ResultsInput():
                event = settle_results(
                    event,
                    lambda data: self._next_id("tool", data),
                    self._sources,
                    self._preset,
                    self._web_tools,
                )
        self._sources += event.added
        return Registration(event, self._checked(event.parts))

    def _settled(self, event: PartInput) -> SettledPart:
        kinds = self._preset.kinds if self._preset else None
        target = parse_target(event.target, kinds)
        if target is None and event.target is not None:
            raise PartError("target: must be a target of a known kind, with the fields of its kind")
        target, address = one_address(target, event.url)
        part_id = event.id
        if part_id is None:
            part_id = self._next_id(event.origin, event.data)
        given = {field.name: getattr(event, field.name) for field in fields(event)}
        return SettledPart(
            **{**given, "id": part_id}, address=address, own_target=target_json(target)
        )

    def _next_id(self, origin: Origin, data: Any) -> str:
        while (part_id := self._assign(origin, data)) in self._parts or part_id in self._new:
            pass
        return part_id

    def _checked(self, given: Iterable[SettledPart]) -> tuple[DataPart, ...]:
        made = []
        for one in given:
            part = make_part(
                str(one.id),
                one.tool_name,
                one.data,
                origin=one.origin,
                title=one.title,
                url=one.address,
                target=one.own_target,
                source=one.source,
                columns=one.columns,
            )
            new = self._parts.is_new(part) and self._new.add(part)
            if new and self._taken + len(self._new) > MAX_PARTS:
                raise TurnOverflowError(f"parts: at most {MAX_PARTS} in a turn")
            made.append(part)
        return tuple(made)
