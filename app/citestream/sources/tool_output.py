"""What the model reads of a search or of a fetched page: numbered, so that it can cite.

A page's own `[3]` must not be taken for our source 3 when the model copies it: in titles, snippets
and bodies the brackets of such numbers are written as U+FF3B and U+FF3D. Must not know what the
model writes about it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Final

from citestream.markdown import structure
from citestream.sources.markers import MARKER_PATTERN
from citestream.sources.source import Source, SourceList, clean, one_line

# What is left of an address behind `://`. Its path may hold brackets, but not right after the
# punctuation that ends a sentence or a link.
_SCHEME: Final = re.compile("://")
_SCHEMES: Final = ("https://", "http://", "ftp://")
_REST: Final = re.compile(
    r"[^\s<>\"()\[\]/?#]++"
    r"(?:[/?#](?:[^\s<>\"()\[\]]|\([^\s<>\"()]*+\)|(?<![.,;:!?')])\[[^\s<>\"\[\]()]*+\])*+)?"
)
_MARKER: Final = re.compile(MARKER_PATTERN)


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a search."""

    title: str
    url: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read, with the addresses it links to."""

    title: str
    url: str
    body: str
    links: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """``text`` is for the model; ``numbers`` has one entry a result, ``None`` where there is no
    address; ``added`` are the sources that were new.
    """

    text: str
    numbers: tuple[int | None, ...]
    added: tuple[Source, ...]


def number_results(results: Iterable[Result], sources: SourceList) -> ToolOutput:
    """Number search results: ``[n] title``, then address and snippet, each four blanks in."""
    blocks: list[str] = []
    numbers: list[int | None] = []
    added: list[Source] = []
    for result in results:
        number, new = sources.add(result.title, result.url)
        numbers.append(number)
        if new:
            added.append(new)
        address, snippet = _one_line(result.url), foreign_line(result.snippet)
        lines = [_head(number, result.title, address)]
        lines += [f"    {line}" for line in (address, snippet) if line]
        blocks.append("\n".join(filter(None, lines)))
    return ToolOutput("\n\n".join(filter(None, blocks)), tuple(numbers), tuple(added))


def number_page(page: Page, sources: SourceList) -> ToolOutput:
    """Number a page: ``[n] title``, ``URL: address``, the body with its lines, then its links.

    Links are printed, not registered. A blank body has no section, nor have no links.
    """
    number, new = sources.add(page.title, page.url)
    address = _one_line(page.url)
    head = [_head(number, page.title, address), f"URL: {address}" if address else ""]
    links = [f"- {link}" for link in map(_one_line, page.links) if link]
    sections = (
        "\n".join(filter(None, head)),
        foreign_body(clean(page.body)) if page.body.strip() else "",
        "\n".join(["Links on page:", *links]) if links else "",
    )
    text = "\n\n".join(filter(None, sections))
    return ToolOutput(text, (number,), (new,) if new else ())


def _head(number: int | None, title: str, address: str) -> str:
    shown = foreign_line(title) or address
    return shown if number is None else f"[{number}] {shown}"


def _one_line(text: str) -> str:
    """White space of any kind as one blank, so that no result can forge another's lines."""
    return one_line(clean(text))


def foreign_line(text: str) -> str:
    """Return a title or snippet on one line, no bracket in it to be taken for a marker of ours."""
    return _foreign(_one_line(text))


def _foreign(text: str, kept: Iterable[tuple[int, int]] = ()) -> str:
    """Write the brackets of what a marker could be as full-width ones.

    Ranges ``kept`` stay as they are, in text order; so do addresses, which the model must be able
    to open.
    """
    stays = merge(_addresses(text), kept)
    start = end = 0
    pieces, last = [], 0
    for found in _MARKER.finditer(text):
        while end <= found.start() and (stay := next(stays, None)):
            start, end = stay
        if not start <= found.start() < end:
            pieces += [text[last : found.start()], f"\uff3b{found[0][1:-1]}\uff3d"]
            last = found.end()
    return "".join([*pieces, text[last:]])


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    last = 0
    for scheme in _SCHEME.finditer(text):
        at = scheme.end()
        if at > last and text[max(at - 8, 0) : at].lower().endswith(_SCHEMES):
            rest = _REST.match(text, at)
            last = rest.end() if rest else at
            yield scheme.start(), last


def foreign_body(body: str) -> str:
    """Return the Markdown of a page, no bracket in it to be taken for a marker of ours.

    A fenced block stays as it is: code must stay code. Lines stay lines.
    """
    if not _MARKER.search(body):
        return body
    fences = (block for block in structure(body).blocks if block.kind == "fence")
    return _foreign(body, ((fence.start, fence.end) for fence in fences))
