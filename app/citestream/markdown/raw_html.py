"""Raw HTML in a Markdown text: what it leaves open, and what it makes a link or code.

A browser reads these tags where a client passes raw HTML on. Must not know CommonMark's events.
"""

import re
from typing import Final

# Raw HTML that a blank line does not end (CommonMark 4.6, conditions 1 to 5): what opens it, what
# ends it, and the line that would.
_BLOCK_ENDS: Final = (
    (re.compile(rb"\s*<!--"), re.compile(rb"-->"), "-->"),
    (re.compile(rb"\s*<\?"), re.compile(rb"\?>"), "?>"),
    (re.compile(rb"\s*<!\[CDATA\["), re.compile(rb"\]\]>"), "]]>"),
    (re.compile(rb"\s*<![A-Za-z]"), re.compile(rb">"), ">"),
    *(
        (
            re.compile(rb"\s*<%s(?![^\s>])" % tag, re.IGNORECASE),
            re.compile(rb"</(?:pre|script|style|textarea)>", re.IGNORECASE),
            f"</{tag.decode()}>",
        )
        for tag in (b"pre", b"script", b"style", b"textarea")
    ),
)

# A comment as a whole, or one of the tags that matter here. `[^<>]` keeps a row of openings
# linear: no search reads past the next one.
_TAG: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(/?)(a|code|details|pre|script|style|textarea)(?=[\s/>])[^<>]*+>",
    re.IGNORECASE | re.DOTALL,
)


def block_closer(data: bytes, start: int, end: int) -> str:
    """Return the line that would end the raw HTML block ``start`` to ``end`` (bytes).

    Empty when the block has ended, or when a blank line ends it.
    """
    for opener, ender, closer in _BLOCK_ENDS:
        if opener.match(data, start, end):
            return "" if ender.search(data, start + 1, end) else closer
    return ""


class RawTags:
    """Pairs the tags of a text while they are read in text order. Positions are bytes."""

    def __init__(self) -> None:
        self.open_details = 0
        self._opened: dict[bytes, list[int]] = {}
        self._pairs: list[tuple[int, int]] = []

    def read(self, data: bytes, start: int, end: int) -> None:
        """Take in the raw HTML from ``start`` to ``end``, a tag or a block."""
        for tag in _TAG.finditer(data, start, end):
            if tag[2] is None:
                continue
            name, closes = tag[2].lower(), bool(tag[1])
            if name == b"details":
                self.open_details = max(self.open_details + (-1 if closes else 1), 0)
            elif not closes:
                self._opened.setdefault(name, []).append(tag.start())
            elif self._opened.get(name):
                self._pairs.append((self._opened[name].pop(), tag.end()))

    def end_block(self) -> None:
        """Let go of what a block leaves open: a link or code made of raw HTML is in one block."""
        self._opened.clear()

    def literal(self) -> list[tuple[int, int]]:
        """Return the ranges of whole raw links and raw code, in text order, none in another.

        A tag that is never closed makes no range.
        """
        ranges: list[tuple[int, int]] = []
        for start, end in sorted(self._pairs):
            if ranges and start < ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
            else:
                ranges.append((start, end))
        return ranges
