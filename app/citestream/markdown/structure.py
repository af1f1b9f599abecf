"""The structure of a Markdown text as ranges of code points.

Lives here: the walk over the parser's events. The parser alone decides what is what; nothing here
reads Markdown, but for the line that would close what a cut-off text left open.
Must not know why anyone asks.
"""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Literal

from citestream.markdown.parser import parser
from citestream.markdown.raw_html import RawTags, block_closer

ProseKind = Literal["text", "heading", "cell"]
AtomKind = Literal["code", "html", "link", "image"]
BlockKind = Literal["fence", "indented", "html", "delimiter"]
ContainerKind = Literal["item", "quote"]
Kind = ProseKind | AtomKind | BlockKind | ContainerKind | Literal["raw"]
Raw = tuple[Kind, int, int, str]


@dataclass(frozen=True, slots=True)
class Span:
    """A range of the text, ``start`` to ``end`` in code points, and what it is."""

    kind: Kind
    start: int
    end: int
    closer: str = ""
    """Of a block that was not closed before its text or container ended: the line that would. Of
    `[label]` as a link or an image: the brackets that keep it one when another bracket follows.
    """


@dataclass(frozen=True, slots=True)
class Definition:
    """A link reference definition (CommonMark 4.7): code points ``start`` to ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Emphasis, strong text or strikethrough, ``start`` to ``end`` with ``width`` signs at each
    end.
    """

    start: int
    end: int
    width: int


@dataclass(frozen=True, slots=True)
class Structure:
    """What a text is made of. Each tuple is in text order; the spans of one do not overlap.

    ``prose``: each line of running text, and each table cell between its bars · ``atoms``: code
    spans, tags, links and images inside prose, outermost only, whole · ``blocks``: what holds no
    prose: fences, indented code, raw HTML, delimiter rows of tables · ``containers``: outermost
    list items and quotes · ``definitions``: the first of each label · ``openings``: where a block
    other than a paragraph or indented code begins · ``emphasis``: outside of links and images, in
    the order of their ends · ``raw``: raw HTML links and raw code, from tag to tag ·
    ``open_details``: how many `<details>` the text leaves open, outside of items and quotes.
    """

    prose: tuple[Span, ...]
    atoms: tuple[Span, ...]
    blocks: tuple[Span, ...]
    containers: tuple[Span, ...]
    definitions: tuple[Definition, ...]
    openings: tuple[int, ...]
    emphasis: tuple[Emphasis, ...]
    raw: tuple[Span, ...]
    open_details: int

    def closing(self) -> str:
        """The lines, each after a line end, that have to follow the text so that a next block is
        no part of an open fence, of open raw HTML or of `<details>`; empty for most texts.

        What is open inside an item or a quote ends with it.
        """
        last = self.blocks[-1] if self.blocks else None
        contained = last and self.containers and self.containers[-1].end > last.start
        closer = f"\n{last.closer}" if last and last.closer and not contained else ""
        return closer + "\n</details>" * self.open_details


def structure(text: str) -> Structure:
    """Tell the structure of a Markdown text; a lone surrogate reads as ``?``. Linear, never raises.

    CommonMark with the tables and strikethrough of GitHub Flavored Markdown.
    """
    data = text.encode("utf-8", "replace")
    reader = _Reader(data)
    whole = data.decode()
    reader.read(parser().events_with_range(whole, merge_text=True))
    definitions = [
        (found["span"]["start"], found["span"]["end"])
        for found in parser().reference_definitions(whole).values()
    ]
    raw: list[Raw] = [("raw", start, end, "") for start, end in reader.tags.literal()]
    at = _CodePoints(data)

    def spans(raws: Iterable[Raw]) -> tuple[Span, ...]:
        return tuple(Span(kind, at[start], at[end], closer) for kind, start, end, closer in raws)

    return Structure(
        prose=spans(reader.prose),
        atoms=spans(reader.atoms),
        blocks=spans(reader.blocks),
        containers=spans(reader.containers),
        definitions=tuple(Definition(at[start], at[end]) for start, end in definitions),
        openings=tuple(at[start] for start in reader.openings),
        emphasis=tuple(
            Emphasis(at[start], at[end], width) for start, end, width in reader.emphasis
        ),
        raw=spans(raw),
        open_details=reader.tags.open_details,
    )


