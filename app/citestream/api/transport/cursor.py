"""``Last-Event-ID``: where a reader goes on."""

from typing import Final

from citestream.service.problems import BAD_CURSOR, Problem

PATTERN: Final = "^[0-9]{0,15}$"


def cursor(text: str | None) -> int:
    """Read a ``Last-Event-ID``; nothing, or an empty one, is the beginning."""
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise Problem(BAD_CURSOR, "last-event-id: must be the id of an event, a whole number")
    return int(text)
