"""What tools return, made citable: parts, numbered sources (S0), typed targets (S3).

Lives here: how one ``results`` event becomes parts with ids, numbers and targets, and what a turn
has gathered so far. A table of targets is a value that comes in; nothing is looked up later, so a
turn that is told again from its record comes out the same. Must not know markers or streams.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from citestream.citations import format_part
from citestream.parts import DataPart, make_part
from citestream.sources import Page, Result, Source, SourceList, number_page, number_results
from citestream.targets import Preset, Registry, derive, is_openable, target_json
from citestream.targets import Result as TypedResult
from citestream.turns.events import GatheredInput, PartInput, ResultsInput, Written

WEB_TOOLS: Final = frozenset({"web_search", "web_fetch", "search_web"})
"""The tools whose results are numbered sources (S0 "Sources only from the web tools")."""


def gather(
    event: ResultsInput,
    assign: Callable[[Any], str],
    known: Sequence[Source],
    preset: Preset | None,
    web_tools: frozenset[str] = WEB_TOOLS,
) -> GatheredInput:
    """Return the event with all that depends on tables and on what came before settled.

    ``assign`` gives an id to data that came without one, ``known`` are the turn's sources so far.
    """
    parts = tuple(_part(event.tool_name, item, assign) for item in event.results)
    web = event.tool_name in web_tools
    numbers: tuple[int | None, ...] = (None,) * len(parts)
    added: tuple[Source, ...] = ()
    if web:
        text, numbers, added = _numbered(event.results, SourceList(known))
    else:
        shown = (make_part(str(part.id), part.tool_name, part.data) for part in parts)
        text = "\n\n".join(map(format_part, shown))
    return GatheredInput(
        tool_name=event.tool_name,
        results=event.results,
        parts=parts,
        numbers=numbers,
        added=added,
        written=tuple(_written(event.tool_name, item, preset) for item in event.results),
        text=text,
    )


def _part(tool_name: str, item: Mapping[str, Any], assign: Callable[[Any], str]) -> PartInput:
    data = _data(item)
    part_id = item.get("id")
    return PartInput(
        tool_name=tool_name,
        data=data,
        id=assign(data) if part_id is None else part_id,
        title=item.get("title"),
        url=_address(item),
    )


def _data(item: Mapping[str, Any]) -> Any:
    """A page is its body, so that lines of it can be cited; other results are cited by pointer."""
    if "body" in item:
        return {"value": item["body"]}
    return {name: value for name, value in item.items() if name != "id" and value is not None}


def _address(item: Mapping[str, Any]) -> str | None:
    url = item.get("url")
    if isinstance(url, str):
        return url
    source = item.get("source")
    return source if is_openable(source) else None


def _numbered(
    items: Iterable[Mapping[str, Any]], sources: SourceList
) -> tuple[str, tuple[int | None, ...], tuple[Source, ...]]:
    texts: list[str] = []
    numbers: list[int | None] = []
    added: list[Source] = []
    for item in items:
        title, url = item.get("title") or "", _address(item) or ""
        if "body" in item:
            output = number_page(Page(title, url, item["body"], item.get("links") or ()), sources)
        else:
            output = number_results([Result(title, url, item.get("snippet") or "")], sources)
        texts.append(output.text)
        numbers += output.numbers
        added += output.added
    return "\n\n".join(filter(None, texts)), tuple(numbers), tuple(added)


def _written(tool_name: str, item: Mapping[str, Any], preset: Preset | None) -> Written | None:
    """Return what the table makes of a result; None where nothing can name it."""
    source = item.get("source", item.get("url"))
    if preset is None or not source:
        return None
    written = derive(tool_name, TypedResult(source, item.get("rows"), item.get("url")), preset)
    return Written(written.source, target_json(written.target))


@dataclass(slots=True)
class Gathered:
    """What a turn has gathered: its numbered sources, and the meaning of each part."""

    sources: list[Source] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """Part id to source number."""
    names: dict[str, str] = field(default_factory=dict)
    """Part id to the source under which the registry knows its target."""
    registry: Registry = field(default_factory=Registry)

    def take(self, event: GatheredInput) -> None:
        """Take in what an event has settled."""
        self.sources += event.added
        for part, number, written in zip(event.parts, event.numbers, event.written, strict=True):
            if number is not None:
                self.numbers.setdefault(str(part.id), number)
            if written is not None:
                self.names.setdefault(str(part.id), written.source)
                self.registry.write(written.source, written.parsed)

    def target(self, part: DataPart) -> dict[str, Any] | None:
        """Return what a citation of ``part`` points at now, as a JSON object."""
        if part.target is not None:
            own: dict[str, Any] = part.target
            return own
        name = self.names.get(part.id)
        return None if name is None else target_json(self.registry.target(name))

    def state(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return {
            "sources": [[one.index, one.title, one.url] for one in self.sources],
            "numbers": self.numbers,
            "names": self.names,
            "checkpoint": self.registry.checkpoint(),
        }

    @classmethod
    def restore(cls, state: dict[str, Any]) -> "Gathered":
        """Return what :meth:`state` was taken of."""
        return cls(
            [Source(*one) for one in state["sources"]],
            dict(state["numbers"]),
            dict(state["names"]),
            Registry.from_checkpoint(state["checkpoint"]),
        )
