"""Bodies that hold context records: a value that cannot be read costs its own record alone (S2).

NaN, infinities, numbers of thousands of digits and nesting without end make a whole body
unreadable. Here each stands as a value that breaks the rules of its record, and the rest is read.
"""

from typing import Any, Final

from citestream.context.encoding import JSON_DEPTH_LIMIT
from citestream.wire.json_text import JsonInputError, loads
from citestream.wire.lenient_json import replaced

_KEPT_LEVELS: Final = JSON_DEPTH_LIMIT + 16
"""Deeper levels are left out. A record begins at most six levels in, so it is still too deep."""
_SPOILED: Final = b"[" * (JSON_DEPTH_LIMIT + 1) + b"]" * (JSON_DEPTH_LIMIT + 1)
"""What no record may hold, and every reader of JSON takes."""
_LIMIT: Final = _KEPT_LEVELS + JSON_DEPTH_LIMIT + 1


def read_records(body: bytes) -> Any:
    """Read a body as JSON, what is unreadable in a value spoiled.

    Raises :class:`~citestream.wire.json_text.JsonInputError` for what is no JSON even so.
    """
    try:
        return loads(body, depth_limit=_KEPT_LEVELS)
    except JsonInputError as error:
        try:
            readable = replaced(body, _KEPT_LEVELS, deep=b"0", no=_SPOILED, out_of_range=_SPOILED)
            return loads(b"".join(readable), depth_limit=_LIMIT)
        except JsonInputError:
            raise error from None  # its place is that of the body as it came
