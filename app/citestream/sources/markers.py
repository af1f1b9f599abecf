"""The markers `[n]` that a model wrote, and the definition lines that it should not have written.

Lives here: what counts as a marker (S0-45 to S0-57). What is prose, code or a link is asked of
`markdown/`. Must not know what a marker is replaced with.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from citestream.markdown import Definition, Span, Structure, structure
from citestream.sources.addresses import is_linkable
from citestream.sources.source import Source

_NUMBER: Final = re.compile("[1-9][0-9]*")
_MARKER_PATTERN: Final = r"\[ *+\^?[1-9][0-9]*+(?: *+, *+\^?[1-9][0-9]*+)*+ *+\]"
_MARKER: Final = re.compile(_MARKER_PATTERN)
_RUN: Final = re.compile(f"(?:{_MARKER_PATTERN})++")
_DEFINITION: Final = re.compile(r"(?:\A|(?<=[\r\n]))( {0,3})\[\^([1-9][0-9]*)\]:")
_DESTINATION: Final = re.compile(r"\][(:]")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Run:
    """Markers that touch, all of known sources: code points ``start`` to ``end``.

    ``numbers`` in the order written, each once a marker. ``linked`` is false where one of the
    sources may not be linked: then the run stays as written, and still cites.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    linked: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text without the definition lines of known sources, its structure and its markers.

    ``removed``: the ranges that went, ``start`` to ``end`` in code points of the text as given, and
    how much went before each.
    """

    text: str
    structure: Structure
    runs: tuple[Run, ...]
    removed: tuple[tuple[int, int, int], ...]

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers that a reader sees cited, in ascending order."""
        return tuple(sorted({number for run in self.runs for number in run.numbers}))

    def shifted(self, offset: int) -> int:
        """Return where an offset of the text as given lies in ``text``.

        One in a removed line goes to the end of what stands before the line.
        """
        at = bisect_left(self.removed, (offset,)) - 1
        if at < 0:
            return offset
        start, end, gone = self.removed[at]
        return max(start - 1 - gone, 0) if offset < end else offset - gone - (end - start)

    @property
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

    Of two sources with one number the first counts. A number of no source is no citation, and
    takes the whole run with it: nothing is invented (S0-50).
    """
    found = structure(text)
    known: dict[str, Source] = {}
    for source in sources:
        known.setdefault(str(source.index), source)
    removed = list(_known_definitions(text, found, known)) if known else []
    if removed:
        text = _without(text, removed)
        found = structure(text)
    runs = tuple(_known_runs(text, found, known)) if known else ()
    gone = accumulate((end - start for start, end in removed), initial=0)
    ranges = tuple(
        (start, end, before) for (start, end), before in zip(removed, gone, strict=False)
    )
    return Reading(text, found, runs, ranges)


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
    if "[^" not in text or not (lines := list(_DEFINITION.finditer(text))):
        return
    own_starts = {line.start() for line in lines}
    prose, atoms, blocks = _Ranges(found.prose), _Ranges(found.atoms), _Ranges(found.blocks)
    containers, definitions = _Ranges(found.containers), _Ranges(found.definitions)
    last = 0
    for line in lines:
        mark, behind = line.end(1), line.end()
        if line[2] not in known or line.start() < last:
            continue
        where = prose.over(mark, behind)
        inside = definitions.over(mark, behind)
        if (
            (isinstance(where, Span) and where.kind != "text")
            or (inside and inside.start < mark)
            or blocks.over(mark, behind)
            or (len(line[1]) > 1 and containers.over(mark, behind))
            or not all(_is_marker_link(text, atom) for atom in [atoms.over(mark, behind)] if atom)
        ):
            continue
        last = _continued(text, line.start(), own_starts, found.openings)
        yield line.start(), last


def _continued(text: str, start: int, own_starts: set[int], openings: Sequence[int]) -> int:
    """Return where a definition's lines end: indented, not blank, and no block of their own."""
    end = _line_end(text, start)
    while text[end : end + 1] in {" ", "\t"} and end not in own_starts:
        next_end = _line_end(text, end)
        opening = bisect_left(openings, end)
        if not text[end:next_end].strip() or (
            opening < len(openings) and openings[opening] < next_end
        ):
            break
        end = next_end
    return end


def _line_end(text: str, start: int) -> int:
    line = _LINE.match(text, start)
    return line.end() if line else len(text)


# --- markers --------------------------------------------------------------------------------


def _is_marker_link(text: str, atom: Span | Definition) -> bool:
    """A definition of a number does not turn a marker or a run into its reference."""
    return bool(
        isinstance(atom, Span)
        and atom.kind == "link"
        and _RUN.fullmatch(text, atom.start, atom.end)
    )


def _known_runs(text: str, found: Structure, known: Mapping[str, Source]) -> Iterator[Run]:
    atoms = [atom for atom in found.atoms if not _is_marker_link(text, atom)]
    ends = {atom.end for atom in atoms if atom.kind in {"link", "image"}}
    for run in _runs(_prose_markers(text, found, atoms)):
        start, end = run[0].start(), run[-1].end()
        if _is_structure(text, start, end, ends):
            continue
        named = [dict.fromkeys(_NUMBER.findall(marker[0])) for marker in run]
        if all(number in known for marker in named for number in marker):
            cited = [known[number] for marker in named for number in marker]
            linked = all(is_linkable(source.url) for source in cited)
            numbers = tuple(source.index for source in cited)
            loses_blank = len(numbers) == 1 and " " in run[0][0]
            if loses_blank and in_open_destination(text, start):
                linked = False
            yield Run(start, end, numbers, linked)


def _prose_markers(text: str, found: Structure, atoms: Sequence[Span]) -> Iterator[re.Match[str]]:
    """Yield what is spelt as a marker and stands in prose.

    A definition of a number inside an item or a quote shows nothing to the reader, so it counts
    as a marker with a colon.
    """
    prose, hidden, containers = _Ranges(found.prose), _Ranges(atoms), _Ranges(found.containers)
    defined = {definition.start for definition in found.definitions}
    for marker in _MARKER.finditer(text):
        start, end = marker.span()
        if prose.over(start, end):
            if not hidden.over(start, end):
                yield marker
        elif start in defined and text[end] == ":" and containers.over(start, end):
            yield marker


def _runs(markers: Iterator[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    run: list[re.Match[str]] = []
    for marker in markers:
        if run and run[-1].end() != marker.start():
            yield run
            run = []
        run.append(marker)
    if run:
        yield run


def _is_structure(text: str, start: int, end: int, link_ends: set[int]) -> bool:
    """Tell whether a run belongs to something that the model wrote: a link, an image, a label.

    A sign that a backslash escapes is text, before a run as anywhere.
    """
    if text[end : end + 1] in {"(", "["} or is_escaped(text, start):
        return True
    before = text[start - 1] if start else ""
    if before == "]" and start in link_ends:
        return False
    return before in {"!", "]"} and not is_escaped(text, start - 1)


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
