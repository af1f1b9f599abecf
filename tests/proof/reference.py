"""A slow, plain reading of the marker rules over a whole text: what every cut has to agree with.

It holds the rules only, spelled out by index arithmetic over the joined text. It must know nothing
of the package under test: no import from it, no shared table, no state machine, no deltas. The
Unicode classes come straight from the `regex` package.
"""

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

import regex

START, STOP, DELIM = "\ue200", "\ue201", "\ue202"
SIGNS = START + STOP + DELIM
HEAD = START + "cite" + DELIM
BLANKS = " \t"
LINE_ENDS = "\r\n"

MARKER_LIMIT = 4096
FIELDS_LIMIT = 32
ID_LIMIT = 128
FIELD_LIMIT = 1024
ENTRIES_LIMIT = 2000

Keep = Literal["keep", "drop"]
Space = Literal["keep", "tidy"]

SNAPPED = regex.compile(
    r"(?V1)[[\p{Terminal_Punctuation}\p{Pe}\p{Pf}\p{Quotation_Mark}\u2026]--[\p{Ps}\p{Pi}\p{Pd}]]"
)
LETTER = regex.compile(r"[\p{Word_Break=ALetter}\p{Word_Break=Hebrew_Letter}]")
DIGIT = regex.compile(r"\p{Word_Break=Numeric}")
INSIDE_WORD = regex.compile(
    r"[\p{Word_Break=MidLetter}\p{Word_Break=MidNumLet}\p{Word_Break=Single_Quote}]"
)
INSIDE_NUMBER = regex.compile(
    r"[\p{Word_Break=MidNum}\p{Word_Break=MidNumLet}\p{Word_Break=Single_Quote}]"
)

WHITE = regex.compile(r"\p{White_Space}")
NO_FIELD = regex.compile(rf"[\p{{Cc}}{SIGNS}]")
NO_ID = regex.compile(rf"[\p{{Cc}}\p{{White_Space}}{SIGNS}]")
LINES = regex.compile(r"L[0-9]+(?:-L?[0-9]+)?")
PLAIN_ID = regex.compile("[A-Za-z0-9_-]+")
DROPPED_FIELDS = regex.compile(
    rf"{DELIM} *[^\p{{Cc}}\p{{White_Space}}{SIGNS}]*"
    rf"(?:{DELIM}[^\p{{Cc}}\p{{White_Space}}{SIGNS}]*)*"
)


class Piece(NamedTuple):
    """One stretch of the text: a valid marker, a failed candidate, or text between them."""

    kind: Literal["text", "marker", "failed"]
    start: int
    end: int


