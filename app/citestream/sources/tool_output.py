"""What the model reads of a search or of a fetched page: numbered, so that it can cite.

Must not know what the model writes about it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citestream.sources.source import Source, SourceList, clean


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
        address, snippet = _one_line(result.url), _one_line(result.snippet)
        lines = [_head(number, result.title, address)]
        lines += [f"    {line}" for line in (address, snippet) if line]
        blocks.append("\n".join(filter(None, lines)))
    return ToolOutput("\n\n".join(filter(None, blocks)), tuple(numbers), tuple(added))


def number_page(page: Page, sources: SourceList) -> ToolOutput:
    """Number a page: ``[n] title``, ``URL: address``, the body untouched, then its links.

    Links are printed, not registered. A blank body has no section, nor have no links.
    """
    number, new = sources.add(page.title, page.url)
    address = _one_line(page.url)
    head = [_head(number, page.title, address), f"URL: {address}" if address else ""]
    links = [f"- {link}" for link in map(_one_line, page.links) if link]
    sections = (
        "\n".join(filter(None, head)),
        clean(page.body) if page.body.strip() else "",
        "\n".join(["Links on page:", *links]) if links else "",
    )
    text = "\n\n".join(filter(None, sections))
    return ToolOutput(text, (number,), (new,) if new else ())


def _head(number: int | None, title: str, address: str) -> str:
    shown = _one_line(title) or address
    return shown if number is None else f"[{number}] {shown}"


def _one_line(text: str) -> str:
    """White space of any kind as one blank, so that no result can forge another's lines."""
    return " ".join(clean(text).split())
