"""What a model is told, so that it cites: the paragraph, and each part in citable form.

Must not know who asks a model, or how.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from citestream.parts import DataPart
from citestream.parts.locators import split_lines
from citestream.parts.text import DELIM, START, STOP

INSTRUCTIONS: Final = (
    "Back every statement that rests on the data parts below with a citation marker. A marker is "
    f"the character U+E200, the word cite, the character U+E202, the id of a part, and the "
    f"character U+E201, like this: {START}cite{DELIM}tool_data_01{STOP}. To point at a place in "
    "the part, put U+E202 and a locator before U+E201: for numbered lines the first and the last "
    f"line, {START}cite{DELIM}tool_data_01{DELIM}L8-L13{STOP}; for other data the path that stands "
    f"before the value, {START}cite{DELIM}tool_data_01{DELIM}/results/0/findings{STOP}. Write the "
    "marker directly behind the punctuation that ends the statement, with no blank before it, and "
    "one marker for each source. Cite only ids and places that stand below, exactly as they are "
    "written there; never cite what the user wrote. Never put a marker into a code block or on a "
    "line of its own, never show an id in the text itself, and write no list of sources. Where no "
    "part backs a statement, write no marker."
)
"""The paragraph for ``style: "markers"`` (S1 "emit citation markers only when it has backing source
data parts")."""


def format_part(part: DataPart) -> str:
    """Return a part as the model reads it: its id, then places with what stands there.

    A string is shown in numbered lines (``L1: ...``); every other value as one line for each
    number, string, truth value, null or empty container in it, behind its JSON Pointer.
    """
    head = f"[{part.id}] {part.tool_name}".rstrip()
    told = [line for line in (part.title, part.url) if line]
    body: Iterable[str] = _leaves(part.root)
    if isinstance(part.root, str):
        body = (f"L{number}: {line}" for number, line in enumerate(split_lines(part.root), 1))
    return "\n".join([head, *(" ".join(line.split()) for line in told), *body])


def _leaves(root: Any) -> Iterator[str]:
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        pointer, value = todo.pop()
        if value and isinstance(value, dict):
            todo += [
                (f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}", inner)
                for key, inner in reversed(value.items())
            ]
        elif value and isinstance(value, list):
            todo += [
                (f"{pointer}/{index}", inner) for index, inner in reversed(list(enumerate(value)))
            ]
        else:
            shown = json.dumps(value, ensure_ascii=False)
            yield f"{pointer}: {shown}" if pointer else shown
