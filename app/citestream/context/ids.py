"""Ids of records from the ids of their producers.

Folding is a pure function: the same producer id gives the same context id everywhere.
"""

import re
from collections.abc import Iterable
from struct import unpack

from citestream.context.long_text import PIECE
from citestream.context.records import CONTEXT_ID

_SLUG_LIMIT = 48
_OUTSIDE = re.compile(r"[^A-Za-z0-9_-]+")

# 32-bit FNV-1a. The second pass has a basis of its own and goes backwards.
_FNV_PRIME = 0x01000193
_FORWARD_BASIS = 0x811C9DC5
_BACKWARD_BASIS = 0x9DC5811C


def fold_context_id(producer_id: str) -> str:
    """Return `producer_id` when it can be a context id, else a slug of it and a hash.

    The slug has `-` for every run of other characters, none at its ends before it is cut to 48, and
    is `ctx` when nothing is left. The hash goes over the UTF-16 units of the whole id.
    """
    if CONTEXT_ID.fullmatch(producer_id):
        return producer_id
    forward, backward = _FORWARD_BASIS, _BACKWARD_BASIS
    starts = range(0, len(producer_id), PIECE)
    for start in starts:
        forward = _fnv1a(_units(producer_id, start), forward)
    for start in reversed(starts):
        backward = _fnv1a(reversed(_units(producer_id, start)), backward)
    return f"{_slug(producer_id)}-{forward:08x}{backward:08x}"


def _slug(producer_id: str) -> str:
    slug = ""
    for start in range(0, len(producer_id), PIECE):
        piece = _OUTSIDE.sub("-", producer_id[start : start + PIECE])
        # A run that goes on from the last piece has its sign already.
        goes_on = start > 0 and bool(_OUTSIDE.fullmatch(producer_id[start - 1 : start + 1]))
        slug = (slug + piece[goes_on:]).lstrip("-")
        if len(slug.rstrip("-")) > _SLUG_LIMIT:
            return slug[:_SLUG_LIMIT]
        # What is over the limit here is dashes, and one stands for all.
        slug = slug[: _SLUG_LIMIT + 1]
    return slug.rstrip("-") or "ctx"


def _units(producer_id: str, start: int) -> tuple[int, ...]:
    data = producer_id[start : start + PIECE].encode("utf-16-be", "surrogatepass")
    return unpack(f">{len(data) // 2}H", data)


def _fnv1a(units: Iterable[int], value: int) -> int:
    for unit in units:
        value = (value ^ unit) * _FNV_PRIME & 0xFFFFFFFF
    return value
