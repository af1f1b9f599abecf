"""Numbered web sources (S0): one number a source, the same for the model and for the reader.

Pure: results, Markdown and sources in; text, numbers and Markdown out. Knows nothing of the
engine's own markers, of turns or of HTTP.
"""

from citestream.sources.addresses import SitePath, destination, is_linkable
from citestream.sources.editing import (
    MAX_OUTPUT_BYTES,
    Edit,
    OutputTooLongError,
    apply_edits,
    check_length,
    join_within_limit,
)
from citestream.sources.linking import (
    Linked,
    link,
    markdown_marker,
    marker_edits,
    marker_label,
)
from citestream.sources.listing import entry_label, list_block, shown_address, shown_title
from citestream.sources.markers import Marker, Reading, cited_numbers, read_markers
from citestream.sources.operations import OPERATIONS
from citestream.sources.prompt import INSTRUCTIONS
from citestream.sources.source import MAX_SOURCES, MarkerStyle, Source, SourceList, collect
from citestream.sources.tool_output import (
    Page,
    Result,
    ToolOutput,
    foreign_body,
    foreign_line,
    number_page,
    number_results,
)

__all__ = [
    "INSTRUCTIONS",
    "MAX_OUTPUT_BYTES",
    "MAX_SOURCES",
    "OPERATIONS",
    "Edit",
    "Linked",
    "Marker",
    "MarkerStyle",
    "OutputTooLongError",
    "Page",
    "Reading",
    "Result",
    "SitePath",
    "Source",
    "SourceList",
    "ToolOutput",
    "apply_edits",
    "check_length",
    "cited_numbers",
    "collect",
    "destination",
    "entry_label",
    "foreign_body",
    "foreign_line",
    "is_linkable",
    "join_within_limit",
    "link",
    "list_block",
    "markdown_marker",
    "marker_edits",
    "marker_label",
    "number_page",
    "number_results",
    "read_markers",
    "shown_address",
    "shown_title",
]
