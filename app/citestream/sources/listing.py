"""The list of sources under an answer, as Markdown.

Must not know which sources an answer cites.
"""

import re
from collections.abc import Iterable
from typing import Final

from citestream.sources.addresses import destination, is_linkable
from citestream.sources.source import MarkerStyle, Source, clean, one_line

MAX_SHOWN_LENGTH: Final = 8_192
"""Code points of a title or an unlinked address that are read; what is cut off is shown as `…`."""

# Control characters that are no white space, and the signs that turn the direction of a line.
_UNSHOWN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_ESCAPED: Final = re.compile(r"[\\`*_\[\]<>|~]")


def shown_title(source: Source) -> str:
    """Return the title of a source on one line, or its address where no title is left.

    White space of any kind becomes one blank; control and direction signs are removed. Plain text:
    nothing in it is escaped.
    """
    return _one_line(source.title) or _one_line(source.url)


def shown_address(source: Source) -> str:
    """Return on one line an address that may not be linked, to be shown after the title; empty
    when it is linked, or is shown in place of the title.
    """
    hidden = is_linkable(source.url) or not _one_line(source.title)
    return "" if hidden else _one_line(source.url)


def entry_label(number: int, style: MarkerStyle) -> str:
    """Return the number of an entry as text: plain digits, in brackets unless the style is bare."""
    return str(number) if style == "bare" else f"[{number}]"


def list_block(sources: Iterable[Source], style: MarkerStyle = "brackets") -> str:
    """Return the list of sources in number order; empty without sources (S0-58 to S0-61).

    Numbers are plain and link where the address may be linked; an address that may not is shown as
    text after the title. A title is text: it adds no link, image, code, emphasis, HTML, cell or
    entity.
    """
    entries = [_entry(source, style) for source in sorted(sources, key=lambda s: s.index)]
    return "\n".join(["_Sources_", "", *entries]) if entries else ""


def _entry(source: Source, style: MarkerStyle) -> str:
    number = _escaped(entry_label(source.index, style))
    if is_linkable(source.url):
        number = f"[{number}]({destination(source.url)})"
    address = shown_address(source)
    shown = (number, _escaped(shown_title(source)), _escaped(f"<{address}>") if address else "")
    return f"- {' '.join(filter(None, shown))}"


def _one_line(text: str) -> str:
    shown = one_line(_UNSHOWN.sub("", clean(text[:MAX_SHOWN_LENGTH])))
    return f"{shown}…" if len(text) > MAX_SHOWN_LENGTH else shown


def _escaped(text: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", text.replace("&", "&amp;"))
