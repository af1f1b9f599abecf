"""The markers `[n]` that a model wrote, and the definition lines that it should not have written.

Lives here: what counts as a marker (S0-45 to S0-57). What is prose, code or a link is asked of
`markdown/`. Must not know what a marker is replaced with.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from citestream.markdown import Definition, Span, Structure, structure
from citestream.sources.addresses import is_linkable
from citestream.sources.source import Source

_NUMBER: Final = re.compile("[1-9][0-9]*")
MARKER_PATTERN: Final = r"\[ *+\^?[1-9][0-9]*+(?: *+, *+\^?[1-9][0-9]*+)*+ *+\]"
"""Every spelling of a marker: `[3]`, `[^3]`, `[1, ^2]`, with blanks inside the brackets."""
_MARKER: Final = re.compile(MARKER_PATTERN)
_RUN: Final = re.compile(f"(?:{MARKER_PATTERN})++")
_DEFINITION: Final = re.compile(r"\[\^([1-9][0-9]*+)\]:")
_DESTINATION: Final = re.compile(r"\][(:]")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")
_BLANK_LINES: Final = re.compile(r"(?:[ \t]*+(?:\r\n?|\n))*+")
_INDENTED: Final = re.compile(r"[ \t][ \t]*+[^\s]")
_INDENTED_FAR: Final = re.compile(r"(?: {4}| {0,3}\t)[ \t]*+[^\s]")


@dataclass(frozen=True, slots=True)
class Marker:
    """A bracket that names known sources only: code points ``start`` to ``end``.

    ``numbers`` in the order written, each once. ``linked`` is false where one of the sources may
    not be linked: then the marker stays as written, and still cites.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    linked: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text without the definition lines of known sources, its structure and its markers.

    ``literal``: brackets that were the text or the label of a link to a definition, until a marker
    beside them took the other half of it: they are shown as written, without a link. ``removed``:
    the ranges that were removed, ``start`` to ``end`` in code points of the text as given, and how
    many code points were removed before each.
    """

    text: str
    structure: Structure
    markers: tuple[Marker, ...]
    literal: tuple[tuple[int, int], ...]
    removed: tuple[tuple[int, int, int], ...]

    def cited(self) -> tuple[int, ...]:
        """The numbers that a reader sees cited, in ascending order."""
        return tuple(sorted({number for marker in self.markers for number in marker.numbers}))

    def shifted(self, offset: int) -> int:
        """Return where an offset of the text as given lies in ``text``.

        One in a removed line goes to the end of what stands before the line.
        """
        at = bisect_left(self.removed, (offset,)) - 1
        if at < 0:
            return offset
        start, end, gone = self.removed[at]
        return max(start - 1 - gone, 0) if offset < end else offset - gone - (end - start)

    def has_open_destination(self) -> bool:
        """Tell whether prose holds `](` or `]:`, which is the head of a link and yet is none.

        A quote sign in what is put behind it could end a title, and so complete that link.
        """
        prose, atoms = _Ranges(self.structure.prose), _Ranges(self.structure.atoms)
        return any(
            prose.over(*sign.span()) and not atoms.over(*sign.span())
            for sign in _DESTINATION.finditer(self.text)
        )


def read_markers(text: str, sources: Sequence[Source]) -> Reading:
    """Find what cites the given sources in a Markdown text that has no lone surrogate. Linear.

    Each bracket is read by itself (S0-50): of two that touch, one may be a marker and the other
    stay as written. Of two sources with one number the first counts.
    """
    found = structure(text)
    known: dict[str, Source] = {}
    for source in sources:
        known.setdefault(str(source.index), source)
    removed = list(_known_definitions(text, found, known)) if known else []
    if removed:
        text = _without(text, removed)
        found = structure(text)
    markers, literal = _known_markers(text, found, known) if known else ([], [])
    gone = accumulate((end - start for start, end in removed), initial=0)
    ranges = tuple(
        (start, end, before) for (start, end), before in zip(removed, gone, strict=False)
    )
    return Reading(text, found, tuple(markers), tuple(literal), ranges)


def _without(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    starts = [0, *(end for _, end in ranges)]
    ends = [*(start for start, _ in ranges), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


class _Ranges:
    """Answers which of some ordered, disjoint ranges touches a position."""

    def __init__(self, spans: Sequence[Span] | Sequence[Definition]) -> None:
        self.spans = spans
        self.starts = [span.start for span in spans]

    def over(self, start: int, end: int) -> Span | Definition | None:
        """Return the last range that shares a character with ``start`` to ``end``."""
        at = bisect_left(self.starts, end) - 1
        return self.spans[at] if at >= 0 and self.spans[at].end > start else None


# --- definition lines -----------------------------------------------------------------------


def _known_definitions(
    text: str, found: Structure, known: Mapping[str, Source]
) -> Iterator[tuple[int, int]]:
    """Yield the lines `[^n]: …` of known sources, each with the indented lines behind it.

    Only where the line is the text's own: not in code or raw HTML, not inside another definition,
    not in a heading or a cell, and in an item or a quote only as a line that its indent keeps
    outside (such a line has at most one blank).
    """
    lines = {
        line: head
        for head in _DEFINITION.finditer(text)
        if (line := _line_of(text, head.start())) is not None
    }
    if not lines:
        return
    prose, atoms, blocks = _Ranges(found.prose), _Ranges(found.atoms), _Ranges(found.blocks)
    containers, definitions = _Ranges(found.containers), _Ranges(found.definitions)
    last = 0
    for start, head in lines.items():
        mark, behind = head.span()
        if head[1] not in known or start < last:
            continue
        where = prose.over(mark, behind)
        inside = definitions.over(mark, behind)
        if (
            (isinstance(where, Span) and where.kind != "text")
            or (inside and inside.start < mark)
            or blocks.over(mark, behind)
            or (mark - start > 1 and containers.over(mark, behind))
            or not all(_is_marker_link(text, atom) for atom in [atoms.over(mark, behind)] if atom)
        ):
            continue
        contained = containers.over(mark, behind) is not None
        last = _continued(text, start, lines, found.openings, contained=contained)
        yield start, last


def _line_of(text: str, mark: int) -> int | None:
    """Return where the line begins in which at most three blanks are before ``mark``."""
    start = mark
    while start and mark - start < 4 and text[start - 1] == " ":
        start -= 1
    return start if mark - start < 4 and text[start - 1 : start] in {"", "\r", "\n"} else None


def _continued(
    text: str, start: int, own_starts: Container[int], openings: Sequence[int], *, contained: bool
) -> int:
    """Return where a definition's lines end.

    Its own are the indented lines after it that are no block of their own, and after blank lines
    those four blanks or a tab in (as footnotes are continued), but for a definition in an item or a
    quote: there such a line may be the item's own.
    """
    end = _line_end(text, start)
    while True:
        blank = _BLANK_LINES.match(text, end)
        at = blank.end() if blank and not contained else end
        indent = _INDENTED if at == end else _INDENTED_FAR
        next_end = _line_end(text, at)
        opening = bisect_left(openings, at)
        if (
            not indent.match(text, at)
            or at in own_starts
            or (opening < len(openings) and openings[opening] < next_end)
        ):
            return end
        end = next_end


def _line_end(text: str, start: int) -> int:
    line = _LINE.match(text, start)
    return line.end() if line else len(text)


# --- markers --------------------------------------------------------------------------------


def _is_marker_link(text: str, atom: Span | Definition) -> bool:
    """Tell whether a link is made of nothing but marker spellings: `[1]` or `[1][2]` with a
    definition of that label in the text.
    """
    return bool(
        isinstance(atom, Span)
        and atom.kind == "link"
        and _RUN.fullmatch(text, atom.start, atom.end)
    )


def _known_markers(
    text: str, found: Structure, known: Mapping[str, Source]
) -> tuple[list[Marker], list[tuple[int, int]]]:
    """Return the markers of known sources, and the brackets that lose their link to one."""

    def sources_of(bracket: re.Match[str]) -> list[Source] | None:
        numbers = dict.fromkeys(_NUMBER.findall(bracket[0]))
        return [known[n] for n in numbers] if all(n in known for n in numbers) else None

    freed = _Ranges(_freed_links(text, found, lambda bracket: sources_of(bracket) is not None))
    markers: list[Marker] = []
    rest: list[tuple[int, int]] = []
    last = Marker(0, 0, (), False)
    for bracket in _prose_brackets(text, found, freed):
        start, end = bracket.span()
        sources = sources_of(bracket)
        if sources and not _is_structure(text, start):
            linked = all(is_linkable(source.url) for source in sources)
            loses_blank = len(sources) == 1 and " " in bracket[0]
            touches = last.linked and last.end == start  # then a blank parts the two links
            if loses_blank and not touches and in_open_destination(text, start):
                linked = False
            last = Marker(start, end, tuple(source.index for source in sources), linked)
            markers.append(last)
        if freed.over(start, end) and not (last.end == end and last.linked):
            rest.append((start, end))
    return markers, _beside_markers(rest, markers, freed)


def _freed_links(
    text: str, found: Structure, is_known: Callable[[re.Match[str]], bool]
) -> list[Span]:
    """Return the links whose brackets are read as markers all the same.

    A model that defines `[2]: …` takes nothing from `[1][2]` and `[2]` where 2 is a source. A
    label that names no source makes its link, `[2][9]`, and `[2][]` and `[words][2]` stay links.
    """
    freed = []
    for atom in found.atoms:
        if _is_marker_link(text, atom):
            *_, label = _MARKER.finditer(text, atom.start, atom.end)
            if is_known(label):
                freed.append(atom)
    return freed


def _beside_markers(
    brackets: list[tuple[int, int]], markers: list[Marker], freed: "_Ranges"
) -> list[tuple[int, int]]:
    """Return those brackets that share a freed link with a linked marker."""
    linked = {
        link.start
        for marker in markers
        if marker.linked and (link := freed.over(marker.start, marker.end))
    }
    return [
        (start, end)
        for start, end in brackets
        if (link := freed.over(start, end)) and link.start in linked
    ]


def _prose_brackets(text: str, found: Structure, freed: "_Ranges") -> Iterator[re.Match[str]]:
    """Yield what is spelt as a marker and stands in prose.

    A definition of a number inside an item or a quote shows nothing to the reader, so it counts
    as a marker with a colon.
    """
    hidden = _Ranges([atom for atom in found.atoms if not freed.over(atom.start, atom.end)])
    prose, raw, containers = _Ranges(found.prose), _Ranges(found.raw), _Ranges(found.containers)
    defined = {definition.start for definition in found.definitions}
    for bracket in _MARKER.finditer(text):
        start, end = bracket.span()
        if prose.over(start, end):
            if not hidden.over(start, end) and not raw.over(start, end):
                yield bracket
        elif start in defined and text[end] == ":" and containers.over(start, end):
            yield bracket


def _is_structure(text: str, start: int) -> bool:
    """Tell whether a bracket is escaped, or would be an image as a link.

    A sign that a backslash escapes is text, before a bracket as anywhere.
    """
    if is_escaped(text, start):
        return True
    return text[start - 1 : start] == "!" and not is_escaped(text, start - 1)


def is_escaped(text: str, at: int) -> bool:
    """Tell whether an odd number of backslashes stands right before ``at``."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def in_open_destination(text: str, at: int) -> bool:
    """Tell whether `](` or `]:` opens a destination that ``at`` would be part of.

    There a link without blanks in place of a marker with blanks could complete what was text.
    """
    while at > 1 and not text[at - 1].isspace() and not _DESTINATION.match(text, at - 2, at):
        at -= 1
    while at > 1 and text[at - 1].isspace():
        at -= 1
    return at > 1 and _DESTINATION.match(text, at - 2, at) is not None