def joined(text: str) -> str:
    """The text with surrogate halves joined and lone ones replaced: real code points only."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


def is_head(run: str) -> bool:
    """Whether some marker of at most 4,096 code points begins with this run."""
    if not run.startswith(HEAD):
        return HEAD.startswith(run)
    first, *later = run[len(HEAD) :].split(DELIM)
    source = first.strip(" ")
    wanting = len(STOP) + (1 if source == "" else 0)
    return (
        len(run) + wanting <= MARKER_LIMIT
        and 1 + len(later) <= FIELDS_LIMIT
        and len(source) <= ID_LIMIT
        and not NO_ID.search(source)
        and not (later and source == "")
        and all(len(field) <= FIELD_LIMIT and not NO_FIELD.search(field) for field in later)
    )


def is_marker(run: str) -> bool:
    """Whether the run is a whole marker."""
    if not (run.startswith(HEAD) and run.endswith(STOP) and is_head(run[:-1])):
        return False
    return run[len(HEAD) : -1].split(DELIM)[0].strip(" ") != ""


def longest_head(text: str, start: int) -> int:
    """Where the candidate that begins at `start` ends: every head of a head is a head."""
    furthest = min(len(text), start + MARKER_LIMIT)
    ends = range(start + 1, furthest + 1)
    return start + bisect_left(ends, True, key=lambda end: not is_head(text[start:end]))


def pieces(text: str) -> Iterator[Piece]:
    """The text cut into markers, failed candidates and what lies between, in order."""
    at = 0
    while at < len(text):
        found = text.find(START, at)
        if found != at:
            end = len(text) if found < 0 else found
            yield Piece("text", at, end)
            at = end
            continue
        end = longest_head(text, at)
        if text[end : end + 1] == STOP and is_marker(text[at : end + 1]):
            yield Piece("marker", at, end + 1)
            at = end + 1
        else:
            yield Piece("failed", at, end)
            at = end


def named(marker: str, known: Container[str] | None = None) -> list[tuple[str, str]]:
    """The sources that a valid marker names, each with its locator, in order.

    `known` are the ids that exist; without it every field that may be an id is one.
    """
    first, *later = (field.strip(" ") for field in marker[len(HEAD) : -1].split(DELIM))
    entries = [(first, "")]
    may_take_locator = True
    for field in later:
        if field == "":
            continue
        located = field.startswith("/") or LINES.fullmatch(field) or not could_be_id(field)
        if known is not None and field not in known and not PLAIN_ID.fullmatch(field):
            located = True
        if located:
            source = entries[-1][0]
            if may_take_locator:
                entries.pop()
            entries.append((source, field))
            may_take_locator = False
        else:
            entries.append((field, ""))
            may_take_locator = True
    return entries


def could_be_id(field: str) -> bool:
    """Whether a field, blanks trimmed, has the form of a source id."""
    return 1 <= len(field) <= ID_LIMIT and not NO_ID.search(field)


def dropped_in_candidate(text: str, start: int, end: int) -> set[int]:
    """Under `drop`: the places inside a failed candidate that are no words."""
    gone = {start}
    first = text.find(DELIM, start, end)
    if first < 0:
        ends_whole_text = end == len(text)
        whole_word = end - start == len(START + "cite")
        if ends_whole_text or (whole_word and text[end] == STOP):
            gone |= set(range(start, end))
        return gone
    gone |= set(range(start, first))
    fields = DROPPED_FIELDS.match(text, first, end)
    assert fields is not None
    gone |= set(range(first, fields.end()))
    return gone | {at for at in range(first, end) if text[at] == DELIM}


def removed(text: str, cut: list[Piece], invalid_markers: Keep) -> set[int]:
    """The places that are not shown: markers, and under `drop` all other signs and residue."""
    gone: set[int] = set()
    for kind, start, end in cut:
        if kind == "marker":
            gone.update(range(start, end))
        elif invalid_markers == "drop" and kind == "failed":
            gone |= dropped_in_candidate(text, start, end)
        elif invalid_markers == "drop":
            gone |= {at for at in range(start, end) if text[at] in SIGNS}
    return gone


def dangling(text: str, gone: set[int]) -> set[int]:
    """Under `tidy`: the blanks and tabs before something removed that would dangle."""
    blanks: set[int] = set()
    for at in sorted(gone):
        if at - 1 in gone:
            continue
        after = at
        while after in gone:
            after += 1
        follower = text[after : after + 1]
        if not (follower == "" or follower in BLANKS + LINE_ENDS or SNAPPED.match(follower)):
            continue
        before = at
        while before > 0 and before - 1 not in gone and text[before - 1] in BLANKS:
            before -= 1
        if not is_indent(text, before, gone, blanks):
            blanks.update(range(before, at))
    return blanks


def is_indent(text: str, end: int, gone: set[int], blanks: set[int]) -> bool:
    """Whether the clean text holds nothing but blanks on its line before `end`."""
    for at in range(end - 1, -1, -1):
        if at in gone or at in blanks:
            continue
        if text[at] in LINE_ENDS:
            return True
        if text[at] not in BLANKS:
            return False
    return True


def snapped(clean: str, at: int) -> int:
    """The offset past the run of trailing punctuation that begins at `at`."""
    end = at
    while end < len(clean) and SNAPPED.match(clean[end]):
        end += 1
    if end - at == 1 and at > 0 and end < len(clean):
        before, sign, behind = clean[at - 1], clean[at], clean[end]
        in_word = LETTER.match(before) and INSIDE_WORD.match(sign) and LETTER.match(behind)
        in_number = DIGIT.match(before) and INSIDE_NUMBER.match(sign) and DIGIT.match(behind)
        if in_word or in_number:
            return at
    return end


def verdict(source: str, number: int, known: Mapping[str, str]) -> str:
    """Why an entry is dropped, or an empty string when it is kept; `number` counts from 1."""
    if number > ENTRIES_LIMIT:
        return "limit"
    if source.startswith(("user_data_", "user_text_")) or known.get(source) == "user":
        return "user_origin"
    return "" if source in known else "unknown_part"


@lru_cache(maxsize=8)
def cut_up(text: str) -> tuple[str, list[Piece]]:
    """The joined text and its pieces, which no option changes."""
    text = joined(text)
    return text, list(pieces(text))


class Stripped(NamedTuple):
    """A raw text without its markers, before anyone asks which sources exist."""

    text: str
    named: list[tuple[str, int, str]]
    failed: int


def stripped(
    text: str,
    invalid_markers: Keep = "keep",
    whitespace: Space = "keep",
    known: Container[str] | None = None,
) -> Stripped:
    """The clean text, every source named with its offset and locator, and the failed candidates."""
    text, cut = cut_up(text)
    hidden = removed(text, cut, invalid_markers)
    if whitespace == "tidy":
        hidden |= dangling(text, hidden)
    clean = "".join(sign for at, sign in enumerate(text) if at not in hidden)
    shown_before = list(accumulate((at not in hidden for at in range(len(text))), initial=0))
    entries = [
        (source, snapped(clean, shown_before[start]), locator)
        for kind, start, end in cut
        if kind == "marker"
        for source, locator in named(text[start:end], known)
    ]
    return Stripped(clean, entries, sum(piece.kind == "failed" for piece in cut))


def reference(
    text: str,
    known: Mapping[str, str],
    invalid_markers: Keep = "keep",
    whitespace: Space = "keep",
) -> dict[str, object]:
    """What a whole raw text comes to.

    `known` maps the ids of the turn's parts to their origin, `tool` or `user`. The answer has the
    keys of `expect` in `conformance/markers.json`; offsets count code points of the clean text.
    """
    clean, entries, failed = stripped(text, invalid_markers, whitespace, known)
    citations: list[dict[str, object]] = []
    dropped: list[dict[str, object]] = []
    for number, (source, offset, locator) in enumerate(entries, 1):
        entry = {"data_part_id": source, "offset": offset, "locator": locator}
        if reason := verdict(source, number, known):
            dropped.append({**entry, "reason": reason})
        else:
            citations.append(entry)
    return {"text": clean, "citations": citations, "dropped": dropped, "invalid_markers": failed}


def visible(text: str, invalid_markers: Keep = "keep", whitespace: Space = "keep") -> str:
    """What a reader must have, no more and no less, when this much of a stream has arrived.

    A lone high half and the open candidate at the end are still held back; so are, under `tidy`,
    blanks and tabs at the end that are no indent, because an indent never goes. A start sign and a
    letter set behind the rest settle what is before.
    """
    behind = START + "x"
    shown = stripped(without_held(text) + behind, invalid_markers, whitespace).text
    shown = shown.removesuffix("x" if invalid_markers == "drop" else behind)
    words = shown.rstrip(BLANKS)
    indent = words == "" or words[-1] in LINE_ENDS
    return words if whitespace == "tidy" and not indent else shown


def without_held(text: str) -> str:
    """The text without a lone high half and the open candidate at its end."""
    if "\ud800" <= text[-1:] <= "\udbff":
        text = text[:-1]
    text, cut = cut_up(text)
    if cut and cut[-1].kind == "failed" and cut[-1].end == len(text):
        return text[: cut[-1].start]
    return text


def settled(
    text: str, invalid_markers: Keep = "keep", whitespace: Space = "keep"
) -> list[tuple[str, int, str]]:
    """The entries named so far whose offsets no continuation can move, in text order.

    The continuations tried begin with a marker, which hides nothing that is still to come.
    """
    text = without_held(text) + HEAD + "z" + STOP
    futures = [
        stripped(text + more, invalid_markers, whitespace).named[:-1]
        for more in ("", ".", "..", "x", "5", ".x")
    ]
    return [entries[0] for entries in zip(*futures, strict=True) if len(set(entries)) == 1]
