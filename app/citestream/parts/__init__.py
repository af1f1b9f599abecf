"""Data parts: what a tool returned, its id, and the places inside it that a locator names.

Floor 0. Knows nothing of markers, turns, streams or HTTP.
"""

from citestream.parts.excerpts import Excerpt, Excerpts, excerpt
from citestream.parts.ids import (
    MAX_ID_LENGTH,
    IdCounter,
    is_part_id,
    is_user_origin_id,
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
from citestream.parts.registry import PartConflictError, PartRegistry

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
    "excerpt",
    "is_line_range",
    "is_part_id",
    "is_user_origin_id",
    "line_range",
    "make_part",
    "resolve",
    "resolve_in_data",
]
