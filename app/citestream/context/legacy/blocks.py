"""Where the blocks of an old message are.

Messages written before references carried their context in the text, as elements:

    <terminal_context>, <element_context>, <preview_annotation>   a tag at the end of its line, the
                                                                  closing tag at the head of one
    <review_comment key="value" …>                                anywhere, with code fences inside

Only the shape of a block is known here, not what its body says. One pass, no rescans: a block that
is never closed is searched to the end of the text once, whatever the number of its openings.
"""

import re
from dataclasses import dataclass

from citestream.context.long_text import find, is_blank, search

TERMINAL = "terminal_context"
ELEMENT = "element_context"
PREVIEW = "preview_annotation"
REVIEW = "review_comment"

CONTEXT_TAGS = (TERMINAL, ELEMENT, PREVIEW)

_OPENING = re.compile(
    rf"<(?:(?P<review>{REVIEW})(?![A-Za-z0-9_])|(?P<context>{'|'.join(CONTEXT_TAGS)})>\n)"
)
_FENCE_SIGN = "`"
_LEAST_FENCE = 3
_REVIEW_BOUNDARY = re.compile(rf"^{_FENCE_SIGN}{{{_LEAST_FENCE}}}|</{REVIEW}>", re.MULTILINE)
_NO_FENCE_SIGN = re.compile(rf"[^{_FENCE_SIGN}]")
_LONGEST = 32
"""More code points than any of the expressions above matches."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A code fence in a review: offsets of the whole and of the code, the text after the signs."""

    start: int
    info: str
    code_start: int
    code_end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One closed block, its tags included from `start` to before `end`.

    `attributes` is what the opening tag holds, `fence` the last code fence of a review.
    """

    tag: str
    start: int
    end: int
    body_start: int
    body_end: int
    attributes: str = ""
    fence: Fence | None = None


@dataclass(frozen=True, slots=True)
class _Signs:
    """A line that begins with fence signs: how many, and where what follows them ends."""

    start: int
    count: int
    line_end: int

    @property
    def info_start(self) -> int:
        return self.start + self.count


def find_blocks(text: str, tags: tuple[str, ...] = (*CONTEXT_TAGS, REVIEW)) -> list[Block]:
    """Find the outermost blocks of `text` with one of `tags`, in order; offsets in code points.

    A block owns what is in it: whatever looks like a block inside another one is its data.
    """
    blocks = []
    open_tags = set(tags)
    at = 0
    while open_tags and (opening := search(_OPENING, text, at, longest=_LONGEST)):
        at = opening.end()
        tag = opening["review"] or opening["context"]
        if tag not in open_tags:
            continue
        block = _review(text, opening) if tag == REVIEW else _context(text, opening)
        if block is None:
            # Nothing after this place closes the tag, so no later opening is closed either.
            open_tags.discard(tag)
        else:
            blocks.append(block)
            at = block.end
    return blocks


def _context(text: str, opening: re.Match[str]) -> Block | None:
    tag = opening["context"]
    closing = f"\n</{tag}>"
    # The line end after the opening tag may be the one before the closing tag.
    at = find(text, closing, opening.end() - 1)
    if at < 0:
        return None
    return Block(tag, opening.start(), at + len(closing), opening.end(), max(at, opening.end()))


def _review(text: str, opening: re.Match[str]) -> Block | None:
    tag_end = find(text, ">", opening.end())
    if tag_end < 0:
        return None
    fence: Fence | None = None
    open_fence: _Signs | None = None
    at = tag_end + 1
    while boundary := search(_REVIEW_BOUNDARY, text, at, longest=_LONGEST):
        at = boundary.end()
        if not boundary[0].startswith(_FENCE_SIGN):
            # In a fence everything is code, closing tags too.
            if open_fence is not None:
                continue
            return Block(
                REVIEW,
                opening.start(),
                boundary.end(),
                tag_end + 1,
                boundary.start(),
                attributes=text[opening.end() : tag_end],
                fence=fence,
            )
        signs = _signs(text, boundary.start())
        at = signs.line_end
        if open_fence is None:
            open_fence = signs
        # A fence is closed by as many signs or more with nothing after them.
        elif signs.count >= open_fence.count and is_blank(text, signs.info_start, signs.line_end):
            fence = _fence(text, open_fence, signs)
            open_fence = None
    return None


def _signs(text: str, start: int) -> _Signs:
    other = search(_NO_FENCE_SIGN, text, start, longest=1)
    signs_end = len(text) if other is None else other.start()
    line_end = find(text, "\n", signs_end)
    return _Signs(start, signs_end - start, len(text) if line_end < 0 else line_end)


def _fence(text: str, opening: _Signs, closing: _Signs) -> Fence:
    code_start = opening.line_end + 1
    info = text[opening.info_start : opening.line_end]
    return Fence(opening.start, info, code_start, max(code_start, closing.start - 1))
