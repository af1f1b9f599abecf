"""The dialect ``guide``: U+E200 ``cite`` (U+E202 field)+ U+E201, as S1 has it.

Lives here: the whole grammar, with its limits. Must not know text, offsets or streams.
"""

import re
from functools import lru_cache
from typing import Final

from citestream.parts import MAX_ID_LENGTH, is_line_range
from citestream.parts.ids import ID_CHARACTERS
from citestream.parts.text import DELIM, START, STOP

MAX_MARKER: Final = 4096
"""Code points of a marker at most, its signs included."""
MAX_FIELDS: Final = 32
MAX_FIELD: Final = 1024
"""Code points of a field behind the first, blanks counted."""

_FAMILY: Final = "cite"
_HEAD: Final = _FAMILY + DELIM
_BLANKS: Final = re.compile(" *")
_ID_RUN: Final = re.compile(f"{ID_CHARACTERS}*")
_FIELD_RUN: Final = re.compile(f"[^\\x00-\\x1f\\x7f-\\x9f{START}{STOP}{DELIM}]*")
_NO_ID: Final = re.compile("[\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000 ]")
_BROKEN_BODY: Final = re.compile(f"{START}{_HEAD} *{ID_CHARACTERS}*(?:{DELIM}{ID_CHARACTERS}*)*")

# What is being read behind the head.
_ID, _BEHIND_ID, _FIELD = range(3)


class _GuideRecogniser:
    """One state and what it may still take; the characters themselves are the engine's to keep."""

    __slots__ = ("_fields", "_left", "_room_seen", "_state", "complete", "room")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.complete = False
        self._state = _ID
        self._fields = 1
        self._left = MAX_MARKER - len(_HEAD) - 1  # code points that still fit in, STOP among them
        self.room = self._room_seen = MAX_ID_LENGTH

    def push(self, text: str, position: int) -> int:
        self._left -= self._room_seen - self.room
        if text[position] == STOP and self._step(STOP, fits=True):
            return position + 1
        start = position
        # The index of what would be the last character of the longest marker: only STOP fits there.
        last = position + self._left - 1
        end = len(text)
        while position < end:
            state = self._state
            if state == _BEHIND_ID:
                position = _run(_BLANKS, text, position, last)
            else:
                if state == _ID and self.room == MAX_ID_LENGTH:
                    # Behind a blank before the id, a character of it and STOP must find room.
                    position = _run(_BLANKS, text, position, last - 1)
                run = _ID_RUN if state == _ID else _FIELD_RUN
                limit = position + self.room
                reached = _run(run, text, position, min(last, limit))
                self.room -= reached - position
                position = reached
            if position == end or not self._step(text[position], fits=position < last):
                break
            position += 1
            if self.complete:
                break
        self._left -= position - start
        if self.room >= self._left:
            self.room = max(0, self._left - 1)
        self._room_seen = self.room
        return position

    def _step(self, character: str, *, fits: bool) -> bool:
        """Take the character behind a run of id, blanks or field; return whether it may stand."""
        if self._state == _ID and self.room == MAX_ID_LENGTH:
            return False
        if character == STOP:
            self.complete = True
        elif character == DELIM and fits and self._fields < MAX_FIELDS:
            self._state, self.room = _FIELD, MAX_FIELD
            self._fields += 1
        elif character == " " and fits and self._state == _ID:
            self._state, self.room = _BEHIND_ID, 0
        else:
            return False
        return True


def _run(pattern: re.Pattern[str], text: str, position: int, limit: int) -> int:
    """Return the index behind the longest run of ``pattern`` (it matches "") before ``limit``."""
    match = pattern.match(text, position, max(position, limit))
    return match.end() if match else position


def _is_locator(field: str) -> bool:
    return (
        field[0] == "/"
        or is_line_range(field)
        or len(field) > MAX_ID_LENGTH
        or _NO_ID.search(field) is not None
    )


@lru_cache(maxsize=1024)
def _entries(marker: str) -> tuple[tuple[str, str], ...]:
    # Remembered: an answer cites the same places again and again.
    first, *later = marker[1 + len(_HEAD) : -1].split(DELIM)
    source = first.strip(" ")
    named: list[tuple[str, str]] = []
    bare = True  # the source has no locator yet
    for field in (trimmed for part in later if (trimmed := part.strip(" "))):
        if _is_locator(field):
            named.append((source, field))
            bare = False
        else:
            if bare:
                named.append((source, ""))
            source, bare = field, True
    if bare:
        named.append((source, ""))
    return tuple(named)


class _Guide:
    name: Final = "guide"
    head: Final = START + _HEAD
    stray_signs: Final = STOP + DELIM

    def recogniser(self) -> _GuideRecogniser:
        return _GuideRecogniser()

    def entries(self, marker: str) -> tuple[tuple[str, str], ...]:
        return _entries(marker)

    def residue(self, candidate: str, following: str) -> str:
        broken = _BROKEN_BODY.match(candidate)
        if broken:
            return candidate[broken.end() :]
        word = candidate[1:]
        if not following or (word == _FAMILY and following in self.stray_signs):
            return ""
        return word


GUIDE: Final = _Guide()
