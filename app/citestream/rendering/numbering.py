"""Numbers for the engine's citations beside the numbers of the sources.

Must not know where a citation is put or how it looks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, Protocol, TypeAlias, TypedDict

from citestream.sources import Source


class CitedPart(TypedDict, total=False):
    """What a reader may learn of a cited part: `include: ["source"]` adds it to a citation."""

    tool_name: str
    title: str | None
    url: str | None


class CitationEntry(TypedDict):
    """A citation as the engine answers it: ``offset`` counts code points of the clean text."""

    data_part_id: str
    offset: int
    locator: NotRequired[str]
    target: NotRequired[Any]
    source: NotRequired[CitedPart | None]


class CitationObject(Protocol):
    """A citation as a value, such as `citestream.Citation`."""

    def as_json(self) -> Mapping[str, Any]:
        """Return it with the keys of a `CitationEntry`."""


class Part(Protocol):
    """A part as a value, such as those of `Turn.parts`."""

    @property
    def id(self) -> str:
        """Its id in the turn."""

    @property
    def tool_name(self) -> str:
        """The tool that returned it."""

    @property
    def title(self) -> str | None:
        """Its title, where there is one."""

    @property
    def url(self) -> str | None:
        """Its address, where there is one."""


TargetLink: TypeAlias = Callable[[Any], str | None]
"""The target of a citation, a JSON object → the address that opens it, or None."""


def described(parts: Iterable[Part | Mapping[str, Any]]) -> dict[str, CitedPart]:
    """Return what a reader may learn of each part, by its id."""
    found: dict[str, CitedPart] = {}
    for part in parts:
        if isinstance(part, Mapping):
            title, url = part.get("title"), part.get("url")
            found[part["id"]] = {"tool_name": part["tool_name"], "title": title, "url": url}
        else:
            found[part.id] = {"tool_name": part.tool_name, "title": part.title, "url": part.url}
    return found


def number_citations(
    citations: Iterable[CitationEntry],
    sources: Sequence[Source],
    part_numbers: Mapping[str, int],
    parts: Mapping[str, CitedPart] | None = None,
    target_link: TargetLink | None = None,
) -> tuple[dict[str, int], list[Source]]:
    """Return the number of each cited part, and what has to be listed beside ``sources``.

    A part that is a source takes its number: by ``part_numbers`` (data part id → number), or
    because its address is that of a source. The others count on from the highest number, in order
    of first appearance in the text. Address, title and tool name are those of the citation's
    ``source``, or else of ``parts``; where ``target_link`` gives an address for the citation's
    target, it is that address. An entry is named by its title, else by its address, else by its
    tool; by the part's id only where nothing else is known of it.
    """
    indexes = {source.index for source in sources}
    addresses = {source.url.strip(): source.index for source in reversed(sources)}
    numbers: dict[str, int] = {}
    more: list[Source] = []
    highest = max(indexes, default=0)
    for citation in sorted(citations, key=lambda citation: citation["offset"]):
        part_id = citation["data_part_id"]
        if part_id in numbers:
            continue
        shown = {**(parts or {}).get(part_id, {}), **_known(citation.get("source"))}
        target = citation.get("target")
        opens = target_link(target) if target_link and target is not None else None
        page, url = (shown.get("url") or "").strip(), (opens or "").strip()
        number = part_numbers.get(part_id)
        if number not in indexes:
            number = addresses.get(page) if page else None
        if number is None and url:
            number = addresses.get(url)
        if number is None:
            highest += 1
            number = highest
            url = url or page
            title = (shown.get("title") or "").strip() or url
            more.append(Source(number, title or shown.get("tool_name") or part_id, url))
            for address in filter(None, (page, url)):
                addresses.setdefault(address, number)
        numbers[part_id] = number
    return numbers, more


def _known(source: CitedPart | None) -> dict[str, Any]:
    return {key: value for key, value in (source or {}).items() if value is not None}
