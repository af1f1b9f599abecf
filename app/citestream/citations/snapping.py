"""Where a citation lands: right behind the punctuation that closes its clause.

Lives here: the character class a citation is snapped past, and the one exception of UAX 29 words
(S1 "snapped past any trailing punctuation"). Must not know markers or streams.
"""

import re
from functools import cache
from typing import Final

from citestream.citations import unicode_classes


@cache
def character_class(points: str) -> str:
    """Turn a table of :mod:`unicode_classes` into the inside of a regular expression's class."""
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in ends.split("-")) for ends in points.split()
    )


def _characters(points: str) -> frozenset[str]:
    ranges = (ends.split("-") for ends in points.split())
    return frozenset(
        chr(point) for ends in ranges for point in range(int(ends[0], 16), int(ends[-1], 16) + 1)
    )


SNAPPED_PAST: Final = _characters(unicode_classes.SNAPPED_PAST)
CLOSES_UP: Final = SNAPPED_PAST | frozenset(" \t\r\n")
"""Before these (and the end) a blank left standing in front of a removed marker would dangle."""
_PUNCTUATION_RUN: Final = re.compile(f"[{character_class(unicode_classes.SNAPPED_PAST)}]+")


WHITE_SPACE: Final = "".join(sorted(_characters(unicode_classes.WHITE_SPACE)))
_OTHER_THAN_SPACE_AND_PUNCTUATION: Final = re.compile(
    f"[^{character_class(unicode_classes.WHITE_SPACE)}"
    f"{character_class(unicode_classes.PUNCTUATION)}]"
)


def parts_claim(text: str) -> bool:
    """Tell whether ``text`` holds more than white space and punctuation (category P)."""
    return _OTHER_THAN_SPACE_AND_PUNCTUATION.search(text) is not None


def punctuation_run(text: str) -> int:
    """Return how many code points of closing punctuation ``text`` begins with."""
    run = _PUNCTUATION_RUN.match(text)
    return run.end() if run else 0


@cache
def _matcher(points: str) -> re.Pattern[str]:
    # Compiled at first use: the letters alone are hundreds of ranges.
    return re.compile(f"[{character_class(points)}]")


_INSIDE: Final = (
    (_characters(unicode_classes.INSIDE_WORD), unicode_classes.LETTER),
    (_characters(unicode_classes.INSIDE_NUMBER), unicode_classes.DIGIT),
)


def inside_word(before: str, character: str, behind: str) -> bool:
    """Tell whether UAX 29 sees no word boundary round one punctuation character.

    ``before`` and ``behind`` are the characters directly beside it ("" where there is none): two
    letters round a MidLetter, MidNumLet or Single_Quote (WB6, WB7: ``dog's``, ``example.org``), or
    two digits round a MidNum, MidNumLet or Single_Quote (WB11, WB12: ``2.5``, ``1,000``).
    """
    for signs, sides in _INSIDE:
        if character in signs and before and behind:
            match = _matcher(sides).match
            if match(behind) and match(before):  # behind a closed clause mostly stands a blank
                return True
    return False
