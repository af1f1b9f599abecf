"""Writes the table ``unicode_classes.py`` of the engine from the Unicode data of ``regex``.

Run as ``python tests/citations/generate_unicode_classes.py`` (``make unicode``) when a newer
Unicode version is wanted; that can move offsets, so it is a change of semantics.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import regex

TABLE = Path(__file__).parents[2] / "app" / "citestream" / "citations" / "unicode_classes.py"

CLASSES = {
    "SNAPPED_PAST": (
        r"[\p{Terminal_Punctuation}\p{Pe}\p{Pf}\p{Quotation_Mark}\u2026]",
        "What a citation is snapped past; opening signs (Ps, Pi) and dashes are taken out below.",
    ),
    "LETTER": (r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]", "UAX 29 AHLetter."),
    "INSIDE_WORD": (
        r"[\p{WB=MidLetter}\p{WB=MidNumLet}\p{WB=Single_Quote}]",
        "Between two letters no word ends here (WB6, WB7).",
    ),
    "DIGIT": (r"[\p{WB=Numeric}]", "UAX 29 Numeric."),
    "INSIDE_NUMBER": (
        r"[\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=Single_Quote}]",
        "Between two digits no word ends here (WB11, WB12).",
    ),
    "WHITE_SPACE": (r"\p{White_Space}", "Property White_Space."),
    "PUNCTUATION": (r"\p{P}", "Category P: nothing of these parts a claim from its markers."),
}
LINE_LENGTH = 100
EVERY_CHARACTER = "".join(map(chr, range(sys.maxunicode + 1)))
NEVER_SNAPPED_PAST = regex.compile(r"[\p{Ps}\p{Pi}\p{Pd}]")

HEAD = '''"""Character classes of the offset rule, as they stood in Unicode {version}. Generated.

Each class is a string of hexadecimal code points and ranges. They are data of this package, so
that no upgrade of a library can move an offset.
"""

from typing import Final

UNICODE_VERSION: Final = "{version}"
'''


def members(name: str, pattern: str) -> Iterator[int]:
    for found in regex.finditer(pattern, EVERY_CHARACTER):
        if not (name == "SNAPPED_PAST" and NEVER_SNAPPED_PAST.match(found[0])):
            yield found.start()


def ranges(points: Iterator[int]) -> Iterator[str]:
    run: list[int] = []
    for point in points:
        if run and point == run[-1] + 1:
            run[1:] = [point]
            continue
        if run:
            yield "-".join(f"{end:04X}" for end in run)
        run = [point]
    if run:
        yield "-".join(f"{end:04X}" for end in run)


def wrapped(words: Iterator[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if len(line) + len(word) > 88:
            yield line
            line = ""
        line += word + " "
    yield line.rstrip()


def unicode_version() -> str:
    """The version whose newest characters this ``regex`` knows."""
    # The first code point that each version assigned to a letter class.
    newest = {"18.0": 0x3D000, "17.0": 0x10940, "16.0": 0x105C0, "15.1": 0x2EBF0, "15.0": 0x11F02}
    letter = regex.compile(r"\p{L}")
    return next(version for version, point in newest.items() if letter.match(chr(point)))


def table() -> str:
    lines = [HEAD.format(version=unicode_version())]
    for name, (pattern, meaning) in CLASSES.items():
        first, *others = (f'"{line}"' for line in wrapped(ranges(members(name, pattern))))
        value = f"{name}: Final = {first}"
        if others or len(value) > LINE_LENGTH:
            value = "\n    ".join([f"{name}: Final = (", first, *others]) + "\n)"
        lines.append(f'\n{value}\n"""{meaning}"""\n')
    return "\n".join(lines)


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
