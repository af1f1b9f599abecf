"""A marker of fields: an opener, fields between separators, a closer, each of any spelling.

Lives here: how such a candidate is followed, for every dialect that is written so. Must not know
what the fields mean, nor streams.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from citestream.citations.dialects.dialect import FAILED, OPEN, Recogniser
from citestream.parts import MAX_ID_LENGTH
from citestream.parts.ids import ID_CHARACTERS
from citestream.parts.text import SIGNS

Spelling = tuple[str, ...]
"""What a sign is made of: for each place the characters that may be there."""

CONTROLS: Final = "\\x00-\\x1f\\x7f-\\x9f"
_PLAIN: Final = re.compile("[A-Za-z0-9_\\-]")
_FIRST: Final = re.compile(f" *{ID_CHARACTERS}{{1,{MAX_ID_LENGTH}}} *")
_FIRST_BEGUN: Final = re.compile(f" *({ID_CHARACTERS}{{0,{MAX_ID_LENGTH}}})( *)")


def _pattern(spelling: Spelling) -> str:
    return "".join(f"[{re.escape(characters)}]" for characters in spelling)


def _begun(spelling: Spelling) -> str:
    """Return the pattern of every beginning of a spelling, the empty one included."""
    begun = ""
    for characters in reversed(spelling):
        begun = f"(?:[{re.escape(characters)}]{begun})?"
    return begun


def _beginnings(spelling: Spelling) -> frozenset[str]:
    """Return the texts that may become a sign, and are none yet."""
    return frozenset(
        "".join(text) for length in range(1, len(spelling)) for text in product(*spelling[:length])
    )


@dataclass(frozen=True, eq=False)
class Fields:
    """How a marker of fields is spelled, and its limits."""

    opener: Spelling
    separator: Spelling
    """Empty where a marker has one field."""
    closer: Spelling
    bound: int
    """Code points of a whole marker at most."""
    most_fields: int
    longest_field: int
    """Code points of a field after the first at most, blanks counted."""
    counted: int
    """How many characters of the opener are enough for a failed candidate to be counted."""
    refused: str = ""
    """What no field may hold, beside control characters and the private signs."""

    @cached_property
    def token(self) -> re.Pattern[str]:
        """What ends a field: group 1 the closer, group 2 the separator, group 3 nothing else."""
        separator = _pattern(self.separator) or "(?!)"
        refused = f"[{CONTROLS}{SIGNS}{re.escape(self.refused)}]"
        return re.compile(f"({_pattern(self.closer)})|({separator})|({refused})")

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Every beginning of an opener."""
        return re.compile(_begun(self.opener))

    @cached_property
    def counting(self) -> re.Pattern[str]:
        """So much of an opener that its failure is counted."""
        return re.compile(_pattern(self.opener[: self.counted]))

    @cached_property
    def signs(self) -> tuple[tuple[frozenset[str], int, int], ...]:
        """Of the closer and the separator the beginnings, their length, and what must follow."""
        return (
            (_beginnings(self.closer), len(self.closer), 0),
            (_beginnings(self.separator), len(self.separator), len(self.closer)),
        )

    @cached_property
    def longest_sign(self) -> int:
        """The length of the longer of closer and separator."""
        return max(len(self.closer), len(self.separator))

    @cached_property
    def sign_starts(self) -> frozenset[str]:
        """The characters with which a closer or a separator of several characters begins."""
        return frozenset(one for texts, _, _ in self.signs for one in texts if len(one) == 1)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """The whole opener."""
        return re.compile(_pattern(self.opener))

    @cached_property
    def has_words(self) -> bool:
        """Whether a sign may begin, or a second opener be complete, in the middle of a word."""
        edges = [sign[0] for sign in (self.closer, self.separator) if sign]
        if self.opener[0] not in self.refused:
            edges.append(self.opener[-1])
        return any(one.isalnum() or one == "_" for spelled in edges for one in spelled)

    @cached_property
    def usual(self) -> re.Pattern[str] | None:
        """What most markers look like, or their beginnings: one plain id (group 1), up to the
        closer (group 2) or the end of the text, also in the middle of the closer. None where a sign
        may be read in the id.
        """
        signs = [sign for sign in (self.opener, self.separator, self.closer) if sign]
        if any(_PLAIN.match(one) for sign in signs for one in sign[0]):
            return None
        plain = f"([A-Za-z0-9_\\-]{{1,{MAX_ID_LENGTH}}})"
        closer = f"(?:({_pattern(self.closer)})|{_begun(self.closer)}\\Z)"
        return re.compile(f"{_pattern(self.opener)}{plain}{closer}")

    def split(self, marker: str) -> list[str]:
        """Return the fields of a whole marker, blanks trimmed."""
        body = marker[len(self.opener) : len(marker) - len(self.closer)]
        fields = re.split(_pattern(self.separator), body) if self.separator else [body]
        return [field.strip(" ") for field in fields]


