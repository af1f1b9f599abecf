"""The dialect ``guide``: U+E200 ``cite`` (U+E202 field)+ U+E201, as S1 has it.

Lives here: the whole grammar, with its limits. Must not know text, offsets or streams.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from citestream.citations.dialects.dialect import Known, Marker, Named, Recogniser
from citestream.citations.dialects.fields import Fields, FieldsRecogniser
from citestream.citations.fields import is_locator, is_plain_id, read_fields
from citestream.parts import MAX_ID_LENGTH
from citestream.parts.ids import ID_CHARACTERS
from citestream.parts.text import DELIM, START, STOP

MAX_MARKER: Final = 4096
"""Code points of a marker at most, its signs included."""
MAX_FIELDS: Final = 32
MAX_FIELD: Final = 1024
"""Code points of a field behind the first, blanks counted."""

FAMILY: Final = "cite"
_HEAD: Final = FAMILY + DELIM
_BEYOND_ID: Final = MAX_MARKER - len(START + _HEAD) - MAX_ID_LENGTH
_ID_RUN: Final = re.compile(f"{ID_CHARACTERS}+")
_FIELD_RUN: Final = re.compile(f"[^\\x00-\\x1f\\x7f-\\x9f{START}{STOP}{DELIM}]+")
_BROKEN_BODY: Final = re.compile(f"{START}{_HEAD} *{ID_CHARACTERS}*(?:{DELIM}{ID_CHARACTERS}*)*")


class _GuideFollower:
    """One state and what it may still take; the characters themselves are the engine's to keep.

    The state is the run being read: of the id, or of a later field. Behind the blank that ends the
    id there is no room for more of it.
    """

    __slots__ = ("_beyond", "_fields", "_room_without_id", "_run", "room")

    def __init__(self) -> None:
        self.begin()
        self.room = 0

    def begin(self) -> None:
        self._run = _ID_RUN
        self._fields = 1
        # While there is so much room, no character of the id has come.
        self.room = self._room_without_id = MAX_ID_LENGTH
        # What fits into the marker behind the room. At least one: there is always place for STOP.
        self._beyond = _BEYOND_ID

    def push(self, text: str) -> int:
        position = 0
        while position < len(text):
            run = self._run.match(text, position, position + self.room)
            if run:
                self.room -= run.end() - position
                position = run.end()
            elif self._step(text[position]):
                position += 1
            else:
                break
        return position

    def _step(self, character: str) -> bool:
        """Take a character between two runs; return whether it may stand there."""
        left = self._beyond + self.room - 1  # what fits into the marker behind it
        if self.room == self._room_without_id:
            if character != " " or left < len("i" + STOP):
                return False
            room = self._room_without_id = min(MAX_ID_LENGTH, left - 1)
        elif character == DELIM and left and self._fields < MAX_FIELDS:
            self._run = _FIELD_RUN
            self._fields += 1
            room = min(MAX_FIELD, left - 1)
            self._room_without_id = -1
        elif character == " " and left and self._run is _ID_RUN:
            room = 0
        else:
            return False
        self.room = room
        self._beyond = left - room
        return True


@lru_cache(maxsize=1024)  # An answer cites the same places again and again.
def _entries(candidate: str) -> Named:
    first, *later = candidate[1 + len(_HEAD) :].split(DELIM)
    source = first.strip(" ")
    return sources_in(source, [field.strip(" ") for field in later]) if source else ()


def sources_in(source: str, later: Iterable[str]) -> Named:
    """Return what a source and the later fields of its marker name, blanks trimmed."""
    fields = list(filter(None, later))
    decided = next(
        (at for at, one in enumerate(fields) if not (is_locator(one) or is_plain_id(one))),
        len(fields),
    )
    named = read_fields(source, "", fields[:decided], lambda _: None) or []
    source, locator = named.pop()
    return (*((*pair, ()) for pair in named), (source, locator, tuple(fields[decided:])))


FIELDS: Final = Fields(
    opener=tuple(START + _HEAD),
    separator=(DELIM,),
    closer=(STOP,),
    bound=MAX_MARKER,
    most_fields=MAX_FIELDS,
    longest_field=MAX_FIELD,
    counted=len(START),
)
"""The same grammar for the scanner, which reads several dialects at once."""


@lru_cache(maxsize=1024)
def _marker(fields: Fields, marker: str) -> Marker:
    source, *later = fields.split(marker)
    return Marker(sources_in(source, later))


class SourcesRecogniser(FieldsRecogniser):
    """Follows markers whose fields are those of ``guide``, however they are spelled."""

    __slots__ = ()

    def marker(self, text: str, at: int, end: int) -> Marker:
        """Return the sources that the fields name."""
        return _marker(self._fields, text[at:end])


class GuideRecogniser(SourcesRecogniser):
    """Follows markers of ``guide`` among other dialects."""

    __slots__ = ()

    printable = False
    heads = (START,)

    def __init__(self) -> None:
        super().__init__(FIELDS)

    def residue(self, text: str, at: int) -> int:
        """Return how much "drop" removes: the sign, the family and the ids."""
        reached = self.reached(text, at, MAX_MARKER)
        candidate, following = text[at:reached], text[reached : reached + 1]
        return len(candidate) - len(GUIDE.residue(candidate, following))


class _Guide:
    name: Final = "guide"
    head: Final = START + _HEAD
    end: Final = STOP
    stray_signs: Final = STOP + DELIM
    entries = staticmethod(_entries)

    def follower(self) -> _GuideFollower:
        return _GuideFollower()

    def recogniser(self, _known: Known) -> Recogniser:
        return GuideRecogniser()

    def residue(self, candidate: str, following: str) -> str:
        broken = _BROKEN_BODY.match(candidate)
        if broken:
            return candidate[broken.end() :]
        word = candidate[1:]
        if not following or (word == FAMILY and following in self.stray_signs):
            return ""
        return word


GUIDE: Final = _Guide()
