"""Both kinds of citation brought to one form: Markdown, HTML or plain text.

A clean text holds the engine's citations by offset, and may hold the markers `[n]` of numbered
sources; here each becomes a marker that leads to its source, and the list is put under the text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from html import escape
from typing import Any, Final, Literal, cast

from citestream.markdown import Insertion, structure
from citestream.parts.text import replace_surrogates
from citestream.rendering.guards import guards
from citestream.rendering.html import HtmlPage
from citestream.rendering.landing import Landing, Landings
from citestream.rendering.numbering import (
    CitationEntry,
    CitationObject,
    Part,
    described,
    number_citations,
)
from citestream.rendering.placing import landed
from citestream.sources import (
    Edit,
    Marker,
    MarkerStyle,
    Reading,
    SitePath,
    Source,
    apply_edits,
    check_length,
    is_linkable,
    join_within_limit,
    list_block,
    markdown_marker,
    marker_label,
    read_markers,
    shown_address,
    shown_title,
)
from citestream.targets import Preset

Form = Literal["markdown", "html", "text"]
WriteMarker = Callable[[int], str]
_Groups = Sequence[tuple[Landing, tuple[int, ...]]]
"""Landings of citations in text order, and the numbers at each."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """``text`` in the form asked for, the numbers it cites and the numbers listed under it."""

    text: str
    cited: tuple[int, ...]
    listed: tuple[int, ...]


def render(
    text: str,
    citations: Sequence[CitationEntry | CitationObject] = (),
    sources: Sequence[Source] = (),
    *,
    to: Form = "markdown",
    parts: Iterable[Part | Mapping[str, Any]] = (),
    part_numbers: Mapping[str, int] | None = None,
    marker_style: MarkerStyle = "brackets",
    preset: Preset | None = None,
) -> Rendered:
    """Render a clean text with citations and sources, and list under it what it cites.

    ``citations``: `Citation` objects or dicts with their keys (``data_part_id``, ``offset`` in code
    points of ``text``, and ``source`` or ``target`` where they are known). ``parts``: the parts of
    the turn, `DataPart` objects or dicts with ``id``, ``tool_name``, ``title``, ``url`` and
    ``source``; with them, or with each citation's ``source``, a part whose address is that of a
    source takes the source's number. ``part_numbers`` (part id → number) says so outright.
    ``preset`` is the product's: a cited part with a target leads where its templates of links say,
    or to the target's own address.

    Sources keep their number; other parts count on from the highest (`number_citations`). Cited
    ones are listed, all of them when none is cited, in number order. ``html`` is sanitised and fit
    to be put into a page; ``text`` leaves Markdown as it is written and shows numbers and
    addresses. Raises ``OffsetError`` for an offset outside ``text``, and ``OutputTooLongError`` for
    a text or a result longer than 8 MiB of UTF-8. Without citations and sources nothing changes
    but the form.
    """
    check_length(text)
    text = replace_surrogates(text)
    entries = [_entry(citation) for citation in citations]
    reading = read_markers(text, sources)
    numbers, more = number_citations(entries, sources, part_numbers or {}, described(parts), preset)
    everything = [*sources, *more]
    cited = {*reading.cited(), *numbers.values()}
    listed = [source for source in everything if not cited or source.index in cited]
    numbered = _Numbered(text, reading, everything, listed, marker_style)
    groups = numbered.groups(entries, numbers)
    write = {"html": numbered.html, "markdown": numbered.markdown, "text": numbered.plain}[to]
    result = write(groups)
    shown = {source.index for source in listed}
    return Rendered(result, tuple(sorted(cited)), tuple(sorted(shown)))


class _Numbered:
    """A text with what its markers lead to, to be written in one of the forms."""

    def __init__(
        self,
        text: str,
        reading: Reading,
        sources: Sequence[Source],
        listed: Sequence[Source],
        style: MarkerStyle,
    ) -> None:
        self._given = text
        self._reading = reading
        self._sources = sources
        self._listed = listed
        self._style: MarkerStyle = style
        self._linkable = _linkable(sources)

    def groups(self, entries: Sequence[CitationEntry], numbers: Mapping[str, int]) -> _Groups:
        """Return where the citations land; ``numbers`` has the number of each cited part."""
        reading = self._reading
        self._landings = Landings(
            reading.text,
            reading.structure,
            merge(((m.start, m.end) for m in reading.markers if m.linked), reading.literal),
            letters=self._style == "bare" and not self._linkable.issuperset(numbers.values()),
        )
        return [
            (landing, tuple(dict.fromkeys(numbers[entry["data_part_id"]] for entry in group)))
            for landing, group in landed(self._given, entries, self._landings, reading.shifted)
        ]

    def html(self, groups: _Groups) -> str:
        """Return sanitised HTML."""
        reading = self._reading
        page = HtmlPage(self._given, self._sources, self._style)
        places = _places(reading.markers, groups)
        insertions = _insertions(reading.text, places, reading.literal, page.marker)
        return page.finish(reading.text, insertions, self._listed)

    def markdown(self, groups: _Groups) -> str:
        """Return Markdown."""
        text = self._reading.text
        write = _markdown_writer(self._sources, self._linkable, self._style, self._reading)
        links = ((landing, numbers[0] in self._linkable) for landing, numbers in groups)
        places = _places(self._reading.markers, groups)
        body = apply_edits(text, _edits(places, write, guards(text, self._landings, links)))
        return append_block(body, list_block(self._listed, self._style), self._closing(groups))

    def plain(self, groups: _Groups) -> str:
        """Return the Markdown as it is written, with numbers and addresses."""
        places = _places(self._reading.markers, groups)
        body = apply_edits(self._reading.text, _edits(places, "[{}]".format))
        return append_block(body, _plain(self._listed), self._closing(groups))

    def _closing(self, groups: _Groups) -> str | None:
        # A marker after a block that was left open is put after the line that closes it.
        closed = any(landing.before for landing, _ in groups)
        return None if closed else self._reading.structure.closing()


def _entry(citation: CitationEntry | CitationObject) -> CitationEntry:
    entry = citation if isinstance(citation, Mapping) else citation.as_json()
    return cast("CitationEntry", entry)


def _linkable(sources: Iterable[Source]) -> set[int]:
    """Return the numbers that lead to a linkable address; of two with one number the first."""
    first = {source.index: source for source in reversed(list(sources))}
    return {index for index, source in first.items() if is_linkable(source.url)}


def _markdown_writer(
    sources: Sequence[Source], linkable: set[int], style: MarkerStyle, reading: Reading
) -> WriteMarker:
    link = markdown_marker(sources, style, encode_quotes=reading.has_open_destination())
    return lambda number: link(number) if number in linkable else marker_label(number, style)


_WHERE_WRITTEN: Final = Landing(-1)
"""The landing of every marker of the text: one value, however many there are."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Numbers in the place of the code points ``start`` to ``end``; ``landing`` of citations.

    ``parted``: a marker ends right before, so that one blank keeps the two numbers apart.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    parted: bool
    landing: Landing

    def pieces(self, write: WriteMarker) -> Iterator[str]:
        for count, number in enumerate(self.numbers):
            if count:
                yield " "
            yield write(number)


