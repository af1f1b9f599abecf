"""The later fields of a marker: which is a locator, which another source, which may be either.

Lives here: the rule and how fields are read when it is known which ids exist. Must not know signs.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from citestream.parts import MAX_ID_LENGTH, is_line_range

_NO_ID: Final = re.compile("[\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000 ]")
_PLAIN_ID: Final = re.compile("[A-Za-z0-9_-]+")


def is_locator(field: str) -> bool:
    """Tell whether a later field (blanks trimmed, not empty) is a locator whatever ids exist."""
    return (
        field[0] == "/"
        or is_line_range(field)
        or len(field) > MAX_ID_LENGTH
        or _NO_ID.search(field) is not None
    )


def is_plain_id(field: str) -> bool:
    """Tell whether a field is a source even when no part has this id."""
    return _PLAIN_ID.fullmatch(field) is not None


def read_fields(
    source: str, locator: str, fields: Sequence[str], known: Callable[[str], bool | None]
) -> list[tuple[str, str]] | None:
    """Return ``(source id, locator)`` for each source named by later ``fields``, in text order.

    ``source`` is the id before them and ``locator`` the last one it has, "" when it has none yet.
    ``known`` tells whether a part has an id; a field that is neither a locator nor a plain id is a
    source where it has, else the locator of the source before it. Where it answers None (not known
    yet), the result is None. A source without a locator has the locator "".
    """
    named = [(source, locator)] if locator else []
    bare = not locator  # the source has no locator yet
    for field in fields:
        located = is_locator(field)
        if not located and not is_plain_id(field):
            answer = known(field)
            if answer is None:
                return None
            located = not answer
        if located:
            named.append((source, field))
            bare = False
        else:
            if bare:
                named.append((source, ""))
            source, bare = field, True
    if bare:
        named.append((source, ""))
    return named
