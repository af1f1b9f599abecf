"""Writes the table ``abbreviations.py`` of claims from ``conformance/abbreviations.json``.

Run as ``python -m tests.claims.generate_abbreviations`` (``make unicode``) after a change of the
lists; that can change claims, so it is a change of semantics.
"""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.vectors import CONFORMANCE

TABLE = Path(__file__).parents[2] / "app" / "citestream" / "claims" / "abbreviations.py"

LISTS = {
    "always": "No sentence ends with one of these, whatever follows.",
    "before_number": "No sentence ends with one of these before a digit.",
    "after_ordinal": (
        "Before one of these words the full stop of a number of one or two digits ends no sentence."
    ),
}

HEAD = '''"""Abbreviations that end no sentence. Generated from ``conformance/abbreviations.json``.

{about}

Each list is a string, its items parted by ``|``.
"""

from typing import Final
'''


def table() -> str:
    lists = json.loads((CONFORMANCE / "abbreviations.json").read_text(encoding="utf-8"))
    about = textwrap.fill(lists["about"], 100, break_on_hyphens=False, break_long_words=False)
    lines = [HEAD.format(about=about).rstrip("\n")]
    for name, meaning in LISTS.items():
        lines += ["", f"{name.upper()}: Final = ("]
        lines += [f'    "{line}"' for line in wrapped(lists[name])]
        lines += [")", f'"""{meaning}"""']
    return "\n".join([*lines, ""])


def wrapped(words: list[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if len(line) + len(word) > 90:
            yield line
            line = ""
        line += word + "|"
    yield line.rstrip("|")


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
