"""An answer as HTML that may be put into a page: sanitised, with markers, list and back links.

Raw HTML of the answer is shown as it is written and images as their description, so that a page
fetches nothing and runs nothing that a model wrote. Must not know how citations are numbered or
placed.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2s
from html import escape
from typing import Final

import nh3

from citestream.markdown import Span, line_head, structure, to_html
from citestream.sources import (
    MAX_OUTPUT_BYTES,
    Edit,
    MarkerStyle,
    OutputTooLongError,
    Source,
    apply_edits,
    in_open_destination,
    is_linkable,
    join_within_limit,
    marker_label,
    shown_title,
)

MAX_DEPTH: Final = 100
"""Quotes and lists nested deeper are shown at this depth: the sanitiser's time grows with depth."""

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

_BREAK: Final = re.compile(r"<br ?/?>")
_BACKTICKS: Final = re.compile("`+")
_PUNCTUATION: Final = re.compile(r"[!-/:-@\[-`{-~]")
_CONTAINER: Final = re.compile(r"<(/?)(?:blockquote|ul|ol|li)\b[^>]*>\n?")
_IMAGE: Final = re.compile(r'<img src="[^"]*" alt="([^"]*)"[^>]*>')


class HtmlPage:
    """One answer on its way to HTML.

    Markers go through the Markdown renderer as links to a fragment that only this text can have:
    it is made of the text's hash, which the text cannot contain. Ids are made of it as well, so
    that several answers can stand on one page.
    """

    def __init__(self, text: str, sources: Sequence[Source], style: MarkerStyle) -> None:
        self._key = blake2s(text.encode(), digest_size=12).hexdigest()
        self._sources = {source.index: source for source in reversed(sources)}
        self._style: MarkerStyle = style
        self._numbers: list[int] = []

    def marker(self, number: int) -> str:
        """Return the Markdown that stands for the next marker of the text until `finish`."""
        self._numbers.append(number)
        return f"[{marker_label(number, self._style)}](#{self._key}-{len(self._numbers)})"

    def finish(self, markdown: str, listed: Sequence[Source]) -> str:
        """Return the HTML of a body with such markers and the list under it.

        Raises ``OutputTooLongError`` before the markers and the list are built.
        """
        html = to_html(_without_raw_html(markdown), MAX_OUTPUT_BYTES, OutputTooLongError())
        html = _SANITISER.clean(_IMAGE.sub(r"\1", _flattened(html)))
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
        label = marker_label(number, self._style).replace("\\", "")
        name = escape(f"Source {number}: {shown_title(source)}")
        return (
            f'<a id="{self._id("cite", count)}" {self._link(source)} role="doc-noteref"'
            f' aria-label="{name}">{label}</a>'
        )

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
            label = f"[{source.index}]"
            if is_linkable(source.url):
                label = f"<a {self._link(source)}>{label}</a>"
            yield f'<li id="{self._id("source", source.index)}">{label} '
            yield escape(shown_title(source))
            for turn, count in enumerate(markers.get(source.index, ()), 1):
                yield (
                    f' <a href="#{self._id("cite", count)}" rel="{_REL}" role="doc-backlink"'
                    f' aria-label="Back to marker {turn} of source {source.index}">↩</a>'
                )
            yield "</li>\n"
        yield "</ul>\n</section>\n"


def _without_raw_html(markdown: str) -> str:
    """Return a text whose raw HTML is shown as it is written: a tag as text, a block as code.

    Line breaks stay: a table cell has no other.
    """
    found = structure(markdown)
    raw = [span for span in (*found.atoms, *found.blocks) if span.kind == "html"]
    raw.sort(key=lambda span: span.start)
    blocks = set(found.blocks)
    return apply_edits(
        markdown,
        (
            edit
            for span in raw
            for edit in (_block_edits if span in blocks else _tag_edits)(markdown, span)
        ),
    )


def _tag_edits(markdown: str, tag: Span) -> Iterator[Edit]:
    shown = markdown[tag.start : tag.end]
    if not _BREAK.fullmatch(shown):
        escaped = _PUNCTUATION.sub(r"\\\g<0>", shown)
        # Behind `](` or `]:` the escaped tag would be a destination if no blank stood in it.
        gap = " " if in_open_destination(markdown, tag.start) else ""
        yield Edit(tag.start, tag.end, escaped[:2] + gap + escaped[2:])


def _block_edits(markdown: str, block: Span) -> Iterator[Edit]:
    shown = markdown[block.start : block.end].rstrip("\r\n")
    end = block.start + len(shown)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    head = line_head(markdown, block)
    yield Edit(block.start, block.start, f"{fence}\n{head}")
    yield Edit(end, end, f"\n{head}{fence}")


def _flattened(html: str) -> str:
    """Return the renderer's own HTML with its quotes and lists at most MAX_DEPTH tags deep."""
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[1]:
            depth -= 1
            return tag[0] if depth < MAX_DEPTH else ""
        depth += 1
        return tag[0] if depth <= MAX_DEPTH else ""

    return _CONTAINER.sub(kept, html)
