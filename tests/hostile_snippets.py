"""A hundred snippets that are harmless once and costly in a row, for texts of any size.

Each stresses a search that could look back, look ahead, nest or pair: Markdown, HTML, entities,
numbered markers, citation signs, references, placeholders, JSON and Unicode. Must not know which
operation reads them.
"""

from typing import Final

SNIPPETS: Final[tuple[str, ...]] = (
    # Raw HTML: tags that open, never close, or are cut off
    *("<b>", "</b>", "<b", "<a ", "<a b=", '<a b="', "<a href='", "<!--", "-->", "<!", "<?"),
    *("<![CDATA[", "<div>\n", "<details>\n", "<code>", "</code>", "<a>x</a>", "<script>"),
    # Links, references, images and definitions
    *("[", "]", "[]", "](", "[](", "[a](", "[a](b", "[a](<b", "![", "![a](b)", "[a]", "[a][b]"),
    *("[a]: b\n", "[a]:\n", "[^1]: x\n", "[^9]: x\n", "[^1]: x\n\n    y\n\n", "<https://e.org>"),
    # Numbered markers
    *("[1]", "[ 1 ]", "[1][9]", "[1, 2]", "[1,", "[9]", "[^1]", "[ 1 ](", "\\[1]", "![1]", "[1]:"),
    # Emphasis
    *("*", "**", "*a", "**a", "a*", "_", "_a_b", "~~a", "*a_", "**a*b", "*a **b "),
    # Code, escapes and entities
    *("`", "``a", "`a` ", "```\n", "~~~\n", "\\", "\\*", "&", "&amp;", "&#0;", "&#x41", "&a"),
    # Blocks
    *(">", "> ", "> a\n", "- ", "- a\n", "1. ", "# a\n", "---\n", "    a\n", "a\n===\n"),
    *("|", "|a", "a|b\n-|-\n", "|a|\n|-|\n", "\n", "\r", "\t"),
    # What other rooms read: citation signs, references, placeholders, JSON, addresses
    *("\ue200", "\ue200cite\ue202", "\ue200cite\ue202a\ue201", "@", "@a ", "[@a](#b)", "{", "https://"),
    # Characters of many bytes, and those that join
    *("潮", "🗼", "e\u0301", "\u200d", "\ufffd"),
)  # fmt: skip


def repeated(snippet: str, size: int) -> str:
    """Return as many whole snippets as fit into ``size`` code points."""
    return snippet * (size // len(snippet))
