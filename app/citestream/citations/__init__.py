"""The engine that strips markers and says where each citation lands.

Floor 1, pure: values in, lists out. No I/O, no async, no clock, no logging. Whether a cited part
exists is not known here.
"""

from citestream.citations.dialects import DIALECTS, GUIDE
from citestream.citations.engine import (
    Engine,
    EngineOptions,
    Entry,
    InvalidMarkers,
    Whitespace,
)
from citestream.citations.fields import read_fields
from citestream.citations.prompt import INSTRUCTIONS, format_part

__all__ = [
    "DIALECTS",
    "GUIDE",
    "INSTRUCTIONS",
    "Engine",
    "EngineOptions",
    "Entry",
    "InvalidMarkers",
    "Whitespace",
    "format_part",
    "read_fields",
]
