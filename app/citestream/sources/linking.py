"""Markers become links: the number that the model wrote is the number that the reader clicks.

Must not know of citations that do not stand in the text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from citestream.parts.text import replace_surrogates
from citestream.sources.addresses import destination
from citestream.sources.editing import Edit, apply_edits
from citestream.sources.markers import Marker, read_markers
from citestream.sources.source import MarkerStyle, Source

# Unicode digits, not a tag: no later pass can break plain text (S0-22).
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
    form = markdown_marker(sources, marker_style, encode_quotes=reading.has_open_destination())
    return Linked(apply_edits(reading.text, marker_edits(reading.markers, form)), reading.cited())


def marker_edits(markers: Iterable[Marker], form: Callable[[int], str]) -> Iterator[Edit]:
    """Yield what puts one form a number in the place of each linked marker.

    One blank parts two that touch. One edit a piece, so that no long text is built before its size
    is known.
    """
    last = -1
    for marker in markers:
        if marker.linked:
            for count, number in enumerate(marker.numbers):
                at = marker.end if count else marker.start
                if count or at == last:
                    yield Edit(at, at, " ")
                yield Edit(at, marker.end, form(number))
            last = marker.end


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
