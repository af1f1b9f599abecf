"""The dialect ``lenticular``: ``【key†note】``, as the assistants of OpenAI and gpt-oss write it.

Lives here: the grammar, and which note is a locator. Must not know text, offsets or streams.
"""

import re
from functools import lru_cache
from typing import Final

from citestream.citations.dialects.dialect import FAILED, Known, Marker, Recogniser
from citestream.citations.dialects.grammar import (
    CONTROLS,
    Grammar,
    GrammarRecogniser,
    all_of,
    one_of,
    repeated,
    run,
    word,
)
from citestream.parts import is_line_range

OPENER: Final = "\u3010"
CLOSER: Final = "\u3011"
DAGGER: Final = "\u2020"
MAX_MARKER: Final = 512
"""Code points of a marker at most."""

_KEY: Final = one_of(
    all_of(run("0-9", 1, 6), word(":"), run("0-9", 1, 6)), run("A-Za-z0-9_\\-", 1, 128)
)
_NOTE: Final = all_of(word(DAGGER), run(f"^{DAGGER}{OPENER}{CLOSER}{CONTROLS}", 0, 200))
_GRAMMAR: Final = Grammar(
    all_of(word(OPENER), _KEY, repeated(_NOTE, 0, 2), word(CLOSER)),
    MAX_MARKER,
    endings=(CLOSER, "0" + CLOSER),
)


def _is_locator(note: str) -> bool:
    return note.startswith("/") or is_line_range(note)


class _LenticularRecogniser(GrammarRecogniser):
    __slots__ = ("_known",)

    grammar = _GRAMMAR
    usual = re.compile(f"{OPENER}[0-9]{{1,6}}:[0-9]{{1,6}}{DAGGER}[a-z]{{0,100}}(?:({CLOSER})|\\Z)")
    spare = 100
    heads = (OPENER,)

    def __init__(self, known: Known) -> None:
        super().__init__()
        self._known = known

    def advance(self, text: str, at: int) -> int:
        length = super().advance(text, at)
        if length > 0:
            key, *notes = text[at + 1 : at + length - 1].split(DAGGER)
            if not notes and not self._known(key):
                return FAILED
        return length

    def marker(self, text: str, at: int, end: int) -> Marker:
        return _marker(text[at + 1 : end - 1])


@lru_cache(maxsize=1024)
def _marker(inside: str) -> Marker:
    key, *notes = inside.split(DAGGER)
    locators = (note for note in (note.strip(" ") for note in notes) if _is_locator(note))
    return Marker(((key, next(locators, ""), ()),), numbered=True)


class _Lenticular:
    name: Final = "lenticular"
    stray_signs: Final = ""

    def recogniser(self, known: Known) -> Recogniser:
        return _LenticularRecogniser(known)


LENTICULAR: Final = _Lenticular()
