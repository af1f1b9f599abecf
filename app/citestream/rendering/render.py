"""Both kinds of citation brought to one form: Markdown, HTML or plain text.

A clean text holds the engine's citations by offset, and may hold the markers `[n]` of numbered
sources; here each becomes a marker that leads to its source, and the list stands underneath.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from citestream.markdown import structure
from citestream.parts.text import replace_surrogates
from citestream.rendering.html import HtmlPage
from citestream.rendering.landing import Landing, Landings, Ranges
from citestream.rendering.numbering import CitationEntry, number_citations
from citestream.rendering.placing import landed
from citestream.sources import (
    Edit,
    MarkerStyle,
    Reading,
    Run,
    Source,
    apply_edits,
    is_linkable,
    join_within_limit,
    list_block,
    markdown_marker,
    marker_label,
    read_markers,
    run_edits,
    shown_title,
)

Form = Literal["markdown", "html", "text"]
WriteMarker = Callable[[int], str]
_Group = tuple[Landing, list[CitationEntry]]

_OPEN_HEAD: Final = re.compile(r"\]([(:]\s*+)")


@dataclass(frozen=True, slots=True)
class Rendered:
    """``text`` in the form asked for, the numbers it cites and the numbers listed under it."""

    text: str
    cited: tuple[int, ...]
    listed: tuple[int, ...]


def render(
    text: str,
    citations: Sequence[CitationEntry] = (),
    sources: Sequence[Source] = (),
    *,
    to: Form = "markdown",
    part_numbers: Mapping[str, int] | None = None,
    marker_style: MarkerStyle = "brackets",
) -> Rendered:
    """Render a clean text with citations and sources, and list under it what it cites.

    Sources keep their number, whether the model wrote it or the engine found it; other parts count
    on from the highest (`number_citations`). Cited ones are listed, all of them when none is cited,
    in number order. ``html`` is sanitised and fit to be put into a page; ``text`` leaves Markdown
    as it is written and shows numbers and addresses. Raises ``OffsetError`` for an offset outside
    ``text`` and ``OutputTooLongError``. Without citations and sources nothing changes but the form.
    """
    text = replace_surrogates(text)
    reading = read_markers(text, sources)
    numbers, more = number_citations(citations, sources, part_numbers or {})
    everything = [*sources, *more]
    cited = sorted({*reading.cited, *numbers.values()})
    listed = [source for source in everything if not cited or source.index in cited]
    page = HtmlPage(text, everything, marker_style) if to == "html" else None
    write = page.marker if page else _writer(to, everything, marker_style, reading)
    body = apply_edits(reading.text, _edits(text, citations, numbers, reading, write))
    if page:
        result = page.finish(body, listed)
    else:
        result = append_block(body, list_block(listed) if to == "markdown" else _plain(listed))
    shown = sorted({source.index for source in listed})
    return Rendered(result, tuple(cited), tuple(shown))


def _writer(
    to: Form, sources: Sequence[Source], style: MarkerStyle, reading: Reading
) -> WriteMarker:
    if to == "text":
        return lambda number: f"[{number}]"
    link = markdown_marker(sources, style, encode_quotes=reading.has_open_destination)
    linkable = {source.index for source in sources if is_linkable(source.url)}
    return lambda number: link(number) if number in linkable else marker_label(number, style)


def _edits(
    text: str,
    citations: Sequence[CitationEntry],
    numbers: Mapping[str, int],
    reading: Reading,
    write: WriteMarker,
) -> Iterator[Edit]:
    """Yield the markers of both kinds in text order, so that ``write`` is called in that order."""
    runs = [run for run in reading.runs if run.linked]
    landings = Landings(reading.text, reading.structure, ((run.start, run.end) for run in runs))
    groups = landed(text, citations, landings, reading.shifted)
    places: list[tuple[int, Run | _Group | None]] = [
        *((head, None) for head in _open_heads(reading.text, groups)),
        *((group[0].at, group) for group in groups),
        *((run.start, run) for run in runs),
    ]
    places.sort(key=lambda place: place[0])
    starts = {run.start for run in runs}
    for at, place in places:
        if place is None:
            yield Edit(at, at, "\\")
        elif isinstance(place, Run):
            yield from run_edits(place, write)
        else:
            landing, group = place
            cited = dict.fromkeys(numbers[citation["data_part_id"]] for citation in group)
            yield Edit(at, at, landing.before or _joint(reading.text, at))
            for index, number in enumerate(cited):
                yield Edit(at, at, f" {write(number)}" if index else write(number))
            yield Edit(at, at, landing.behind or (" " if at in starts else ""))


def _open_heads(text: str, groups: Sequence[_Group]) -> list[int]:
    """Return each colon and bracket of `]:` and `](` that a marker stands behind, to be escaped.

    With the marker as its destination the text would be a definition or a link.
    """
    heads = Ranges(head.span(1) for head in _OPEN_HEAD.finditer(text))
    found = (heads.holding(landing.at - 1) for landing, _ in groups if not landing.before)
    return sorted({head[0] for head in found if head})


def _joint(text: str, at: int) -> str:
    """Return the blank that keeps a marker from becoming an image or the reference of a label.

    Behind a marker that stands there already it keeps two numbers apart.
    """
    return " " if text[at - 1 : at] in {"!", "]"} else ""


def append_block(text: str, block: str) -> str:
    """Return a Markdown text with one blank line and a block under it, or as it is without one.

    White space at the end of the text goes, and what it left open is closed first.
    """
    if not block:
        return text
    text = text.rstrip()
    if not text:
        return block
    return join_within_limit((text, structure(text).closing, "\n\n", block))


def _plain(sources: Sequence[Source]) -> str:
    entries = [
        f"[{source.index}] {shown_title(source)}"
        + (f" <{source.url}>" if is_linkable(source.url) else "")
        for source in sorted(sources, key=lambda source: source.index)
    ]
    return "\n".join(["Sources", "", *entries]) if entries else ""
