"""citestream's own stream format: each output event as one server-sent event.

``id:`` is a gapless integer from 1, ``event:`` the event's type, ``data:`` one line of JSON.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from citestream.turns import OutputEvent, TextDelta
from citestream.wire.json_text import dumps

MEDIA_TYPE: Final = "text/event-stream"
PING: Final = b": ping\n\n"
"""A comment: keeps proxies and readers awake, is no event and has no id."""


def frame(event: OutputEvent, number: int) -> bytes:
    """Return the server-sent event for an output event with the id ``number``."""
    if isinstance(event, TextDelta):
        # Nine of ten events are this one.
        return b'id: %d\nevent: delta\ndata: {"type":"delta","text":%s}\n\n' % (
            number,
            dumps(event.text),
        )
    return stored_frame(event.type, dumps(event.as_json()), number)


def stored_frame(type_: str, data: bytes, number: int) -> bytes:
    """Return the server-sent event for an event whose JSON has been written already."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, type_.encode(), data)


def frames(events: Iterable[OutputEvent], first: int = 1) -> Iterator[bytes]:
    """Return the frames of ``events``, numbered from ``first``."""
    for number, event in enumerate(events, first):
        yield frame(event, number)


def retry(milliseconds: int) -> bytes:
    """Return the frame that asks a reader to wait so long before it comes back."""
    return b"retry: %d\n\n" % milliseconds
