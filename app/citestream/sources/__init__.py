"""Numbered web sources (S0): one number a source, the same for the model and for the reader.

Pure: results, Markdown and sources in; text, numbers and Markdown out. Knows nothing of the
engine's own markers, of turns or of HTTP.
"""

from citestream.sources.addresses import destination, is_linkable
from citestream.sources.editing import (
    MAX_OUTPUT_BYTES,
    Edit,
    OutputTooLongError,
    apply_edits,
    join_within_limit,
)
from citestream.sources.linking import (
    Linked,
    MarkerStyle,
    link,
    markdown_marker,
    marker_label,
    run_edits,
)
from citestream.sources.listing import list_block, shown_title
from citestream.sources.markers import Reading, Run, in_open_destination, read_markers
from citestream.sources.operations import OPERATIONS
from citestream.sources.prompt import INSTRUCTIONS
from citestream.sources.source import Source, SourceList, collect
from citestream.sources.tool_output import Page, Result, ToolOutput, number_page, number_results

__all__ = [
    "INSTRUCTIONS",
    "MAX_OUTPUT_BYTES",
    "OPERATIONS",
    "Edit",
    "Linked",
    "MarkerStyle",
    "OutputTooLongError",
    "Page",
    "Reading",
    "Result",
    "Run",
    "Source",
    "SourceList",
    "ToolOutput",
    "apply_edits",
    "collect",
    "destination",
    "in_open_destination",
    "is_linkable",
    "join_within_limit",
    "link",
    "list_block",
    "markdown_marker",
    "marker_label",
    "number_page",
    "number_results",
    "read_markers",
    "run_edits",
    "shown_title",
]
