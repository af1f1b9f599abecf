"""The engine that strips markers and says where each citation lands.

Floor 1, pure: values in, lists out. No I/O, no async, no clock, no logging. Whether a cited part
exists is not known here.
"""

from citestream.citations.dialects import CHATGPT, DIALECTS, GUIDE, Known, Template
from citestream.citations.dialects.template import MAX_SEPARATOR, MAX_SIGN
from citestream.citations.engine import Engine
from citestream.citations.fields import read_fields
from citestream.citations.landing import Entry, Span
from citestream.citations.options import (
    MAX_DIALECTS,
    EngineOptions,
    InvalidMarkers,
    Numbers,
    Whitespace,
)
from citestream.citations.passages import Passage, PassageReader
from citestream.citations.prompt import INSTRUCTIONS, format_part
from citestream.citations.restoring import (
    MarkerInputError,
    checked_dialect,
    restore_markers,
    restore_readable,
)
from citestream.citations.rewriting import namespace, truncate

__all__ = [
    "CHATGPT",
    "DIALECTS",
    "GUIDE",
    "INSTRUCTIONS",
    "MAX_DIALECTS",
    "MAX_SEPARATOR",
    "MAX_SIGN",
    "Engine",
    "EngineOptions",
    "Entry",
    "InvalidMarkers",
    "Known",
    "MarkerInputError",
    "Numbers",
    "Passage",
    "PassageReader",
    "Span",
    "Template",
    "Whitespace",
    "checked_dialect",
    "format_part",
    "namespace",
    "read_fields",
    "restore_markers",
    "restore_readable",
    "truncate",
]
