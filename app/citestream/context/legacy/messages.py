"""Old messages in the form of new ones.

A message sent before references existed carries its context in the text. It is upgraded when it is
read, in memory: what is stored is never rewritten. The upgrade is a pure function of the text, ids
included, and leaves a text alone that it has made.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from citestream.context.encoding import encodable
from citestream.context.legacy.blocks import ELEMENT, PREVIEW, REVIEW, TERMINAL, Block, find_blocks
from citestream.context.legacy.placeholders import place_terminals
from citestream.context.legacy.records import (
    read_elements,
    read_preview,
    read_review,
    read_terminals,
)
from citestream.context.long_text import is_blank, joined, replaced, stripped_end
from citestream.context.records import Record, decode_record, decode_records
from citestream.context.references import format_reference, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

_ID_PREFIX = "legacy_"
_READERS = {TERMINAL: read_terminals, ELEMENT: read_elements, PREVIEW: read_preview}
# The order in which old clients appended what they sent, and the order of the records.
_KINDS = ("terminal", "element", "preview-annotation", "review-comment")


@dataclass(frozen=True, slots=True)
class UpgradedMessage:
    """A message as references and records; without records it is the message as it came."""

    text: str
    records: tuple[Record, ...]


def upgrade_message(text: str, settings: ContextSettings = DEFAULT_SETTINGS) -> UpgradedMessage:
    """Turn the old blocks of a text into references and records.

    Review blocks become references in their places. Blocks that trail the text leave it; their
    references take the places that wait for them or are appended. A malformed review stays text; a
    trailing block that is malformed or over a limit leaves the whole text unchanged. CRLF is read
    as LF, and a text that was upgraded has LF alone. Ids are `legacy_<kind>_<n>`, counted from 1.
    """
    text = encodable(text)
    unchanged = UpgradedMessage(text, ())
    text = replaced(text, "\r\n", "\n")
    blocks = _readable(text, find_blocks(text))
    # Reviews were appended last, so they are taken off the end first.
    reviews, end = _trailing(text, blocks, {REVIEW}, len(text))
    contexts, end = _trailing(text, blocks, _READERS, end)
    in_place = [block for block in blocks if block.tag == REVIEW]

    records = _records(text, contexts, [*in_place, *reviews])
    if not records:
        return unchanged
    prose = _between(text, in_place, end)
    if any(_is_upgraded(piece, settings) for piece in prose):
        return unchanged
    links = {
        record["contextId"]: format_reference(
            record["kind"], record["contextId"], record["label"], settings=settings
        )
        for record in records
    }
    return UpgradedMessage(_text(prose, records, links), records)


def _readable(text: str, blocks: list[Block]) -> list[Block]:
    return [
        block
        for block in blocks
        if block.tag != REVIEW or decode_record(_identified(read_review(text, block), 1))
    ]


def _trailing(
    text: str, blocks: list[Block], tags: Collection[str], end: int
) -> tuple[list[Block], int]:
    """Take the blocks off the list that end the text up to `end`, with the new end."""
    taken: list[Block] = []
    while blocks and blocks[-1].tag in tags and is_blank(text, blocks[-1].end, end):
        taken.append(blocks.pop())
        end = taken[-1].start
    return taken[::-1], end


def _records(text: str, contexts: list[Block], reviews: list[Block]) -> tuple[Record, ...]:
    """Read all records with their ids; none when one of them is malformed or over a limit."""
    found: list[Record | None] = []
    for block in contexts:
        found += _READERS[block.tag](text[block.body_start : block.body_end]) or [None]
    found += [read_review(text, block) for block in reviews]
    numbered = [
        _identified(record, number)
        for kind in _KINDS
        for number, record in enumerate((r for r in found if r and r["kind"] == kind), 1)
    ]
    decoded = decode_records(numbered)
    return () if None in found or decoded.dropped else decoded.records or ()


def _identified(record: Record | None, number: int) -> Record | None:
    if record is None:
        return None
    id_ = f"{_ID_PREFIX}{record['kind']}_{number}"
    return {"version": 1, "contextId": id_, **record}


def _between(text: str, blocks: list[Block], end: int) -> list[str]:
    """Return the text before, between and after the blocks, one piece more than blocks."""
    starts = [0, *(block.end for block in blocks)]
    ends = [*(block.start for block in blocks), end]
    return [text[start:stop] for start, stop in zip(starts, ends, strict=True)]


def _is_upgraded(prose: str, settings: ContextSettings) -> bool:
    references = parse_references(prose, settings)
    return any(reference.context_id.startswith(_ID_PREFIX) for reference in references)


def _text(prose: list[str], records: tuple[Record, ...], links: Mapping[str, str]) -> str:
    terminals = [record for record in records if record["kind"] == "terminal"]
    placed = place_terminals(prose, terminals, links)
    reviews = [record for record in records if record["kind"] == "review-comment"]
    in_place = [links[record["contextId"]] for record in reviews[: len(prose) - 1]]
    body = joined(part for pair in zip(placed.prose, [*in_place, ""], strict=True) for part in pair)
    waiting = [
        *placed.waiting,
        *(r for r in records if r["kind"] in {"element", "preview-annotation"}),
        *reviews[len(in_place) :],
    ]
    appended = " ".join(links[record["contextId"]] for record in waiting)
    return "\n\n".join(part for part in (body[: stripped_end(body, len(body))], appended) if part)
