"""What may be beside a marker of any dialect: text, line beginnings, and code."""

BESIDE = ("x", " ", "\n", "\n\n", ".", "`", "```\n", "> ", "\\", "\u4e2d", "](", ":", "<", "\ue200")
