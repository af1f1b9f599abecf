"""What in a Markdown text is prose, code, a link, raw HTML or a table: told by a CommonMark parser.

Floor 0. Knows nothing of markers, sources or citations. All positions are code points.
"""

from citestream.markdown.html import Insertion, to_html
from citestream.markdown.structure import Definition, Span, Structure, line_head, structure

__all__ = ["Definition", "Insertion", "Span", "Structure", "line_head", "structure", "to_html"]
