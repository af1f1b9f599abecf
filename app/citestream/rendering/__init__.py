"""Clean text, citations and sources brought to the reader: Markdown, HTML or plain text.

Pure. Knows nothing of turns, wire formats or HTTP.
"""

from citestream.rendering.landing import OffsetError
from citestream.rendering.numbering import (
    MAX_CITATIONS,
    CitationEntry,
    CitationObject,
    CitedPart,
    source_keys,
)
from citestream.rendering.operations import SOURCE_OPERATIONS
from citestream.rendering.placing import place
from citestream.rendering.render import Form, Rendered, append_block, render

__all__ = [
    "MAX_CITATIONS",
    "SOURCE_OPERATIONS",
    "CitationEntry",
    "CitationObject",
    "CitedPart",
    "Form",
    "OffsetError",
    "Rendered",
    "append_block",
    "place",
    "render",
    "source_keys",
]