def line_head(text: str, line: int, block: Span) -> str:
    """Return what a line begins with so that it stays in the containers of ``block``.

    ``line`` is where the first line of the block begins.
    """
    head = _NOT_QUOTE.sub(" ", text[line : block.start])
    return head.expandtabs(4)[:-4] if block.kind == "indented" else head


_NOT_QUOTE: Final = re.compile(r"[^>\s]")


_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_STRIDE: Final = 256


class _CodePoints:
    """Maps offsets in UTF-8 to counts of code points, each in constant time."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._counts = array("Q")
        if not data.isascii():
            strides = (data[at : at + _STRIDE] for at in range(0, len(data) + 1, _STRIDE))
            counts = (len(stride.translate(None, _CONTINUATION)) for stride in strides)
            self._counts.extend(accumulate(counts, initial=0))

    def __getitem__(self, offset: int) -> int:
        if not self._counts:
            return offset
        stride = offset // _STRIDE
        rest = self._data[stride * _STRIDE : offset]
        return self._counts[stride] + len(rest.translate(None, _CONTINUATION))


_INLINE_TAGS: Final = frozenset({"Emphasis", "Strong", "Strikethrough"})
_ATOM_TAGS: Final[dict[str, AtomKind]] = {"Link": "link", "Image": "image"}
_ATOM_EVENTS: Final[dict[str, AtomKind]] = {"Code": "code", "InlineHtml": "html"}
_CONTAINER_TAGS: Final[dict[str, ContainerKind]] = {"Item": "item", "BlockQuote": "quote"}


class _Reader:
    """Takes the parser's events in and sorts their ranges (bytes) by what they are."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.prose: list[Raw] = []
        self.atoms: list[Raw] = []
        self.blocks: list[Raw] = []
        self.containers: list[Raw] = []
        self.openings: list[int] = []
        self.emphasis: list[tuple[int, int, int]] = []
        self.tags = RawTags()
        self.depth = self.outer_details = 0
        self.line_kind: ProseKind = "text"
        self.line_start = self.line_end = -1
        self.atom_depth = 0
        self.block: BlockKind | None = None
        self.block_text_end = 0
        self.head_end = -1
        self.row_end = 0
        self.in_cell = False

    def read(self, events: Iterable[tuple[Any, Any]]) -> None:
        for event, span in events:
            start, end = span["start"], span["end"]
            if isinstance(event, str):
                self._mark(event, start)
                continue
            ((name, value),) = event.items()
            if name == "Start":
                self._start(
                    value if isinstance(value, str) else next(iter(value)), value, start, end
                )
            elif name == "End":
                self._end(value if isinstance(value, str) else next(iter(value)), start, end)
            elif self.block:
                self.block_text_end = end
            elif not self.atom_depth:
                if name in _ATOM_EVENTS:
                    self.atoms.append((_ATOM_EVENTS[name], start, end, ""))
                if name == "InlineHtml":
                    self.tags.read(self.data, start, end)
                self._extend(start, end)

    def _mark(self, event: str, start: int) -> None:
        """A break ends a line of prose, unless it stands inside a link; a rule is a block."""
        if event == "Rule":
            self.openings.append(start)
        if not self.atom_depth:
            self._flush()

    def _start(self, tag: str, value: Any, start: int, end: int) -> None:
        if tag in _ATOM_TAGS:
            if not self.atom_depth:
                link_type = value[tag]["link_type"]
                # The parser's range of `[label][]` leaves the empty brackets out.
                if link_type == "Collapsed" and self.data.startswith(b"[]", end):
                    end += 2
                closer = "[]" if link_type == "Shortcut" else ""
                self.atoms.append((_ATOM_TAGS[tag], start, end, closer))
                self._extend(start, end)
            self.atom_depth += 1
        elif tag in _INLINE_TAGS:
            if not self.atom_depth:
                self._extend(start, start)
        else:
            self.tags.end_block()
            self._flush()
            self._start_block(tag, value, start, end)

    def _start_block(self, tag: str, value: Any, start: int, end: int) -> None:
        self.line_kind = "heading" if tag == "Heading" else "text"
        if tag in _CONTAINER_TAGS:
            self.outer_details = self.outer_details if self.depth else self.tags.open_details
            self.depth += 1
            if not self.containers or start >= self.containers[-1][2]:
                self.containers.append((_CONTAINER_TAGS[tag], start, end, ""))
        elif tag == "CodeBlock":
            self.block = "indented" if value[tag] == "Indented" else "fence"
            self.block_text_end = start
        elif tag == "HtmlBlock":
            self.block = "html"
        elif tag == "TableRow":
            self._delimiter(start)
            self.row_end = end
        elif tag == "TableHead":
            self.row_end = end
        elif tag == "TableCell":
            self.in_cell = True
            # Cells that a short row lacks are given at its end, and stand nowhere.
            if start < self.row_end:
                self.prose.append(("cell", start, end, ""))
        if tag not in {"Paragraph", "List"} and self.block != "indented":
            self.openings.append(start)

    def _end(self, tag: str, start: int, end: int) -> None:
        if tag in _ATOM_TAGS:
            self.atom_depth -= 1
        elif tag in _INLINE_TAGS:
            if not self.atom_depth:
                self._extend(end, end)
                # As many signs at each end; strikethrough has one or two.
                twice = tag == "Strong" or self.data.startswith(b"~~", start)
                self.emphasis.append((start, end, 2 if twice else 1))
        else:
            self._flush()
            self.line_kind = "text"
            self.in_cell = False
            if tag in _CONTAINER_TAGS:
                self.depth -= 1
                if not self.depth:
                    self.tags.open_details = min(self.tags.open_details, self.outer_details)
            if self.block:
                if self.block == "html":
                    self.tags.read(self.data, start, end)
                    self.tags.end_block()
                self.blocks.append((self.block, start, end, self._closer(start, end)))
                self.block = None
            elif tag == "TableHead":
                self.head_end = end
            elif tag == "Table":
                self._delimiter(end)

    def _delimiter(self, end: int) -> None:
        """The delimiter row has no event of its own: it fills the gap behind the head."""
        if self.head_end >= 0:
            self.blocks.append(("delimiter", self.head_end, end, ""))
            self.head_end = -1

    def _extend(self, start: int, end: int) -> None:
        if self.line_start < 0:
            # The parser leaves out the backslash of an escape.
            self.line_start = start - self.data.endswith(b"\\", 0, start)
        self.line_end = max(end, self.line_end)

    def _flush(self) -> None:
        if self.line_start >= 0 and not self.in_cell:
            self.prose.append((self.line_kind, self.line_start, self.line_end, ""))
        self.line_start = self.line_end = -1

    def _closer(self, start: int, end: int) -> str:
        if self.block == "fence":
            return _fence_closer(self.data, start, self.block_text_end, end)
        return block_closer(self.data, start, end) if self.block == "html" else ""


_FENCE: Final = re.compile(rb"`{3,}|~{3,}")


def _fence_closer(data: bytes, start: int, text_end: int, end: int) -> str:
    """A closed fence has its closing line behind its text, an open one ends with its text."""
    if text_end == start:
        text_end = max(data.find(b"\n", start, end), data.find(b"\r", start, end))
        text_end = end if text_end < 0 else text_end
    if data[text_end:end].strip(b"> \t\r\n"):
        return ""
    fence = _FENCE.search(data, start, end)
    return fence[0].decode() if fence else ""
