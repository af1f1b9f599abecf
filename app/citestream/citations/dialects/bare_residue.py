"""What is left of a marker whose signs were lost: ``citeturn0search0turn0search3``.

Lives here: how such a word is read into known ids. It is no dialect of its own, but an option; it
is last of the list. Must not know text, offsets or streams.
"""

import re
from collections.abc import Collection
from typing import Final

from citestream.citations.dialects.dialect import (
    FAILED,
    OPEN,
    Before,
    Known,
    Marker,
    Recogniser,
    only,
)

MAX_MARKER: Final = 1024
"""Code points of the word at most."""
_HEAD: Final = re.compile("(?:file)?cite")
_RUN: Final = re.compile("[A-Za-z0-9_\\-]*")
_WORD: Final = re.compile("[A-Za-z0-9_]")


class _ResidueRecogniser(Recogniser):
    __slots__ = ("_known",)

    heads = ("cite", "filecite")
    asks_before = True

    def __init__(self, known: Known) -> None:
        super().__init__()
        self._known = known

    def may_begin(self, before: Before) -> bool:
        return not _WORD.match(before.last[-1:])

    def advance(self, text: str, at: int) -> int:
        limit = at + MAX_MARKER
        head = _HEAD.match(text, at)
        if head is None:  # cut off in it, as all that is read here begins like one
            return OPEN if self._known.begins_id("") else FAILED
        run = _RUN.match(text, head.end(), limit)
        end = run.end() if run else head.end()
        ids, places = self._read(text, head.end(), end)
        if end == len(text) and not self.ended:
            known = self._known
            # The word may end here, or go on with an id.
            may_go_on = end < limit and any(known.begins_id(text[place:end]) for place in places)
            if may_go_on or (end in places and end > head.end()):
                return OPEN
        return head.end() - at + sum(map(len, ids)) if ids else FAILED

    def marker(self, text: str, at: int, end: int) -> Marker:
        head = _HEAD.match(text, at)
        ids, _ = self._read(text, head.end() if head else at, end)
        return Marker(only(ids))

    def _read(self, text: str, start: int, end: int) -> tuple[list[str], Collection[int]]:
        """Return the ids that follow the head, up to a place where the word may end; and all places
        that can be reached over ids.

        The longest id is taken first, and a shorter one where the rest cannot be read otherwise.
        """
        known = self._known
        lengths = sorted(known.id_lengths, reverse=True)
        reached: dict[int, list[str]] = {start: []}  # places between ids, and the ids from there on
        for place in range(start, end):
            if place in reached:
                ids = (text[place : place + length] for length in lengths if place + length <= end)
                reached[place] = [source for source in ids if known.is_id(source)]
                for source in reached[place]:
                    reached.setdefault(place + len(source), [])
        # From the end on: the id to take at each place, "" where the word may end.
        choices: dict[int, str] = {}
        for place in sorted(reached, reverse=True):
            for source in reached[place]:
                if place + len(source) in choices:
                    choices[place] = source
                    break
            else:
                if place > start and not _WORD.match(text[place : place + 1]):
                    choices[place] = ""
        chosen: list[str] = []
        while source := choices.get(start, ""):
            chosen.append(source)
            start += len(source)
        return chosen, reached.keys()


class _Residue:
    name: Final = "bare_residue"
    stray_signs: Final = ""

    def recogniser(self, known: Known) -> Recogniser:
        return _ResidueRecogniser(known)


BARE_RESIDUE: Final = _Residue()
