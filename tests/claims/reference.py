"""The slow reference for claims: whole text, whole rules, one after the other, no state.

Written from the rules alone. Properties come from ``regex``, the sentence boundaries from UAX 29
rule by rule, and everything is computed anew for each marker.
"""

import json
from typing import NamedTuple

import regex
from tests.vectors import CONFORMANCE

LISTS = json.loads((CONFORMANCE / "abbreviations.json").read_text(encoding="utf-8"))
BRACKET = regex.compile(r"\[ *\^?[1-9][0-9]{0,3} *(?:, *\^?[1-9][0-9]{0,3} *)*\]")
PREFIX = regex.compile(
    r"(?:[ \t>]|(?:[-*+•]|[0-9]{1,9}[.)])(?=[ \t])(?:[ \t]+\[[ xX]\](?=[ \t]|$))?|#{1,6}(?=[ \t]))*"
)
WHITE = regex.compile(r"\p{White_Space}")
NAMES = "Sep|Sp|Extend|Format|Lower|Upper|OLetter|Numeric|ATerm|STerm|SContinue|Close|CR|LF"
SB = {name: regex.compile(rf"\p{{SB={name}}}") for name in NAMES.split("|")}
EXTENDERS = "".join(
    regex.findall(r"[\p{SB=Extend}\p{SB=Format}]", "".join(map(chr, range(0x110000))))
)


def is_(character: str, *names: str) -> bool:
    return bool(character) and any(SB[name].fullmatch(character) for name in names)


def boundaries(text: str) -> list[int]:
    """Return the places inside of ``text`` where UAX 29 begins a sentence."""
    return [at for at in range(1, len(text)) if boundary(text, at)]


def boundary(text: str, at: int) -> bool:
    if is_(text[at - 1], "Sep", "CR", "LF"):
        return True  # SB4
    if is_(text[at], "Extend", "Format"):
        return False  # SB5
    # From here on as if Extend and Format were not there.
    before = [one for one in text[:at] if not is_(one, "Extend", "Format")]
    if before and is_(before[-1], "ATerm"):
        if is_(text[at], "Numeric"):
            return False  # SB6
        if len(before) > 1 and is_(before[-2], "Upper", "Lower") and is_(text[at], "Upper"):
            return False  # SB7
    while before and is_(before[-1], "Sp"):
        before.pop()
    without_spaces = is_(text[at], "Close") and not is_(text[:at].rstrip(EXTENDERS)[-1:], "Sp")
    while before and is_(before[-1], "Close"):
        before.pop()
    if not before or not is_(before[-1], "ATerm", "STerm"):
        return False  # SB998
    if is_(before[-1], "ATerm") and followed_by_lower(text[at:]):
        return False  # SB8
    if is_(text[at], "SContinue", "ATerm", "STerm"):
        return False  # SB8a
    return not (without_spaces or is_(text[at], "Sp", "Sep", "CR", "LF"))  # SB9, SB10, SB11


def followed_by_lower(after: str) -> bool:
    for one in after:
        if is_(one, "Lower", "OLetter", "Upper", "Sep", "CR", "LF", "ATerm", "STerm"):
            return is_(one, "Lower")
    return False


def sentence_start(text: str, end: int) -> int:
    """Return where the sentence of the last character before ``end`` begins."""
    text = text[:end]
    start = 0
    for at in boundaries(text):
        begin = at
        if marks := regex.match(r"[*_~]+(?=\p{White_Space}|$)", text[at:]):
            begin = at + marks.end()
        begin += len(regex.match(r"\p{White_Space}*", text[begin:])[0])
        if begin < end and begins(text, at, begin):
            start = begin
    return start


def begins(text: str, at: int, begin: int) -> bool:
    """Tell whether a sentence may begin at ``begin``, after the boundary ``at``."""
    if is_(text[begin], "Lower"):
        return False
    past = text[:at].rstrip().replace("\xa0", " ").replace("\u202f", " ")
    while past and is_(past[-1], "Extend", "Format", "Sp"):
        past = past[:-1]
    if regex.search(r"(?<![\p{L}\p{N}])\p{SB=Upper}[\p{SB=Extend}\p{SB=Format}]*\.$", past):
        return False
    following = regex.match(r"[\p{L}\p{N}\p{SB=Extend}\p{SB=Format}]*\.?", text[begin:])[0]
    word = following.rstrip(".")
    for abbreviation in LISTS["always"]:
        if ends_with(past, abbreviation):
            return False
        pieces = abbreviation.split(" ")
        for number in range(1, len(pieces)):
            inside = pieces[number].partition(".")[0] + "."
            if following == inside and ends_with(past, " ".join(pieces[:number])):
                return False
    for abbreviation in LISTS["before_number"]:
        if ends_with(past, abbreviation) and regex.match(r"\p{Nd}", text[begin:]):
            return False
    ordinal = regex.search(r"(?<![\p{L}\p{N}])\p{Nd}{1,2}\.$", past)
    return not (ordinal and word in LISTS["after_ordinal"])


