"""Data parts: what a tool returned, its id, and the places inside it that a locator names.

Floor 0. Knows nothing of markers, turns, streams or HTTP.
"""

from citestream.parts.excerpts import Excerpt, Excerpts, excerpt
from citestream.parts.ids import (
    MAX_ID_LENGTH,
    IdCounter,
    assigned_id,
    is_part_id,
    is_user_origin_id,
    prefix_of,
)
from citestream.parts.locators import (
    LineIndex,
    Resolution,
    is_line_range,
    line_range,
    resolve,
    resolve_in_data,
)
from citestream.parts.part import MAX_PARTS, DataPart, Origin, PartDataError, PartError, make_part
from citestream.parts.registry import PartConflictError, PartRegistry, same_json

__all__ = [
    "MAX_ID_LENGTH",
    "MAX_PARTS",
    "DataPart",
    "Excerpt",
    "Excerpts",
    "IdCounter",
    "LineIndex",
    "Origin",
    "PartConflictError",
    "PartDataError",
    "PartError",
    "PartRegistry",
    "Resolution",
    "assigned_id",
    "excerpt",
    "is_line_range",
    "is_part_id",
    "is_user_origin_id",
    "line_range",
    "make_part",
    "prefix_of",
    "resolve",
    "resolve_in_data",
    "same_json",
]