def _places(markers: Iterable[Marker], groups: _Groups) -> Iterator[_Place]:
    """Yield the markers of both kinds in text order: those of the text, those of citations."""
    cited = ((landing.at, 0, landing.at, numbers, landing) for landing, numbers in groups)
    written = ((m.start, 1, m.end, m.numbers, _WHERE_WRITTEN) for m in markers if m.linked)
    last = -1
    for start, _, end, numbers, landing in merge(cited, written, key=lambda place: place[:2]):
        yield _Place(start, end, numbers, start == last and not landing.before, landing)
        last = end


def _edits(
    places: Iterable[_Place], write: WriteMarker, guards: Iterable[Edit] = ()
) -> Iterator[Edit]:
    """Yield the changes of a text that stays Markdown, a marker before a guard at its place."""

    def markers() -> Iterator[Edit]:
        for place in places:
            at, landing = place.end, place.landing
            yield Edit(place.start, place.start, landing.before or " " * place.parted)
            first, *more = place.pieces(write)
            yield Edit(place.start, at, first)
            yield from (Edit(at, at, piece) for piece in (*more, landing.behind))

    return merge(markers(), guards, key=lambda edit: edit.start)


def _insertions(
    text: str, places: Iterable[_Place], literal: Iterable[tuple[int, int]], write: WriteMarker
) -> list[Insertion]:
    """Return the same as HTML, with the brackets that are no link any more."""

    def markers() -> Iterator[Insertion]:
        for place in places:
            blanks = " " * place.parted, " " * place.landing.is_head
            html = "".join([blanks[0], *place.pieces(write), blanks[1]])
            yield Insertion(place.start, place.end, html, bool(place.landing.before))

    brackets = (
        Insertion(start, end, escape(text[start:end], quote=False)) for start, end in literal
    )
    return list(merge(markers(), brackets, key=lambda insertion: insertion.start))


def append_block(text: str, block: str, closing: str | None = None) -> str:
    """Return a Markdown text with one blank line and a block under it, or as it is without one.

    White space at the end of the text is removed, and what it left open is closed first, by the
    lines of ``closing`` (`Structure.closing`) where the caller has parsed the text already.
    """
    if not block:
        return text
    text = text.rstrip()
    if not text:
        return block
    return join_within_limit(
        (text, structure(text).closing() if closing is None else closing, "\n\n", block)
    )


def _plain(sources: Sequence[Source]) -> str:
    entries = []
    for source in sorted(sources, key=lambda source: source.index):
        address = source.url if is_linkable(source.url) else shown_address(source)
        if isinstance(source.url, SitePath):
            address = ""  # plain text is read outside of the site
        shown = (f"[{source.index}]", shown_title(source), f"<{address}>" if address else "")
        entries.append(" ".join(filter(None, shown)))
    return "\n".join(["Sources", "", *entries]) if entries else ""
