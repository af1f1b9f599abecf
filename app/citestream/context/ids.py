"""Ids of records from the ids of their producers (S2, "Ids, persistence, and the stash").

Folding is a pure function: the same producer id gives the same context id everywhere.
"""

import re
from collections.abc import Iterable
from struct import unpack

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
    slug = _OUTSIDE.sub("-", producer_id).strip("-")[:_SLUG_LIMIT] or "ctx"
    data = producer_id.encode("utf-16-be", "surrogatepass")
    units = unpack(f">{len(data) // 2}H", data)
    forward = _fnv1a(units, _FORWARD_BASIS)
    backward = _fnv1a(reversed(units), _BACKWARD_BASIS)
    return f"{slug}-{forward:08x}{backward:08x}"


def _fnv1a(units: Iterable[int], basis: int) -> int:
    value = basis
    for unit in units:
        value = (value ^ unit) * _FNV_PRIME & 0xFFFFFFFF
    return value
