"""Numbers for the engine's citations beside the numbers of the sources.

Must not know where a citation stands or how it looks.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

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
    locator: str
    target: NotRequired[Any]
    source: NotRequired[CitedPart | None]


def number_citations(
    citations: Iterable[CitationEntry],
    sources: Sequence[Source],
    part_numbers: Mapping[str, int],
) -> tuple[dict[str, int], list[Source]]:
    """Return the number of each cited part, and what has to be listed beside ``sources``.

    A part that is a source takes its number: by ``part_numbers`` (data part id → number), or
    because the address in the citation's ``source`` is that of a source. The others count on from
    the highest number, in order of first appearance in the text.
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
        shown = citation.get("source") or {}
        title, url = shown.get("title") or part_id, (shown.get("url") or "").strip()
        number = part_numbers.get(part_id)
        if number not in indexes:
            number = addresses.get(url) if url else None
        if number is None:
            highest += 1
            number = highest
            more.append(Source(number, title, url))
            if url:
                addresses[url] = number
        numbers[part_id] = number
    return numbers, more
