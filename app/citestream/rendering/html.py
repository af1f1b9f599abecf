"""An answer as HTML that may be put into a page: sanitised, with markers, list and back links.

Raw HTML of the answer is shown as it is written and images as their description, so that a page
fetches nothing and runs nothing that a model wrote; the sanitiser sees to it a second time, and
decides which addresses may be links. Must not know how citations are numbered or placed.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2s
from html import escape
from typing import Final

import nh3

from citestream.markdown import Insertion, to_html
from citestream.sources import (
    MAX_OUTPUT_BYTES,
    MarkerStyle,
    OutputTooLongError,
    Source,
    entry_label,
    is_linkable,
    join_within_limit,
    marker_label,
    shown_address,
    shown_title,
)

_REL: Final = "nofollow noopener noreferrer"
_SANITISER: Final = nh3.Cleaner(
    tags={
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
        *("em", "strong", "del", "hr", "br", "a", "table", "thead", "tbody", "tr", "th", "td"),
    },
    attributes={"a": {"href", "title"}, "ol": {"start"}, "th": {"style"}, "td": {"style"}},
    filter_style_properties={"text-align"},
    url_schemes={"http", "https", "mailto"},
    link_rel=_REL,
)


_SHORTEST_ANCHOR: Final = 120
"""Bytes of a marker at least, so that a text of too many is refused before it is parsed again."""


class HtmlPage:
    """One answer on its way to HTML.

    Markers pass the sanitiser as links to a fragment that only this text can have: it is made of
    the text's hash, which the text cannot contain. Ids are made of it as well, so that several
    answers can be on one page.
    """

    def __init__(self, text: str, sources: Sequence[Source], style: MarkerStyle) -> None:
        self._key = blake2s(text.encode(), digest_size=12).hexdigest()
        self._sources = {source.index: source for source in reversed(sources)}
        self._style: MarkerStyle = style
        self._numbers: list[int] = []

    def marker(self, number: int) -> str:
        """Return the HTML that stands for the next marker of the text until `finish`.

        Raises ``OutputTooLongError`` when the markers alone are too long already.
        """
        self._numbers.append(number)
        if len(self._numbers) * _SHORTEST_ANCHOR > MAX_OUTPUT_BYTES:
            raise OutputTooLongError
        return f'<a href="#{self._key}-{len(self._numbers)}">{self._label(number)}</a>'

    def finish(self, text: str, insertions: Sequence[Insertion], listed: Sequence[Source]) -> str:
        """Return the HTML of a Markdown text with such markers in it, and the list under it.

        Raises ``OutputTooLongError`` before the markers and the list are built.
        """
        html = to_html(text, MAX_OUTPUT_BYTES, OutputTooLongError(), insertions)
        html = _SANITISER.clean(html)
        place = re.compile(rf'<a href="#{self._key}-([0-9]+)"[^>]*>[^<]*</a>')

        def pieces() -> Iterator[str]:
            last = 0
            for found in place.finditer(html):
                yield html[last : found.start()]
                yield self._anchor(int(found[1]))
                last = found.end()
            yield html[last:]
            yield from self._list(listed)

        return join_within_limit(pieces())

    def _anchor(self, count: int) -> str:
        number = self._numbers[count - 1]
        source = self._sources[number]
        name = escape(f"Source {number}: {shown_title(source)}")
        return (
            f'<a id="{self._id("cite", count)}" {self._link(source)} role="doc-noteref"'
            f' aria-label="{name}">{self._label(number)}</a>'
        )

    def _label(self, number: int) -> str:
        return marker_label(number, self._style).replace("\\", "")

    def _link(self, source: Source) -> str:
        href = source.url if is_linkable(source.url) else f"#{self._id('source', source.index)}"
        return f'href="{escape(href)}" rel="{_REL}"'

    def _id(self, kind: str, number: int) -> str:
        return f"{kind}-{self._key[:8]}-{number}"

    def _list(self, listed: Sequence[Source]) -> Iterator[str]:
        if not listed:
            return
        markers: dict[int, list[int]] = {}
        for count, number in enumerate(self._numbers, 1):
            markers.setdefault(number, []).append(count)
        yield '<section role="doc-endnotes" aria-label="Sources">\n<p><em>Sources</em></p>\n<ul>\n'
        for source in sorted(listed, key=lambda source: source.index):
            label = entry_label(source.index, self._style)
            if is_linkable(source.url):
                label = f"<a {self._link(source)}>{label}</a>"
            yield f'<li id="{self._id("source", source.index)}">{label} '
            yield escape(shown_title(source))
            if address := shown_address(source):
                yield escape(f" <{address}>")
            for turn, count in enumerate(markers.get(source.index, ()), 1):
                yield (
                    f' <a href="#{self._id("cite", count)}" rel="{_REL}" role="doc-backlink"'
                    f' aria-label="Back to marker {turn} of source {source.index}">↩</a>'
                )
            yield "</li>\n"
        yield "</ul>\n</section>\n"
