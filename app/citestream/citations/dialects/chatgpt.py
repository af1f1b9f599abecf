"""The dialect ``chatgpt``: the families of markers that ChatGPT writes, some with visible text.

Lives here: the grammar, what each family names and shows, and what "drop" leaves of a broken one.
Must not know text, offsets or streams.
"""

import json
import re
from functools import lru_cache
from typing import Any, Final, NoReturn

from citestream.citations.dialects.dialect import FAILED, OPEN, Known, Marker, Recogniser, only
from citestream.citations.dialects.grammar import CONTROLS
from citestream.citations.dialects.guide import FAMILY, GUIDE, MAX_MARKER, sources_in
from citestream.parts.ids import is_source_id
from citestream.parts.text import DELIM, START, STOP, replace_surrogates

CLAIM_FROM: Final = "\ue203"
CLAIM_TO: Final = "\ue204"
SEPARATOR: Final = "\ue206"

_FILE_FAMILY: Final = "filecite"
_TITLED: Final = ("url", "video", "link_title")
_BEGUN_FAMILY: Final = re.compile(f"{START}(?:[a-z][a-z_]{{0,31}})?")
_FAMILY: Final = re.compile(f"{START}[a-z][a-z_]{{0,31}}")
_FIELD_END: Final = re.compile(f"[{START}{STOP}{CONTROLS}]")
_NOT_SHOWN: Final = re.compile(f"[{CONTROLS}\ue200-\ue206]")


class _ChatgptRecogniser(Recogniser):
    __slots__ = ("_read",)

    printable = False
    heads = (START, CLAIM_FROM, CLAIM_TO, SEPARATOR)
    # What a marker shows is sent with the character after it.
    asks_after = True

    def begin(self) -> None:
        super().begin()
        self._read = 0  # how much of the fields holds nothing that ends them; 0 in the family

    def advance(self, text: str, at: int) -> int:
        if text[at] != START:
            return 1
        self.opened = True
        self.room = 0
        if not self._read:
            begun = _BEGUN_FAMILY.match(text, at)
            end = begun.end() if begun else at
            if end == len(text):
                return OPEN
            if not (_FAMILY.fullmatch(text, at, end) and text[end] in (DELIM, STOP)):
                return FAILED
            self._read = end - at
        limit = at + MAX_MARKER
        found = _FIELD_END.search(text, at + self._read, limit)
        if found:
            return found.end() - at if found[0] == STOP else FAILED
        self._read = len(text) - at
        self.room = max(0, MAX_MARKER - self._read - len(STOP))
        return OPEN if self._read < MAX_MARKER else FAILED

    def may_end(self, _after: str) -> bool:
        return True

    def marker(self, text: str, at: int, end: int) -> Marker:
        if text[at] == CLAIM_FROM:
            return Marker(role="claim_from")
        if text[at] == CLAIM_TO:
            return Marker(role="claim_to")
        if text[at] == SEPARATOR:
            return Marker()
        return _meaning(text[at + 1 : end - 1])

    def residue(self, text: str, at: int) -> int:
        reached = self.reached(text, at, MAX_MARKER)
        candidate, following = text[at:reached], text[reached : reached + 1]
        family = candidate[1:].split(DELIM)[0]
        if family == FAMILY or not _FAMILY.fullmatch(START + family):
            return len(candidate) - len(GUIDE.residue(candidate, following))
        if family == _FILE_FAMILY:  # as the other one, whose name is shorter
            candidate = candidate.replace(_FILE_FAMILY, FAMILY, 1)
            removed = len(candidate) - len(GUIDE.residue(candidate, following))
            return removed + (len(_FILE_FAMILY) - len(FAMILY) if removed > 1 else 0)
        goes = not following or following == DELIM or len(family) + 1 < len(candidate)
        return 1 + len(family) if goes else 1


@lru_cache(maxsize=1024)
def _meaning(inside: str) -> Marker:
    """Return what the inside of a whole marker names and shows."""
    family, *parts = inside.split(DELIM)
    fields = [part.strip(" ") for part in parts]
    if family in (FAMILY, _FILE_FAMILY):
        while fields and not is_source_id(fields[0]):
            fields = fields[1:]
        return Marker(sources_in(fields[0], fields[1:]) if fields else ())
    ids = [field for field in fields[1:] if is_source_id(field)]
    if family == "navlist":
        return Marker(only(ids))
    if family in _TITLED:
        named = only(source for source in ids if ":" not in source)
        return Marker(named, _shown(fields[0]) if fields else "")
    if family == "entity":
        name = _shown(_second_string(fields[0])) if fields else ""
        return Marker(shown=name, widget=not name)
    return Marker(widget=True)


def _shown(text: str) -> str:
    return _NOT_SHOWN.sub(" ", replace_surrogates(text)).strip(" ")


def _second_string(text: str) -> str:
    """Return the second item of a JSON array, or "" when there is none or it is no string."""
    try:
        items: Any = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return ""
    second = items[1] if isinstance(items, list) and len(items) > 1 else ""
    return second if isinstance(second, str) else ""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


class _Chatgpt:
    name: Final = "chatgpt"
    stray_signs: Final = STOP + DELIM

    def recogniser(self, _known: Known) -> Recogniser:
        return _ChatgptRecogniser()


CHATGPT: Final = _Chatgpt()
