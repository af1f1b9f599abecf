"""Checksums of stored rows.

SQLite guards its log with check sums, but not the database file: a flipped bit in a payload would
be read as if it had been written. A row's sum covers its payload and its place, so that neither
another payload nor another row's can stand for it. Against accidents, not against forgery.
"""

from typing import Final
from zlib import crc32

_MASK: Final = 0xFFFFFFFF


def row_checksum(owner: int, number: int, *payloads: bytes) -> int:
    """Return the check sum of ``payloads`` kept as row ``number`` of ``owner``: 32 bits."""
    value = (owner * 0x9E3779B1 + number) & _MASK
    for payload in payloads:
        value = crc32(payload, crc32(b"%d:" % len(payload), value))
    return value


def name_number(name: str) -> int:
    """Return a number of 32 bits for a name, to be an owner."""
    return crc32(name.encode("utf-8", "surrogatepass"))
