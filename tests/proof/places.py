"""All the places of a part that a locator can name, each with its one right spelling.

The other way round from a resolver: it walks the data and writes locators down, so that a locator
resolves when it is written here and only then. It must know nothing of the package under test.
"""

import re
from collections.abc import Iterator
from typing import Any


def escaped(key: str) -> str:
    """The reference token that names this key (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def places(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every place below a value by its pointer."""
    if isinstance(value, dict):
        inner = [(escaped(key), below) for key, below in value.items()]
    elif isinstance(value, list):
        inner = [(str(index), below) for index, below in enumerate(value)]
    else:
        inner = []
    for token, below in inner:
        yield f"{pointer}/{token}", below
        yield from places(below, f"{pointer}/{token}")


def ranges(value: Any) -> Iterator[tuple[str, str]]:
    """Every range of lines of a string by each of its spellings, lines joined by LF."""
    if not isinstance(value, str) or value == "":
        return
    lines = re.split(r"\r\n|\n|\r", value)
    if lines[-1] == "":
        lines.pop()
    for first in range(1, len(lines) + 1):
        yield f"L{first}", lines[first - 1]
        for last in range(first, len(lines) + 1):
            text = "\n".join(lines[first - 1 : last])
            yield f"L{first}-L{last}", text
            yield f"L{first}-{last}", text
