"""Markers become links: the number that the model wrote is the number that the reader clicks.

Must not know of citations that do not stand in the text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from citestream.parts.text import replace_surrogates
from citestream.sources.addresses import destination
from citestream.sources.editing import Edit, apply_edits
from citestream.sources.markers import Run, read_markers
from citestream.sources.source import Source

MarkerStyle = Literal["brackets", "bare"]

# Unicode digits, not a tag: no pass behind this one can break plain text (S0-22).
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Linked:
    """The text with its markers linked, and the numbers cited, in ascending order."""

    markdown: str
    cited: tuple[int, ...]


def link(
    markdown: str, sources: Sequence[Source], *, marker_style: MarkerStyle = "brackets"
) -> Linked:
    """Link the markers of known sources and drop their definition lines (S0-44 to S0-57).

    What is not to change stays byte for byte; lone surrogates become U+FFFD. Raises
    ``OutputTooLongError``.
    """
    reading = read_markers(replace_surrogates(markdown), sources)
    form = markdown_marker(sources, marker_style, encode_quotes=reading.has_open_destination)
    edits = (edit for run in reading.runs for edit in run_edits(run, form))
    return Linked(apply_edits(reading.text, edits), reading.cited)


def run_edits(run: Run, form: Callable[[int], str]) -> Iterator[Edit]:
    """Yield what puts one form a number in the place of a linked run, one blank between.

    One edit a piece, so that no long run is built before its size is known.
    """
    if run.linked:
        yield Edit(run.start, run.end, form(run.numbers[0]))
        for number in run.numbers[1:]:
            yield Edit(run.end, run.end, " ")
            yield Edit(run.end, run.end, form(number))


def markdown_marker(
    sources: Sequence[Source], style: MarkerStyle, *, encode_quotes: bool = False
) -> Callable[[int], str]:
    """Return what writes the link of a number: one of ``sources`` with a linkable address."""
    addresses = {source.index: source.url for source in reversed(sources)}

    @cache
    def form(number: int) -> str:
        address = destination(addresses[number], encode_quotes=encode_quotes)
        return f"[{marker_label(number, style)}]({address})"

    return form


def marker_label(number: int, style: MarkerStyle) -> str:
    """Return raised digits, in escaped brackets unless the style is bare (S0-20, S0-22)."""
    digits = str(number).translate(_RAISED)
    return digits if style == "bare" else f"\\[{digits}\\]"
