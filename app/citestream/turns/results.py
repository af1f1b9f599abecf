"""What tools return, made citable: parts, numbered sources (S0), typed targets (S3).

Lives here: how one ``results`` event becomes parts with ids, numbers and targets, and what the
results of a turn came to so far. The table of targets is a value that the caller gives; nothing is
looked up later, so a turn that is replayed from its record gives the same. Must not know markers
or streams.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from citestream.parts import DataPart, PartDataError
from citestream.parts.text import replace_surrogates, without_signs
from citestream.sources import Source, SourceList, ToolOutput
from citestream.targets import Preset, Registry, derive, target_address, target_json, written_target
from citestream.targets import Result as TypedResult
from citestream.targets import Written as Typed
from citestream.turns.events import ResultsInput, SettledPart, SettledResults, Written
from citestream.turns.items import Item, number_item, read_item, show_item

WEB_TOOLS: Final = frozenset({"web_search", "web_fetch", "search_web"})
"""The tools whose results are numbered sources (S0 "Sources only from the web tools")."""


def settle_results(
    event: ResultsInput,
    id_of: Callable[[str | None, DataPart], str],
    known: Sequence[Source],
    preset: Preset | None,
    web_tools: frozenset[str] = WEB_TOOLS,
) -> SettledResults:
    """Return the event with all that depends on tables and on what was registered before.

    ``id_of`` returns the id for a part, given the id that its result brought, if any; ``known`` are
    the turn's sources so far. A result that cannot be held is refused and the others are taken.
    """
    web = event.tool_name in web_tools if event.web is None else event.web
    refused = dict(event.unreadable)
    tool_name = without_signs(replace_surrogates(event.tool_name))[0]
    sources = SourceList(known)
    parts: list[SettledPart] = []
    outputs: list[ToolOutput] = []
    written: list[Written | None] = []
    for index, result in enumerate(event.results):
        if index in refused:
            continue
        try:
            item = read_item(result)
        except PartDataError as error:
            refused[index] = error.problem
            continue
        typed = _typed(event.tool_name, item, preset)
        settled, part = _settled(tool_name, item, typed, id_of)
        parts.append(settled)
        outputs.append(number_item(item, part, sources) if web else _unnumbered(item, part))
        written.append(Written(typed.source, target_json(typed.target)) if typed else None)
    return SettledResults(
        given=event,
        parts=tuple(parts),
        numbers=tuple(output.numbers[0] for output in outputs),
        added=tuple(source for output in outputs for source in output.added),
        written=tuple(written),
        refused=tuple(sorted(refused.items())),
        text="\n\n".join(output.text for output in outputs),
    )


def _unnumbered(item: Item, part: DataPart) -> ToolOutput:
    return ToolOutput(show_item(item, part), (None,), ())


def _typed(tool_name: str, item: Item, preset: Preset | None) -> Typed | None:
    """Return what the table makes of a result; None where nothing can name it."""
    source = item.source or item.url
    if preset is None or not source:
        return None
    result = TypedResult(source, item.fields.get("rows"), item.url, item.fields)
    return derive(tool_name, result, preset)


def _settled(
    tool_name: str, item: Item, typed: Typed | None, id_of: Callable[[str | None, DataPart], str]
) -> tuple[SettledPart, DataPart]:
    """Return the event that registers a result, and the part as it is shown."""
    # The one address of a result is its target's, or else its own.
    address = (typed and target_address(typed.target)) or item.address()
    source = typed.source if item.source is not None and typed is not None else item.source
    part = DataPart("", tool_name, item.clean, title=item.title, url=address)
    settled = SettledPart(
        tool_name=tool_name,
        data=item.data,
        id=id_of(item.given_id, part),
        title=item.title,
        url=item.url,
        address=address,
        source=source,
        columns=typed.columns if typed is not None else (),
    )
    return settled, replace(part, id=str(settled.id))


class ToolResults:
    """What the results of a turn came to: its numbered sources, and the meaning of each part."""

    __slots__ = ("_names", "_numbers", "_registry", "_rows", "_sources", "repeats")

    def __init__(self) -> None:
        self._sources: list[Source] = []
        self._numbers: dict[str, int] = {}  # part id to source number
        self._names: dict[str, str] = {}  # part id to the source under which its target is known
        self._registry = Registry()
        self._rows: list[dict[str, Any]] = []
        self.repeats = 0
        """Parts whose address an earlier part of the turn has."""

    def __len__(self) -> int:
        """Return how many rows there are, one for each event that was added."""
        return len(self._rows)

    def sources(self) -> tuple[Source, ...]:
        """Return the numbered sources so far."""
        return tuple(self._sources)

    def number(self, part_id: str) -> int | None:
        """Return the number of the source that a part is."""
        return self._numbers.get(part_id)

    def numbers(self) -> dict[str, int]:
        """Return the number of each part that is a numbered source, by part id."""
        return dict(self._numbers)

    def target(self, part: DataPart) -> dict[str, Any] | None:
        """Return what a citation of ``part`` points at now, as a JSON object."""
        if part.target is not None:
            own: dict[str, Any] = part.target
            return own
        name = self._names.get(part.id)
        return None if name is None else target_json(self._registry.target(name))

    def add(self, event: SettledResults) -> None:
        """Take in what an event settled."""
        parts = zip(event.parts, event.numbers, event.written, strict=True)
        self._add(
            {
                "sources": [[one.index, one.title, one.url] for one in event.added],
                "parts": [
                    [part.id, number, written and [written.source, written.target]]
                    for part, number, written in parts
                ],
            }
        )

    def _add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self._sources += (Source(*one) for one in row["sources"])
        fresh = {index for index, _, _ in row["sources"]}
        for part_id, number, written in row["parts"]:
            if number is not None:
                self.repeats += part_id not in self._numbers and number not in fresh
                fresh.discard(number)
                self._numbers.setdefault(part_id, number)
            if written is not None:
                source, target = written
                self._names.setdefault(part_id, source)
                self._registry.write(source, written_target(target))

    def rows(self, first: int) -> list[dict[str, Any]]:
        """Return what the events from number ``first`` (from 0) on settled, as JSON values."""
        return self._rows[first:]

    def restore(self, rows: Iterable[dict[str, Any]]) -> None:
        """Take in the rows of another turn."""
        for row in rows:
            self._add(row)


def numbers_in(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Return the source numbers of parts, by part id, that rows of results hold."""
    results = ToolResults()
    results.restore(rows)
    return results.numbers()
