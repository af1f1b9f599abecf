"""What a reader sees of Markdown and HTML, by parsers that are not ours.

Lives here: markdown-it-py as the CommonMark parser, and the standard library's HTML parser. Must
not know how markers are put into a text.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from citestream.markdown import to_html

Shown: TypeAlias = list[tuple[object, ...]]

_PARSER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_MARK: Final = "\x00"
_UNLINKED: Final = re.compile(r"\[[⁰¹²³⁴⁵⁶⁷⁸⁹]+\]")
_WHITE: Final = re.compile(r"\s+")


def shown(markdown: str, address: str) -> tuple[Shown, int]:
    """Return what Markdown shows, without markers and white space, and how many markers it has.

    A marker is a link whose destination begins with ``address``, or raised digits in brackets.
    Paragraphs are not compared: a marker after a block is one of its own.
    """
    found: Shown = []
    markers = 0
    for piece in _pieces(_PARSER.parse(markdown), address):
        if piece[0] != "text":
            found.append(piece)
            continue
        text = _UNLINKED.sub(_MARK, str(piece[1]))
        markers += text.count(_MARK)
        text = _WHITE.sub("", text.replace(_MARK, ""))
        if text and found and found[-1][0] == "text":
            found[-1] = ("text", f"{found[-1][1]}{text}")
        elif text:
            found.append(("text", text))
    return found, markers


def _pieces(tokens: list[Token], address: str) -> Iterator[tuple[object, ...]]:
    in_marker = False
    for token in tokens:
        if token.type == "inline":
            yield from _pieces(token.children or [], address)
        elif token.type == "link_open" and str(token.attrs["href"]).startswith(address):
            in_marker = True
            yield "text", _MARK
        elif in_marker:
            in_marker = token.type != "link_close"
        elif token.type in {"text", "text_special"}:
            yield "text", token.content
        elif token.type not in {"softbreak", "paragraph_open", "paragraph_close"}:
            attributes = tuple(sorted(token.attrs.items()))
            yield token.type, token.tag, attributes, token.content.rstrip()


def reads_alike(markdown: str) -> bool:
    """Tell whether both parsers make the same of a text: where they differ neither can judge."""
    theirs = _PARSER.render(markdown)
    for tag, ours in (("s>", "del>"), ("<div>", "&lt;div&gt;"), ("<b>", "&lt;b&gt;")):
        theirs = theirs.replace(tag, ours)
    return Page(theirs).outline() == Page(to_html(markdown, 10**6, ValueError())).outline()


class Page(HTMLParser):
    """The visible text of HTML and its tags, without the anchors of markers."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.markers = 0
        self._in_marker = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_marker = ("role", "doc-noteref") in attrs
        self.markers += self._in_marker
        if not self._in_marker:
            self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._in_marker:
            self.tags.append(f"/{tag}")
        self._in_marker = False

    def handle_data(self, data: str) -> None:
        if not self._in_marker:
            self.texts.append(data)

    def visible(self) -> str:
        """The text without white space, so that what parts two markers does not count."""
        return _WHITE.sub("", "".join(self.texts))

    def outline(self) -> tuple[str, list[str]]:
        """The text and the tags but for those of paragraphs, code blocks and images."""
        left_out = {"p", "/p", "pre", "/pre", "code", "/code", "img", "tbody", "/tbody"}
        return self.visible(), [tag for tag in self.tags if tag not in left_out]
