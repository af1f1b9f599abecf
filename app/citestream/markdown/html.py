"""Markdown to HTML from the events of the one parser, with pieces of HTML put in by place.

The text is parsed as it is given: what is put in can change nothing round it. Raw HTML is shown as
text and an image as its description, so no tag is written but those below; addresses are not
judged. Must not know who wrote the text or what the pieces are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from citestream.markdown.parser import parser

MAX_DEPTH: Final = 100
"""Quotes, lists and emphasis nested deeper are shown at this depth: what reads the HTML (browsers,
sanitisers) takes time by depth. Browsers stop at 512."""


_PIECE: Final = 65_536
"""Characters or pieces handled in one call, which keeps the interpreter's lock: below 1 ms."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """HTML in the place of the code points ``start`` to ``end``, which stand in one line of prose.

    With ``block`` it is a paragraph of its own after the block that ``start`` lies in.
    """

    start: int
    end: int
    html: str
    block: bool = False


def to_html(text: str, limit: int, error: Exception, insertions: Sequence[Insertion] = ()) -> str:
    """Return ``text``, which holds no lone surrogate, as HTML with ``insertions``, in text order.

    Raises ``error`` as soon as the HTML is longer than ``limit`` bytes of UTF-8: a quote sign
    becomes 27 bytes.
    """
    page = _Page(text, insertions, limit, error)
    for event, span in parser().events_with_range(text):
        page.take(event, span["start"], span["end"])
    return page.finish()


_NESTED: Final = {
    "BlockQuote": ("<blockquote>\n", "</blockquote>\n"),
    "List": ("<ul>\n", "</ul>\n"),
    "Item": ("<li>", "</li>\n"),
    "Emphasis": ("<em>", "</em>"),
    "Strong": ("<strong>", "</strong>"),
    "Strikethrough": ("<del>", "</del>"),
}
_FLAT: Final = {
    "Paragraph": ("<p>", "</p>\n"),
    "CodeBlock": ("<pre><code>", "</code></pre>\n"),
    "HtmlBlock": ("<pre><code>", "</code></pre>\n"),
    "Table": ("<table>", "</tbody></table>\n"),
    "TableHead": ("<thead><tr>", "</tr></thead><tbody>\n"),
    "TableRow": ("<tr>", "</tr>\n"),
}
_INLINE: Final = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})
# The line before these is ended first, so that no two blocks share one.
_ON_A_LINE: Final = frozenset(
    {"Paragraph", "CodeBlock", "HtmlBlock", "BlockQuote", "List", "Item", "Heading", "Table"}
)
_LEAVES: Final = frozenset({"CodeBlock", "HtmlBlock", "Table"})


class _Page:
    """The HTML written so far, and the insertions that wait (places in bytes of UTF-8)."""

    def __init__(
        self, text: str, insertions: Sequence[Insertion], limit: int, error: Exception
    ) -> None:
        self.data = text.encode()
        self.room = limit
        self.error = error
        self.pieces: list[str] = []
        self.waiting = list(_in_bytes(text, insertions))
        self.waiting.reverse()
        self.covered = 0  # what stands before this byte an insertion has replaced
        self.prose_end = -1  # where the prose written so far ends
        self.depth = 0
        self.image_depth = 0
        self.dropped_link = False
        self.alignments: Sequence[str] = ()
        self.column = 0
        self.cell = "td"

    def write(self, html: str) -> None:
        if html:
            self.room -= len(html) if html.isascii() else len(html.encode())
            if self.room < 0:
                raise self.error
            self.pieces.append(html)

    def write_text(self, text: str) -> None:
        """Write a text, in pieces so that the limit is kept before all of it is escaped."""
        for at in range(0, len(text), _PIECE):
            self.write(escape(text[at : at + _PIECE], quote=False))

    def finish(self) -> str:
        self._paragraphs(len(self.data))
        batches = range(0, len(self.pieces), _PIECE)
        return "".join(["".join(self.pieces[at : at + _PIECE]) for at in batches])

    def take(self, event: Any, start: int, end: int) -> None:
        if isinstance(event, str):
            self._break(event, start, end)
            return
        ((name, value),) = event.items()
        if name == "Start":
            tag = value if isinstance(value, str) else next(iter(value))
            self._start(tag, value, start)
        elif name == "End":
            tag = value if isinstance(value, str) else next(iter(value))
            self._end(tag, value, end)
        else:
            self._text(name, value, start, end)

    # --- what is put in -----------------------------------------------------------------------

    def _insert(self, may_go: Callable[[int], bool]) -> None:
        """Write the insertions into prose whose place ``may_go``."""
        while self.waiting and not self.waiting[-1].block and may_go(self.waiting[-1].start):
            insertion = self.waiting.pop()
            self.write(insertion.html)
            self.covered = max(self.covered, insertion.end)

    def _paragraphs(self, end: int) -> None:
        """Write the insertions up to ``end`` as paragraphs of their own."""
        while self.waiting and self.waiting[-1].start <= end:
            self._new_line()
            self.write(f"<p>{self.waiting.pop().html}</p>\n")

    # --- events -------------------------------------------------------------------------------

    def _break(self, event: str, start: int, end: int) -> None:
        if event == "Rule":
            self._insert(self.prose_end.__ge__)
            self._new_line()
            self.write("<hr />\n")
            return
        self._insert(start.__ge__)
        self.prose_end = end
        if start >= self.covered:
            self.write("<br />\n" if event == "HardBreak" and not self.image_depth else "\n")

    def _text(self, name: str, value: str, start: int, end: int) -> None:
        if name == "Html":
            self.write_text(value)
            return
        self._insert(start.__ge__)
        if name == "Text" and self.data[start:end] == value.encode():
            start = self._split(start, end)
            value = self.data[start:end].decode()
        elif start < self.covered:
            value = ""
        self.prose_end = max(end, self.prose_end)
        if name == "Code" and value and not self.image_depth:
            self.write("<code>")
            self.write_text(value)
            self.write("</code>")
        elif name == "InlineHtml" and _is_break(value) and not self.image_depth:
            self.write("<br />")
        else:
            self.write_text(value)

    def _split(self, start: int, end: int) -> int:
        """Write the text from ``start`` to the last insertion before ``end``; return where the
        rest begins.
        """
        start = max(start, min(self.covered, end))
        while self.waiting and not self.waiting[-1].block and self.waiting[-1].start < end:
            at = self.waiting[-1].start
            self.write_text(self.data[start:at].decode())
            self._insert(at.__ge__)
            start = max(at, min(self.covered, end))
        return start

    def _start(self, tag: str, value: Any, start: int) -> None:
        if tag in _INLINE:
            self._insert(start.__ge__)
        else:
            self._insert(self.prose_end.__ge__)
            if tag in _ON_A_LINE:
                self._new_line()
        if tag == "Image":
            self.image_depth += 1
        elif tag == "Link":
            self._start_link(value[tag], start)
        elif tag in _NESTED:
            self.depth += 1
            if self.depth <= MAX_DEPTH and not self.image_depth:
                number = value[tag] if tag == "List" else None
                self.write(_NESTED[tag][0] if number is None else _ordered(number))
        elif tag == "Heading":
            self.write(f"<{value[tag]['level'].lower()}>")
        elif tag == "TableCell":
            self._start_cell()
        else:
            self._start_row(tag, value)

    def _start_row(self, tag: str, value: Any) -> None:
        if tag == "Table":
            self.alignments = value[tag]
        self.column = 0
        self.cell = "th" if tag == "TableHead" else "td"
        self.write(_FLAT[tag][0])

    def _start_cell(self) -> None:
        side = self.alignments[self.column] if self.column < len(self.alignments) else "None"
        style = "" if side == "None" else f' style="text-align: {side.lower()}"'
        self.write(f"<{self.cell}{style}>")
        self.column += 1

    def _start_link(self, link: dict[str, str], start: int) -> None:
        self.dropped_link = start < self.covered
        if not self.dropped_link and not self.image_depth:
            scheme = "mailto:" if link["link_type"] == "Email" else ""
            title = f' title="{escape(link["title"])}"' if link["title"] else ""
            self.write(f'<a href="{escape(scheme + link["dest_url"])}"{title}>')

    def _end(self, tag: str, value: Any, end: int) -> None:
        if tag in _INLINE:
            self._insert(end.__gt__)
            self.prose_end = end
        elif tag == "TableCell":
            self._insert(max(end, self.prose_end).__ge__)
        else:
            self._insert(self.prose_end.__ge__)
        if tag == "Image":
            self.image_depth -= 1
        elif tag == "Link":
            if not self.dropped_link and not self.image_depth:
                self.write("</a>")
        elif tag in _NESTED:
            if self.depth <= MAX_DEPTH and not self.image_depth:
                if tag == "BlockQuote":
                    self._new_line()
                self.write("</ol>\n" if tag == "List" and value[tag] else _NESTED[tag][1])
            self.depth -= 1
        elif tag == "Heading":
            self.write(f"</{value[tag].lower()}>\n")
        elif tag == "TableCell":
            self.write(f"</{self.cell}>")
        else:
            self.write(_FLAT[tag][1])
        if tag in _LEAVES:
            self._paragraphs(end)

    def _new_line(self) -> None:
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.write("\n")


def _ordered(number: int) -> str:
    return "<ol>\n" if number == 1 else f'<ol start="{number}">\n'


def _is_break(tag: str) -> bool:
    return tag.strip("</> ").lower() == "br" and not tag.startswith("</")


def _in_bytes(text: str, insertions: Iterable[Insertion]) -> Iterator[Insertion]:
    """Yield insertions in text order with their places as counts of bytes."""
    if text.isascii():
        yield from insertions
        return
    last = count = 0
    for one in insertions:
        start = count + len(text[last : one.start].encode())
        end = start + len(text[one.start : one.end].encode())
        last, count = one.end, end
        yield Insertion(start, end, one.html, one.block)
