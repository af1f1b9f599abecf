"""Writes the table ``unicode_classes.py`` of claims from the Unicode data of ``regex``.

Run as ``python -m tests.claims.generate_unicode_classes`` (``make unicode``) when a newer Unicode
version is wanted; that can change claims, so it is a change of semantics.
"""

from collections.abc import Iterator
from pathlib import Path

import regex
from tests.citations.generate_unicode_classes import (
    EVERY_CHARACTER,
    ranges,
    unicode_version,
    wrapped,
)

TABLE = Path(__file__).parents[2] / "app" / "citestream" / "claims" / "unicode_classes.py"

# The letter of each class, the Sentence_Break values it is part of, and its general category:
# P without Pe, Pe alone, a letter or a number, Nd, or another one.
CLASSES = {
    "r": ("CR LF", "other", "CR, LF."),
    "n": ("Sep", "other", "Sep."),
    "s": ("Sp", "other", "Sp."),
    "x": ("Extend Format", "other", "Extend and Format."),
    "y": ("Extend Format", "word", "Extend and Format that are letters."),
    "l": ("Lower", "word", "Lower."),
    "m": ("Lower", "other", "Lower that are symbols."),
    "u": ("Upper", "word", "Upper."),
    "v": ("Upper", "other", "Upper that are symbols."),
    "o": ("OLetter", "word", "OLetter."),
    "p": ("OLetter", "punctuation", "OLetter that are punctuation."),
    "d": ("Numeric", "digit", "Numeric that are decimal digits (Nd)."),
    "e": ("Numeric", "other", "Numeric that are neither numbers nor punctuation."),
    "f": ("Numeric", "punctuation", "Numeric that are punctuation."),
    "g": ("Numeric", "word", "Numeric that are numbers other than decimal digits."),
    ".": ("ATerm", "punctuation", "ATerm."),
    "!": ("STerm", "punctuation", "STerm."),
    ",": ("SContinue", "punctuation", "SContinue."),
    '"': ("Close", "punctuation", "Close, without closing brackets."),
    ")": ("Close", "closing", "Close that are closing brackets (Pe)."),
    "}": ("Close", "other", "Close that are symbols."),
    ";": ("Other", "punctuation", "Other punctuation."),
    "2": ("Other", "word", "Other letters and numbers."),
}
DEFAULT = "_"
# Scripts whose letters are not written directly before a number that stands for itself.
NAMES = r"[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}&&\p{L}]"
CATEGORIES = {
    "closing": r"\p{Pe}",
    "punctuation": r"[\p{P}--\p{Pe}]",
    "digit": r"\p{Nd}",
    "word": r"[\p{L}\p{N}--\p{Nd}]",
    "other": r"[^\p{P}\p{L}\p{N}]",
}

HEAD = '''"""Sentence_Break classes (UAX 29) by category, as in Unicode {version}. Generated.

Each class has a letter and a string of hexadecimal code points and ranges; all other characters
are of class ``{default}``. They are data of this package, so that no upgrade of a library changes a
claim.
"""

from typing import Final

UNICODE_VERSION: Final = "{version}"
DEFAULT: Final = "{default}"

CLASSES: Final = {{
'''


def members(breaks: str, category: str) -> Iterator[int]:
    either = "".join(rf"\p{{SB={name}}}" for name in breaks.split())
    pattern = regex.compile(f"(?V1)[[{either}]&&{CATEGORIES[category]}]")
    return (found.start() for found in pattern.finditer(EVERY_CHARACTER))


def table() -> str:
    lines = [HEAD.format(version=unicode_version(), default=DEFAULT).rstrip("\n")]
    for letter, (breaks, category, meaning) in CLASSES.items():
        quoted = "'\"'" if letter == '"' else f'"{letter}"'
        lines.append(f"    # {meaning}")
        pieces = [f'"{line}"' for line in wrapped(ranges(members(breaks, category)))]
        if len(pieces) == 1:
            lines.append(f"    {quoted}: {pieces[0]},")
        else:
            lines += [f"    {quoted}: (", *(f"        {piece}" for piece in pieces), "    ),"]
    found = regex.finditer(f"(?V1){NAMES}", EVERY_CHARACTER)
    lines += ["}", "", "NAME_LETTERS: Final = ("]
    lines += [f'    "{line}"' for line in wrapped(ranges(one.start() for one in found))]
    return "\n".join([*lines, ")", '"""Letters of the scripts Latin, Greek and Cyrillic."""', ""])


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