class FieldsRecogniser(Recogniser):
    """Follows a candidate field by field; it remembers where the field at hand begins."""

    __slots__ = ("_begun", "_field", "_fields", "_number", "_read", "_usual")

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self._fields = fields
        self._usual = fields.usual
        self.begin()

    def begin(self) -> None:
        """Forget the last candidate: a new one begins."""
        super().begin()
        self._begun = False  # whether the whole opener has been read
        self._field = len(self._fields.opener)  # where the field at hand begins in the candidate
        self._number = 1
        self._read = 1  # before this no second opener begins

    def advance(self, text: str, at: int) -> int:
        """Read on field by field."""
        fields = self._fields
        usual = self._usual.match(text, at) if self._usual else None
        if usual:
            self.opened = True
            if usual[2]:
                return usual.end() - at
            self.room = MAX_ID_LENGTH - len(usual[1]) if usual.end(1) == len(text) else 0
            return OPEN
        self.room = 0
        if not self._begun:
            if fields.begun.fullmatch(text, at):
                self.opened = len(text) - at >= fields.counted
                if len(text) - at < len(fields.opener):
                    return OPEN
            elif fields.opening.match(text, at) is None:
                self.opened = fields.counting.match(text, at) is not None
                return FAILED
            self.opened = self._begun = True
        limit = min(len(text), at + fields.bound)
        while True:
            start = at + self._field
            token = fields.token.search(text, start, limit)
            if self._has_opener(text, at, token.end() if token else limit):
                return FAILED
            if token is None or (token[3] and self._begins_sign(text, token.start())):
                as_text = token is None
                return OPEN if self._may_go_on(text, at, as_text=as_text) else FAILED
            if token[3] or not self._is_whole(text, start, token.start()):
                return FAILED
            if token[1]:
                return token.end() - at
            self._number += 1
            self._field = token.end() - at
            if self._number > fields.most_fields:
                return FAILED

    def _has_opener(self, text: str, at: int, end: int) -> bool:
        """Tell whether a second opener is complete before ``end``."""
        found = self._fields.opening.search(text, at + self._read, end)
        self._read = max(1, end - at - len(self._fields.opener) + 1)
        return found is not None

    def _begins_sign(self, text: str, at: int) -> bool:
        """Tell whether a refused character may turn out to be the beginning of a sign."""
        cut = text[at : at + self._fields.longest_sign]
        return any(cut in beginnings for beginnings, _, _ in self._fields.signs)

    def _is_whole(self, text: str, start: int, end: int) -> bool:
        if self._number == 1:
            return _FIRST.fullmatch(text, start, end) is not None
        return end - start <= self._fields.longest_field

    def _may_go_on(self, text: str, at: int, *, as_text: bool) -> bool:
        """Tell whether something that may follow makes the candidate a marker.

        ``as_text`` says that what may be the beginning of a sign may also belong to the field.
        """
        start, end = at + self._field, len(text)
        left = self._fields.bound - (end - at)
        closer = len(self._fields.closer)
        if self._may_be_cut_in_sign(text, start, left):
            return True
        if not as_text:
            return False
        if self._number > 1:
            self.room = min(left - closer, self._fields.longest_field - (end - start))
            may = self.room >= 0
        else:
            begun = _FIRST_BEGUN.fullmatch(text, start, end)
            may = begun is not None and left >= closer + (not begun[1])
            if may and begun and not begun[2]:
                self.room = min(left - closer, MAX_ID_LENGTH - len(begun[1]))
        if self._fields.has_words:
            self.room = 0
        return may

    def _may_be_cut_in_sign(self, text: str, start: int, left: int) -> bool:
        """Tell whether the text ends in a sign with which the marker still fits its limits."""
        fields, end = self._fields, len(text)
        if fields.sign_starts.isdisjoint(text[max(start, end - fields.longest_sign + 1) :]):
            return False
        for beginnings, length, rest in fields.signs:
            if rest and self._number == fields.most_fields:
                continue
            for begun in range(1, min(length, end - start + 1)):
                if (
                    text[end - begun :] in beginnings
                    and left >= length - begun + rest
                    and self._is_whole(text, start, end - begun)
                ):
                    return True
        return False
