"""What tools return, made citable: parts, numbered sources (S0), typed targets (S3).

Lives here: how one ``results`` event becomes parts with ids, numbers and targets, and what the
results of a turn came to so far. The table of targets is a value that the caller gives; nothing is
looked up later, so a turn that is replayed from its record gives the same. Must not know markers
or streams.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from citestream.citations import format_part
from citestream.parts import DataPart, make_part
from citestream.sources import Page, Result, Source, SourceList, number_page, number_results
from citestream.targets import (
    Preset,
    Registry,
    derive,
    is_openable,
    target_address,
    target_json,
    written_target,
)
from citestream.targets import Result as TypedResult
from citestream.targets import Written as Typed
from citestream.turns.events import ResultsInput, SettledPart, SettledResults, Written

WEB_TOOLS: Final = frozenset({"web_search", "web_fetch", "search_web"})
"""The tools whose results are numbered sources (S0 "Sources only from the web tools")."""


def settle_results(
    event: ResultsInput,
    assign: Callable[[Any], str],
    known: Sequence[Source],
    preset: Preset | None,
    web_tools: frozenset[str] = WEB_TOOLS,
) -> SettledResults:
    """Return the event with all that depends on tables and on what came before settled.

    ``assign`` gives an id to data that came without one, ``known`` are the turn's sources so far.
    """
    typed = [_typed(event.tool_name, item, preset) for item in event.results]
    addresses = [_address(item, one) for item, one in zip(event.results, typed, strict=True)]
    parts = tuple(
        _part(event.tool_name, item, one, address, assign)
        for item, one, address in zip(event.results, typed, addresses, strict=True)
    )
    web = event.tool_name in web_tools
    numbers: tuple[int | None, ...] = (None,) * len(parts)
    added: tuple[Source, ...] = ()
    if web:
        text, numbers, added = _numbered(
            zip(event.results, addresses, strict=True), SourceList(known)
        )
    else:
        shown = (make_part(str(part.id), part.tool_name, part.data) for part in parts)
        text = "\n\n".join(map(format_part, shown))
    return SettledResults(
        tool_name=event.tool_name,
        results=event.results,
        parts=parts,
        numbers=numbers,
        added=added,
        written=tuple(
            None if one is None else Written(one.source, target_json(one.target)) for one in typed
        ),
        text=text,
    )


def _typed(tool_name: str, item: Mapping[str, Any], preset: Preset | None) -> Typed | None:
    """Return what the table makes of a result; None where nothing can name it."""
    source = item.get("source", item.get("url"))
    if preset is None or not isinstance(source, str) or not source:
        return None
    return derive(tool_name, TypedResult(source, item.get("rows"), item.get("url"), item), preset)


def _part(
    tool_name: str,
    item: Mapping[str, Any],
    typed: Typed | None,
    address: str | None,
    assign: Callable[[Any], str],
) -> SettledPart:
    data = _data(item)
    part_id, source = item.get("id"), item.get("source")
    if isinstance(source, str) and typed is not None:
        source = typed.source
    return SettledPart(
        tool_name=tool_name,
        data=data,
        id=assign(data) if part_id is None else part_id,
        title=item.get("title"),
        url=item.get("url"),
        address=address,
        source=source if isinstance(source, str) else None,
        columns=typed.columns if typed is not None else (),
    )


_SHOWN_ELSEWHERE: Final = frozenset({"id", "title", "url", "source", "body", "links"})


def _data(item: Mapping[str, Any]) -> Any:
    """A body is what lines are cited of, alone or beside rows; all else is cited by pointer."""
    named = ((name, value) for name, value in item.items() if value is not None)
    if item.get("body") is None:
        return {name: value for name, value in named if name != "id"}
    rest = {name: value for name, value in named if name not in _SHOWN_ELSEWHERE}
    return {"value": item["body"], **rest}


def _address(item: Mapping[str, Any], typed: Typed | None) -> str | None:
    """Return the one address of a result: its target's, or else its own."""
    address = target_address(typed.target) if typed is not None else None
    if address is not None:
        return address
    url = item.get("url")
    if isinstance(url, str):
        return url
    source = item.get("source")
    return source if is_openable(source) else None


def _numbered(
    items: Iterable[tuple[Mapping[str, Any], str | None]], sources: SourceList
) -> tuple[str, tuple[int | None, ...], tuple[Source, ...]]:
    texts: list[str] = []
    numbers: list[int | None] = []
    added: list[Source] = []
    for item, address in items:
        title, url = item.get("title") or "", address or ""
        if item.get("body") is not None:
            output = number_page(Page(title, url, item["body"], item.get("links") or ()), sources)
        else:
            output = number_results([Result(title, url, item.get("snippet") or "")], sources)
        texts.append(output.text)
        numbers += output.numbers
        added += output.added
    return "\n\n".join(filter(None, texts)), tuple(numbers), tuple(added)


class ToolResults:
    """What the results of a turn came to: its numbered sources, and the meaning of each part."""

    __slots__ = ("_names", "_numbers", "_registry", "_rows", "_sources")

    def __init__(self) -> None:
        self._sources: list[Source] = []
        self._numbers: dict[str, int] = {}  # part id to source number
        self._names: dict[str, str] = {}  # part id to the source under which its target is known
        self._registry = Registry()
        self._rows: list[dict[str, Any]] = []

    def __len__(self) -> int:
        """Return how many rows there are, one for each event that was added."""
        return len(self._rows)

    def sources(self) -> tuple[Source, ...]:
        """Return the numbered sources so far."""
        return tuple(self._sources)

    def number(self, part_id: str) -> int | None:
        """Return the number of the source that a part is."""
        return self._numbers.get(part_id)

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
        for part_id, number, written in row["parts"]:
            if number is not None:
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
