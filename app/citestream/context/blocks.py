"""Where the blocks of an old message stand (S2, "Legacy messages").

Messages written before references carried their context in the text, as elements:

    <terminal_context>, <element_context>, <preview_annotation>   a tag on the end of its line, the
                                                                  closing tag at the head of one
    <review_comment key="value" …>                                anywhere, with code fences inside

Only the shape of a block is known here, not what its body says. One pass, no rescans: a block that
is never closed is searched to the end of the text once, whatever the number of its openings.
"""

import re
from dataclasses import dataclass

TERMINAL = "terminal_context"
ELEMENT = "element_context"
PREVIEW = "preview_annotation"
REVIEW = "review_comment"

CONTEXT_TAGS = (TERMINAL, ELEMENT, PREVIEW)

_OPENING = re.compile(
    rf"<(?:(?P<review>{REVIEW})(?![A-Za-z0-9_])|(?P<context>{'|'.join(CONTEXT_TAGS)})>\n)"
)
_REVIEW_BOUNDARY = re.compile(rf"^(`{{3,}})([^\n]*)$|</{REVIEW}>", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A code fence in a review: offsets of the whole and of the code, the text behind the signs."""

    start: int
    info: str
    code_start: int
    code_end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One closed block, its tags included from `start` to before `end`.

    `attributes` is what stands in the opening tag, `fence` the last code fence of a review.
    """

    tag: str
    start: int
    end: int
    body_start: int
    body_end: int
    attributes: str = ""
    fence: Fence | None = None


def find_blocks(text: str, tags: tuple[str, ...] = (*CONTEXT_TAGS, REVIEW)) -> list[Block]:
    """Find the outermost blocks of `text` with one of `tags`, in order; offsets in code points.

    A block owns what is in it: whatever looks like a block inside another one is its data.
    """
    blocks = []
    open_tags = set(tags)
    at = 0
    while opening := _OPENING.search(text, at):
        at = opening.end()
        tag = opening["review"] or opening["context"]
        if tag not in open_tags:
            continue
        block = _review(text, opening) if tag == REVIEW else _context(text, opening)
        if block is None:
            # Nothing behind this place closes the tag, so no later opening is closed either.
            open_tags.discard(tag)
        else:
            blocks.append(block)
            at = block.end
    return blocks


def _context(text: str, opening: re.Match[str]) -> Block | None:
    tag = opening["context"]
    closing = f"\n</{tag}>"
    # The line end behind the opening tag may be the one before the closing tag.
    at = text.find(closing, opening.end() - 1)
    if at < 0:
        return None
    return Block(tag, opening.start(), at + len(closing), opening.end(), max(at, opening.end()))


def _review(text: str, opening: re.Match[str]) -> Block | None:
    tag_end = text.find(">", opening.end())
    if tag_end < 0:
        return None
    fence: Fence | None = None
    open_fence: re.Match[str] | None = None
    for boundary in _REVIEW_BOUNDARY.finditer(text, tag_end + 1):
        signs = boundary[1]
        if open_fence is not None:
            # A fence is closed by as many signs or more with nothing behind them; all else in it,
            # closing tags too, is code.
            if signs and len(signs) >= len(open_fence[1]) and not boundary[2].strip():
                fence = _fence(open_fence, boundary)
                open_fence = None
        elif signs:
            open_fence = boundary
        else:
            return Block(
                REVIEW,
                opening.start(),
                boundary.end(),
                tag_end + 1,
                boundary.start(),
                attributes=text[opening.end() : tag_end],
                fence=fence,
            )
    return None


def _fence(opening: re.Match[str], closing: re.Match[str]) -> Fence:
    code_start = opening.end() + 1
    return Fence(opening.start(), opening[2], code_start, max(code_start, closing.start() - 1))
