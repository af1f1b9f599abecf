"""The list of sources under an answer, as Markdown.

Must not know which sources an answer cites.
"""

import re
from collections.abc import Iterable
from typing import Final

from citestream.sources.addresses import destination, is_linkable
from citestream.sources.source import Source, clean

# Control characters that are no white space, and the signs that turn the direction of a line.
_UNSHOWN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_ESCAPED: Final = re.compile(r"[\\`*_\[\]<>|]")


def shown_title(source: Source) -> str:
    """Return the title of a source on one line, or its address where no title is left.

    White space of any kind becomes one blank; control and direction signs go. Plain text: nothing
    in it is escaped.
    """
    return _one_line(source.title) or _one_line(source.url)


def list_block(sources: Iterable[Source]) -> str:
    """Return the list of sources in number order; empty without sources (S0-58 to S0-61).

    Numbers are plain and link where the address may be linked. A title is text: it brings in no
    link, image, code, emphasis, HTML, cell or entity.
    """
    entries = [_entry(source) for source in sorted(sources, key=lambda s: s.index)]
    return "\n".join(["_Sources_", "", *entries]) if entries else ""


def _entry(source: Source) -> str:
    number = f"\\[{source.index}\\]"
    if is_linkable(source.url):
        number = f"[{number}]({destination(source.url)})"
    return f"- {number} {_escaped(shown_title(source))}".rstrip()


def _one_line(text: str) -> str:
    return " ".join(_UNSHOWN.sub("", clean(text)).split())


def _escaped(text: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", text.replace("&", "&amp;"))
