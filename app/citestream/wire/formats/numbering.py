"""Numbers of a vendor's events that count what a filter added or left out.

Lives here: how an event gets another number and is otherwise the bytes it came as. Must not know
what is counted.
"""

import re
from functools import cache
from typing import Any

from citestream.wire.formats.blocks import Block


@cache
def _field(name: str) -> re.Pattern[bytes]:
    # In a string of the JSON its quotes would have backslashes before them.
    return re.compile(rb'((?<!\\)"%s"\s*:\s*)-?\d+' % name.encode())


def renumbered(block: Block, value: dict[str, Any], name: str, number: int) -> bytes:
    """Return an event whose field ``name``, already set in ``value``, has become ``number``.

    Only where the name stands more than once the event is written anew.
    """
    raw, count = _field(name).subn(rb"\g<1>%d" % number, block.raw)
    return raw if count == 1 else block.written(value)