def ends_with(past: str, abbreviation: str) -> bool:
    return past.endswith(abbreviation) and not regex.search(
        r"[\p{L}\p{N}]$", past[: len(past) - len(abbreviation)]
    )


def visible_end(text: str) -> int:
    while text and WHITE.fullmatch(text[-1]):
        text = text[:-1]
    return len(text)


def bars(text: str, at: int, end: int) -> list[int]:
    found = []
    escaped = False
    for place in range(at, end):
        if text[place] == "|" and not escaped:
            found.append(place)
        escaped = text[place] == "\\" and not escaped
    return found


def is_content(character: str) -> bool:
    return not regex.fullmatch(r"[\p{White_Space}\p{P}]", character)


def skip(text: str, at: int) -> int:
    """Return the place behind what a claim does not begin with, from the marker at ``at`` on."""
    while at < len(text):
        sign, following = text[at], text[at + 1 : at + 2]
        passed = bool(regex.fullmatch(r"[\p{White_Space}\p{Pe},;:—]", sign))
        passed = passed or (sign in "-–" and not regex.fullmatch(r"\p{Nd}", following))
        if not (passed or (sign == "|" and in_row(text, at))):
            break
        at += 1
    return at


def in_row(text: str, at: int) -> bool:
    begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    block = begin + PREFIX.match(text[begin:])[0].__len__()
    return text[block : block + 1] == "|"


class Marker(NamedTuple):
    """One marker: its offset, the place before it if it is kept, and the claim that it says."""

    offset: int
    before: int | None = None
    said: tuple[int, int] | None = None


def claims(text: str, markers: list[Marker], *, numbers: bool = False) -> list[tuple[int, int]]:
    """Return the claim of each marker."""
    found: list[tuple[int, int]] = []
    for index, (offset, before, said) in enumerate(markers):
        past = as_read(text[: offset if before is None else before], numbers=numbers)
        if said:
            found.append(trimmed(past, *said))
        else:
            found.append(claim(past, [one.offset for one in markers[:index]], found))
    return found


def as_read(text: str, *, numbers: bool) -> str:
    """Return the text with brackets of numbers as blanks."""
    if not numbers:
        return text
    return BRACKET.sub(lambda one: " " * len(one[0]) if len(one[0]) <= 64 else one[0], text)


def trimmed(past: str, start: int, end: int) -> tuple[int, int]:
    while end > start and WHITE.fullmatch(past[end - 1]):
        end -= 1
    while start < end and WHITE.fullmatch(past[start]):
        start += 1
    return (start, end) if regex.search(r"[\p{L}\p{N}]", past[start:end]) else (end, end)


def claim(past: str, earlier: list[int], known: list[tuple[int, int]]) -> tuple[int, int]:
    end = visible_end(past)
    if not end:
        return (0, 0) if not known else known[-1]
    begin = max(past.rfind("\n", 0, end), past.rfind("\r", 0, end)) + 1
    block = begin + len(PREFIX.match(past[begin:])[0])
    if past[block : block + 1] == "|" and block < end:
        row = bars(past, block, end)
        if row[-1] == end - 1:
            while end > begin and (end - 1 in row or WHITE.fullmatch(past[end - 1])):
                end -= 1
            block = row[0] + 1
        else:
            block = row[-1] + 1
    shares = earlier and not any(map(is_content, past[earlier[-1] : end]))
    if shares and earlier[-1] >= min(begin, end):
        return known[-1]
    start = block
    if block < end:
        lead = len(regex.match(r"\p{White_Space}*", past[block:end])[0])
        start = max(start, block + lead, block + sentence_start(past[block:], end - block))
    for place in reversed(earlier):
        if any(map(is_content, past[place:end])):
            start = max(start, skip(past[:end], place))
            break
    start = min(start, end)
    if not regex.search(r"[\p{L}\p{N}]", past[start:end]):
        start = end
    return start, end
