"""Bodies that hold context records: a value that cannot be read costs its own record alone.

Must not know what a record is; which values cannot be read is the business of the context package.
"""

from json import JSONDecodeError
from typing import Any

from citestream.context.encoding import read_json
from citestream.wire.json_text import JsonInputError


def read_records(body: bytes) -> Any:
    """Read a body as JSON; a value that cannot be held is infinity, which no record may hold.

    A byte order mark in front of the body is read past. Raises
    :class:`~citestream.wire.json_text.JsonInputError` for what is no JSON even so.
    """
    try:
        text = body.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise JsonInputError(f"not UTF-8 at byte {error.start}") from None
    try:
        return read_json(text)
    except JSONDecodeError as error:
        raise JsonInputError(f"not JSON at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise JsonInputError(str(error)) from None
