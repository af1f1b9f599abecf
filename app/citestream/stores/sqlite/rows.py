"""How rows are read: check sums verified, gaps found. Must not know who asks for which."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from citestream.stores.checksums import name_number, row_checksum
from citestream.stores.port import DamagedError, Key, PartRow, TurnRow

DB = sqlite3.Connection

TURN: Final = (
    "tenant, id, session_id, semantics, created, touched, ended, status, reason, next, events,"
    " state, labels, trimmed, sum"
)
"""The columns of :func:`turn_row`."""


def asked(keys: Collection[Key]) -> str:
    """Return keys as a JSON text, for ``json_each(?)``: one statement for any number of them."""
    return json.dumps([[key.tenant, key.id] for key in keys])


def state_checksum(key: Key, following: int, status: str, state: bytes) -> int:
    """Return the check sum of what changes in a turn's row."""
    return row_checksum(name_number(key.tenant + "\0" + key.id), following, status.encode(), state)


def message_checksum(session: Key, position: int, message: bytes) -> int:
    """Return the check sum of a message."""
    return row_checksum(name_number(session.tenant + "\0" + session.id), position, message)


def turn_row(fields: Sequence[Any]) -> TurnRow:
    """Return a turn from the columns of :data:`TURN`. Raises :class:`DamagedError`."""
    *values, trimmed, total = fields
    row = TurnRow(*values, bool(trimmed))  # type: ignore[call-arg]
    *_, state, labels = values
    whole = isinstance(state, bytes) and isinstance(labels, bytes)
    if not whole or total != state_checksum(row.key, row.next, row.status, row.state):
        raise DamagedError("a turn's row is damaged")
    return row


def sound(
    found: Iterable[Any], first: int | None, limit: int | None = None
) -> list[tuple[Any, ...]]:
    """Return what rows (turn, number, sum, what it covers ...) hold, up to ``limit`` bytes.

    Their numbers go on from ``first``; None: they need not. Raises :class:`DamagedError` for a gap
    in the numbers, and a row that is not what was written.
    """
    rows = []
    size = 0
    for turn, number, total, *fields in found:
        *names, data = fields
        # A flipped bit may also make of a payload a text or a number.
        whole = first in (None, number) and isinstance(data, bytes)
        covered = (str(name).encode() for name in names)
        if not whole or total != row_checksum(turn, number, *covered, data):
            raise DamagedError("a row is missing or damaged")
        rows.append(tuple(fields))
        if first is not None:
            first += 1
        if limit is not None:
            size += len(data)
            if size >= limit:
                break
    return rows


PART: Final = "turn, n, sum, id, about, data_sum, data"
"""The columns of :func:`part_rows`."""


def part_rows(found: Iterable[Any], first: int | None = None) -> list[PartRow]:
    """Return parts from rows of the columns of :data:`PART`. Raises :class:`DamagedError`."""
    rows = []
    for turn, n, total, part_id, about, data_total, data in found:
        if not isinstance(data, bytes) or data_total != row_checksum(turn, n, data):
            raise DamagedError("a part is damaged")
        [(_, whole)] = sound([(turn, n, total, part_id, about)], first)
        rows.append(PartRow(part_id, whole, data))
        first = None if first is None else first + 1
    return rows
