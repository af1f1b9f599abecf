"""Where the links of terminal excerpts go in the words of an old message (S2).

A draft marked the place with one placeholder an excerpt; when it was sent, the placeholder could
become a written-out label, `@terminal-1:509-514`. This file knows words and places, not blocks.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citestream.context.records import Record

PLACEHOLDER = "\ufffc"
"""OBJECT REPLACEMENT CHARACTER."""


@dataclass(frozen=True, slots=True)
class PlacedTerminals:
    """The pieces of prose with links in them, and the records that found no place."""

    prose: list[str]
    waiting: list[Record]


def place_terminals(
    prose: Sequence[str], terminals: Sequence[Record], links: Mapping[str, str]
) -> PlacedTerminals:
    """Put the links of `terminals` (by id) into the pieces of `prose`.

    Placeholders take the first excerpts in order, one too many is removed. Each further excerpt
    takes the first written-out label of its range that is not glued to a word or an address.
    """
    count = sum(piece.count(PLACEHOLDER) for piece in prose)
    bound = iter(terminals[:count])
    labelled: dict[str, list[Record]] = {}
    for record in terminals[count:]:
        labelled.setdefault(_written_label(record), []).append(record)

    def place(match: re.Match[str]) -> str:
        if match[0] == PLACEHOLDER:
            record = next(bound, None)
            return links[record["contextId"]] if record else ""
        records = labelled[match[0]]
        if not records or _is_glued(match.string, match.start(), match.end()):
            return match[0]
        return links[records.pop(0)["contextId"]]

    # The longer label first: `@sh:1` is the head of `@sh:1-2`.
    labels = sorted(labelled, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, [PLACEHOLDER, *labels])))
    placed = [pattern.sub(place, piece) for piece in prose]
    left = {record["contextId"] for records in labelled.values() for record in records}
    waiting = [record for record in terminals if record["contextId"] in left]
    return PlacedTerminals(placed, waiting)


def _written_label(record: Record) -> str:
    first, last = record["lineStart"], record["lineEnd"]
    lines = f"{first}" if first == last else f"{first}-{last}"
    return f"@{record['terminalId']}:{lines}"


def _is_glued(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start]
    if before and (before in "@.-" or _is_word(before)):
        return True
    # Dots and at signs belong to an address only when a word follows them.
    while text[end : end + 1] in {".", "@"}:
        end += 1
    after = text[end : end + 1]
    return bool(after) and (after == "-" or _is_word(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
