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


_PUNCTUATION: Final = character_class(unicode_classes.SNAPPED_PAST)
_PUNCTUATION_RUN: Final = re.compile(f"[{_PUNCTUATION}]+")
CLOSES_UP: Final = re.compile(f"[{_PUNCTUATION} \\t\\r\\n]")
"""Before these (and the end) a blank left standing in front of a removed marker would dangle."""


def punctuation_run(text: str) -> int:
    """Return how many code points of closing punctuation ``text`` begins with."""
    run = _PUNCTUATION_RUN.match(text)
    return run.end() if run else 0


@cache
def _matcher(points: str) -> re.Pattern[str]:
    # Compiled at first use: the letters alone are hundreds of ranges.
    return re.compile(f"[{character_class(points)}]")


def inside_word(before: str, character: str, behind: str) -> bool:
    """Tell whether UAX 29 sees no word boundary round one punctuation character.

    ``before`` and ``behind`` are the characters directly beside it ("" where there is none): two
    letters round a MidLetter, MidNumLet or Single_Quote (WB6, WB7: ``dog's``, ``example.org``), or
    two digits round a MidNum, MidNumLet or Single_Quote (WB11, WB12: ``2.5``, ``1,000``).
    """
    if not before or not behind:
        return False
    return any(
        _matcher(signs).match(character) is not None
        and _matcher(sides).match(before) is not None
        and _matcher(sides).match(behind) is not None
        for signs, sides in (
            (unicode_classes.INSIDE_WORD, unicode_classes.LETTER),
            (unicode_classes.INSIDE_NUMBER, unicode_classes.DIGIT),
        )
    )
