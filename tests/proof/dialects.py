"""A slow, plain reading of the other dialects over a whole text: what every cut has to agree with.

It holds the rules only, as regular expressions over the joined text and a walk over its lines. It
must know nothing of the package under test: no import from it, no state machine, no deltas.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

START, STOP, DELIM = "\ue200", "\ue201", "\ue202"
CONTROL = r"\x00-\x1f\x7f-\x9f"
SIGNS = START + STOP + DELIM
LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
PREFIX = re.compile(r"(?:[ \t>]|(?:[-*+\u2022]|[0-9]{1,9}[.)])(?=[ \t]))*")
ITEM = re.compile(r"(?:[-*+\u2022]|[0-9]{1,9}[.)])[ \t]")


class Whole(NamedTuple):
    """A whole marker: where it ends, what it names, what it shows (None: itself), its part."""

    end: int
    named: list[tuple[str, str]]
    shown: str | None = ""
    role: str = "point"


class Found(NamedTuple):
    """What a text comes to."""

    shown: str
    named: list[tuple[str, str]]
    failed: int


# -- code ----------------------------------------------------------------------------------------


def code(text: str) -> list[bool]:
    """For each place whether a candidate that begins there is in code."""
    inside: list[bool] = []
    fence: tuple[str, int, int] | None = None
    span = depth = 0
    for line in LINE.finditer(text):
        body = line[1]
        start = 0
        quotes = re.match(r"[ \t>]*", body)[0].count(">")  # type: ignore[index]
        if fence and quotes < fence[2]:
            fence = None
        if fence:
            sign, length, _ = fence
            closing = re.match(rf"[ \t>]*{re.escape(sign)}{{{length},}}[ \t]*", body)
            if not closing or body[closing.end() :][:1].isalnum():
                inside += [True] * len(line[0])
                continue
            fence, start = None, closing.end()
            marks = [True] * start
        else:
            prefix = PREFIX.match(body)[0]  # type: ignore[index]
            rest = body[len(prefix) :]
            quotes = prefix.count(">")
            heading, row = re.match(r"#{1,6}[ \t]", rest), rest.startswith("|")
            opening = re.match(r"`{3,}|~{3,}", rest)
            if not rest or ITEM.search(prefix) or heading or row or opening or quotes > depth:
                span = 0
            start = len(prefix)
            marks = [span > 0] * start
            if opening:
                run = opening[0]
                marks += [True] * len(run)
                start += len(run)
                if run[0] == "~" or "`" not in rest[len(run) :]:
                    fence = (run[0], len(run), quotes)
                    inside += [True] * len(line[0])
                    depth = max(depth, quotes)
                    continue
                span = len(run)
            if heading or row:
                tail, span = _spans(body, start, span)
                inside += marks + tail + [False] * len(line[2])
                depth, span = max(depth, quotes), 0
                continue
        tail, span = _spans(body, start, span)
        inside += marks + tail + [span > 0] * len(line[2])
        depth = 0 if re.fullmatch(r"[ \t>]*", body) else max(depth, quotes)
    return inside


def _spans(body: str, start: int, span: int) -> tuple[list[bool], int]:
    marks: list[bool] = []
    at = start
    while at < len(body):
        if span == 0 and body[at] == "\\" and body[at + 1 : at + 2] in ("\\", "`"):
            marks += [False, False]
            at += 2
            continue
        run = len(re.match("`*", body[at:])[0])  # type: ignore[index]
        if run:
            marks += [span > 0] * run
            at += run
            span = run if span == 0 else 0 if run == span else span
        else:
            marks.append(span > 0)
            at += 1
    return marks, span


# -- markers -------------------------------------------------------------------------------------


def fields(inside: str, separator: str, forbidden: str) -> list[tuple[str, str]] | None:
    """What the fields of a marker name, None where they are no fields; every id is known."""
    first, *later = re.split(separator, inside) if separator else [inside]
    source = first.strip(" ")
    no_id = rf"[{CONTROL}{SIGNS}\s\x85\xa0{forbidden}]"
    if not 1 <= len(source) <= 128 or re.search(no_id, source) or len(later) > 31:
        return None
    named = [(source, "")]
    for field in later:
        if len(field) > 1024 or re.search(f"[{CONTROL}{SIGNS}{forbidden}]", field):
            return None
        field = field.strip(" ")
        if not field:
            continue
        place = field[0] == "/" or re.fullmatch("L[0-9]+(-L?[0-9]+)?", field)
        if place or len(field) > 128 or re.search(r"[\s\x85\xa0]", field):
            if named[-1][1] == "":
                named[-1] = (named[-1][0], field)
            else:
                named.append((named[-1][0], field))
        else:
            named.append((field, ""))
    return named


def guide(text: str, at: int) -> Whole | None:
    found = re.compile(f"{START}cite{DELIM}([^{START}{STOP}]*){STOP}").match(text, at)
    named = fields(found[1], DELIM, "") if found and len(found[0]) <= 4096 else None
    return Whole(found.end(), named) if found and named else None


def escaped(text: str, at: int) -> Whole | None:
    start, stop, delim = (rf"\\u[eE]20{number}" for number in "012")
    found = re.compile(f"{start}cite{delim}((?:(?!{start})[\\s\\S])*?){stop}").match(text, at)
    named = fields(found[1], delim, r"\\") if found and len(found[0]) <= 4096 else None
    return Whole(found.end(), named) if found and named else None


def template(opener: str, closer: str, separator: str) -> Callable[[str, int], Whole | None]:
    def read(text: str, at: int) -> Whole | None:
        end = text.find(closer, at + len(opener))
        if not text.startswith(opener, at) or end < 0:
            return None
        end += len(closer)
        if end - at > 1024 or text.find(opener, at + 1, end) >= 0:
            return None
        inside = text[at + len(opener) : end - len(closer)]
        named = fields(inside, re.escape(separator), "")
        return Whole(end, named) if named else None

    return read


def lenticular(known: Collection[str]) -> Callable[[str, int], Whole | None]:
    note = f"\u2020([^\u2020\u3010\u3011{CONTROL}]{{0,200}})"
    whole = re.compile(
        rf"\u3010([0-9]{{1,6}}:[0-9]{{1,6}}|[A-Za-z0-9_-]{{1,128}})(?:{note})?(?:{note})?\u3011"
    )

    def read(text: str, at: int) -> Whole | None:
        found = whole.match(text, at)
        if not found or len(found[0]) > 512:
            return None
        notes = [one.strip(" ") for one in found.groups()[1:] if one is not None]
        if not notes and found[1] not in known:
            return None
        places = [one for one in notes if re.fullmatch("/.*|L[0-9]+(-L?[0-9]+)?", one)]
        return Whole(found.end(), [(found[1], places[0] if places else "")])

    return read


NUMBER = r" *\^?([1-9][0-9]{0,3}) *"
BRACKET = re.compile(rf"\[{NUMBER}(?:,{NUMBER})*\]")


def numbers(known: Collection[str], *, keep: bool) -> Callable[[str, int], Whole | None]:
    def owned(text: str, at: int) -> bool:
        """Whether by what is before it the bracket is Markdown's or a name's."""
        before = text[:at]
        if before.endswith("]"):
            begins = [
                place
                for place in range(max(0, at - 64), at)
                if (found := BRACKET.match(text, place)) and found.end() == at
            ]
            in_code = code(before)
            return not any(not in_code[place] and not owned(text, place) for place in begins)
        return bool(re.search(r"[!\\\[]\Z|(?:^|[\s\x85(])[a-z]\Z", before))

    def read(text: str, at: int) -> Whole | None:
        found = BRACKET.match(text, at)
        if not found or len(found[0]) > 64 or owned(text, at):
            return None
        line = re.split("[\r\n]", text[:at])[-1]
        after = text[found.end() : found.end() + 1]
        if after == "(" or (after == ":" and PREFIX.fullmatch(line)):
            return None
        named = re.findall("[0-9]+", found[0])
        if not all(one in known for one in named):
            return None
        return Whole(found.end(), [(one, "") for one in named], None if keep else "")

    return read


BARE = rf"[^ \"'\u201c\u201d\\=/<>{CONTROL}]+"
VALUE = "|".join(
    (
        rf'\\"[^<>"\\{CONTROL}]*\\"',
        rf'"[^<>"{CONTROL}]*"',
        rf"'[^<>'{CONTROL}]*'",
        rf"\u201c[^<>\u201d{CONTROL}]*\u201d",
        BARE,
    )
)
ATTRIBUTE = rf" +([A-Za-z][A-Za-z0-9_-]{{0,31}}) *= *({VALUE})"
KEYS = r" *[A-Za-z0-9_.-]+ *(?:, *[A-Za-z0-9_.-]+ *)*"
OPENER = re.compile(rf"<cite(?:{ATTRIBUTE})+ *(/?)>|<co:({KEYS})>")
CLOSER = re.compile(rf"</(cite) *>|</(co)(?::{KEYS})?>")


def tags() -> Callable[[str, int], Whole | None]:
    owed = {"cite": 0, "co": 0}

    def read(text: str, at: int) -> Whole | None:
        closing = CLOSER.match(text, at)
        if closing and len(closing[0]) <= 512 and owed[kind := closing[1] or closing[2]]:
            owed[kind] -= 1
            return Whole(closing.end(), [], role="close")
        found = OPENER.match(text, at)
        if not found or len(found[0]) > 512:
            return None
        if found[4] is not None:
            owed["co"] += 1
            return Whole(found.end(), [(key.strip(" "), "") for key in found[4].split(",")])
        for name, value in re.findall(ATTRIBUTE, found[0]):
            if name in ("id", "ids", "index", "source", "sources", "ref", "refs"):
                owed["cite"] += not found[3]
                ids = re.split("[, ]+", value.strip("\\\"'\u201c\u201d"))
                return Whole(found.end(), [(one, "") for one in ids if one])
        return None

    return read


def chatgpt(text: str, at: int) -> Whole | None:
    if text[at] in "\ue203\ue204\ue206":
        return Whole(at + 1, [])
    found = re.compile(
        f"{START}([a-z][a-z_]{{0,31}})((?:{DELIM}[^{SIGNS}{CONTROL}]*)*){STOP}"
    ).match(text, at)
    if not found or len(found[0]) > 4096:
        return None
    parts = [part.strip(" ") for part in found[2].split(DELIM)[1:]]

    def is_id(one: str) -> bool:
        return 1 <= len(one) <= 128 and not re.search(r"[\s\x85\xa0]", one)

    ids = [(one, "") for one in parts[1:] if is_id(one)]
    if found[1] in ("cite", "filecite"):
        while parts and not is_id(parts[0]):
            parts.pop(0)
        return Whole(found.end(), fields(DELIM.join(parts[:32]), DELIM, "") or [])
    if found[1] == "navlist":
        return Whole(found.end(), ids)
    shown = ""
    if found[1] in ("url", "video", "link_title"):
        shown = parts[0] if parts else ""
        return Whole(found.end(), [one for one in ids if ":" not in one[0]], _seen(shown))
    if found[1] == "entity" and parts:
        try:
            items = json.loads(parts[0])
            shown = items[1] if isinstance(items, list) and isinstance(items[1], str) else ""
        except (ValueError, IndexError):
            shown = ""
    return Whole(found.end(), [], _seen(shown))


def _seen(shown: str) -> str:
    return re.sub(f"[{CONTROL}\ue200-\ue206]", " ", shown).strip(" ")


class Reader(NamedTuple):
    """A dialect: what reads its marker at a place, whether code hides it, what is counted."""

    read: Callable[[str, int], Whole | None]
    printable: bool
    counted: str = "(?!)"


def readers(
    dialects: list[str | dict[str, str]], known: Collection[str], *, keep: bool
) -> Iterator[Reader]:
    for dialect in dialects:
        if isinstance(dialect, dict):
            opener = dialect["open"]
            read = template(opener, dialect["close"], dialect.get("separator", ""))
            yield Reader(read, True, re.escape(opener))
        elif dialect == "guide":
            yield Reader(guide, False, START)
        elif dialect == "chatgpt":
            yield Reader(chatgpt, False, START)
        elif dialect == "escaped":
            yield Reader(escaped, True, r"\\u[eE]200")
        elif dialect == "lenticular":
            yield Reader(lenticular(known), True)
        elif dialect == "numbers":
            yield Reader(numbers(known, keep=keep), True)
        else:
            yield Reader(tags(), True)


def found_in(
    text: str, dialects: list[str | dict[str, str]], known: Collection[str], *, keep: bool = False
) -> Found:
    """What the whole text comes to, whose halves are joined."""
    those = list(readers(dialects, known, keep=keep))
    hidden = code(text)
    shown, named, failed, at = "", [], 0, 0
    while at < len(text):
        for one in those:
            if one.printable and hidden[at]:
                continue
            whole = one.read(text, at)
            if whole:
                shown += text[at : whole.end] if whole.shown is None else whole.shown
                named += whole.named
                at = whole.end
                break
        else:
            failed += any(
                re.compile(one.counted).match(text, at) is not None
                for one in those
                if not (one.printable and hidden[at])
            )
            shown += text[at]
            at += 1
    return Found(shown, named, failed)
