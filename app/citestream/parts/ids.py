"""Part ids: their grammar, the prefixes that belong to the user, and assigned numbers.

Must not know what a part holds. A source id in a marker follows the same grammar.
"""

import re
from collections.abc import Container
from typing import Final

MAX_ID_LENGTH: Final = 128
"""Code points of a source id at most (marker grammar)."""

#: One character of an id: no white space (Unicode White_Space), no control (Cc), no marker sign.
#: Written out, so that no library's Unicode tables can move it.
ID_CHARACTERS: Final = (
    "[^\\x00-\\x20\\x7f-\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
    "\\ue200-\\ue202]"
)
_ID: Final = re.compile(f"{ID_CHARACTERS}{{1,{MAX_ID_LENGTH}}}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

USER_PREFIXES: Final = ("user_data_", "user_text_")


def is_source_id(text: str) -> bool:
    """Tell whether ``text`` is a source id by the marker grammar: 1 to 128 code points."""
    return _ID.fullmatch(text) is not None


def is_part_id(text: str) -> bool:
    """Tell whether a caller may give ``text`` to a part as its id.

    The grammar of source ids, not starting with ``/`` (which opens a JSON Pointer), and no half
    of a surrogate pair (which no marker could ever name).
    """
    return is_source_id(text) and text[0] != "/" and not _SURROGATE.search(text)


def is_user_origin_id(text: str) -> bool:
    """Tell whether an id is the user's by its name; such an id is never a source (S1)."""
    return text.startswith(USER_PREFIXES)


def prefix_of(origin: str, data: object) -> str:
    """Return what an id assigned to a part of this origin begins with."""
    if origin == "user":
        return "user_text_" if isinstance(data, str) else "user_data_"
    return "tool_data_"


def assigned_id(prefix: str, number: int) -> str:
    """Return the id that is assigned under a number, from 1."""
    return f"{prefix}{number:02d}"


class IdCounter:
    """Assigns ``tool_data_01``, ``user_data_01``, ``user_text_01``, …: each once.

    ``counts`` maps a prefix to the last number assigned; pass it on from turn to turn, and ids
    count over the session.
    """

    __slots__ = ("counts",)

    def __init__(self, counts: dict[str, int] | None = None) -> None:
        self.counts: dict[str, int] = dict(counts or {})

    def assign(self, origin: str, data: object, taken: Container[str] = ()) -> str:
        """Return the next free id for a part of this origin; ids in ``taken`` are passed over."""
        prefix = prefix_of(origin, data)
        number = self.counts.get(prefix, 0)
        while True:
            number += 1
            part_id = assigned_id(prefix, number)
            if part_id not in taken:
                self.counts[prefix] = number
                return part_id
