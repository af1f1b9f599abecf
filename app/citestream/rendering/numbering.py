"""Numbers for the engine's citations beside the numbers of the sources.

Must not know where a citation is put or how it looks.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NotRequired, Protocol, TypedDict

from citestream.sources import SitePath, Source
from citestream.targets import Preset, Target, parse_target, target_key, target_link

MAX_CITATIONS: Final = 2_000
"""Citations of one text at most over HTTP, as many as a turn has."""


class CitedPart(TypedDict, total=False):
    """What a reader may learn of a cited part: `include: ["source"]` adds it to a citation."""

    tool_name: str
    title: str | None
    url: str | None
    source: str | None


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

    @property
    def source(self) -> str | None:
        """What its tool calls it, where the tool says so."""


def described(parts: Iterable[Part | Mapping[str, Any]]) -> dict[str, CitedPart]:
    """Return what a reader may learn of each part, by its id."""
    found: dict[str, CitedPart] = {}
    for part in parts:
        if isinstance(part, Mapping):
            found[part["id"]] = {
                "tool_name": part["tool_name"],
                "title": part.get("title"),
                "url": part.get("url"),
                "source": part.get("source"),
            }
        else:
            found[part.id] = {
                "tool_name": part.tool_name,
                "title": part.title,
                "url": part.url,
                "source": part.source,
            }
    return found


def number_citations(
    citations: Iterable[CitationEntry],
    sources: Sequence[Source],
    part_numbers: Mapping[str, int],
    parts: Mapping[str, CitedPart] | None = None,
    preset: Preset | None = None,
) -> tuple[dict[str, int], list[Source]]:
    """Return the number of each cited part, and what has to be listed beside ``sources``.

    A part that is a source takes its number: by ``part_numbers`` (data part id → number), or
    because its address is that of a source. The others count on from the highest number, in order
    of first appearance in the text, and parts of one source share a number: those of one address,
    and of one internal ``source`` or one target where they have no address or the same. Title,
    addresses and tool name are those of the citation's ``source``, or else of ``parts``. An entry
    leads where its target does (by the templates of ``preset``, else to the target's own address),
    else to its address. It is named by its title, else by its address, else by its tool; by the
    part's id only where nothing else is known of it.
    """
    indexes = {source.index for source in sources}
    known: dict[Hashable, int] = {
        ("address", source.url.strip()): source.index for source in reversed(sources)
    }
    numbers: dict[str, int] = {}
    more: list[Source] = []
    highest = max(indexes, default=0)
    for citation in sorted(citations, key=lambda citation: citation["offset"]):
        part_id = citation["data_part_id"]
        if part_id in numbers:
            continue
        shown = {**(parts or {}).get(part_id, {}), **_known(citation.get("source"))}
        target = parse_target(citation.get("target"), preset.kinds if preset else None)
        link = _link(target, preset)
        keys = source_keys(shown, target, link)
        number = part_numbers.get(part_id)
        if number not in indexes:
            number = next((known[key] for key in keys if key in known), None)
        if number is None:
            highest += 1
            number = highest
            more.append(_listed(number, part_id, shown, link))
        for key in keys:
            known.setdefault(key, number)
        numbers[part_id] = number
    return numbers, more


def _known(source: CitedPart | None) -> dict[str, Any]:
    return {key: value for key, value in (source or {}).items() if value is not None}


def _link(target: Target | None, preset: Preset | None) -> str:
    """Return where a target leads; empty when it leads nowhere."""
    link = target_link(target, preset.links if preset else {}) if target else None
    return SitePath(link) if link and link.startswith("/") else link or ""


def source_keys(
    shown: Mapping[str, Any], target: Target | None = None, link: str = ""
) -> list[Hashable]:
    """Return keys of which parts of one source share one.

    ``shown`` has the ``url`` and the internal ``source`` of a part, ``link`` is where its target
    leads. Parts with addresses that differ are of different sources, whatever else they share.
    """
    page, source = _page(shown), shown.get("source")
    keys: list[Hashable] = [("address", address) for address in (page, link) if address]
    if isinstance(source, str) and source:
        keys.append(("source", source, page))
    if target is not None and (key := target_key(target)) is not None:
        keys.append(("target", key, page))
    return keys


def _listed(number: int, part_id: str, shown: Mapping[str, Any], link: str) -> Source:
    page, source = _page(shown), shown.get("source")
    internal = source if isinstance(source, str) else ""
    title = (shown.get("title") or "").strip()
    if not title:
        address = page if isinstance(link, SitePath) else link or page
        title = address or internal or shown.get("tool_name") or part_id
    return Source(number, title, link or page)


def _page(shown: Mapping[str, Any]) -> str:
    return (shown.get("url") or "").strip()
