"""The one CommonMark parser of the package, with the extensions that every room agrees on.

Tables and strikethrough are on, footnotes are off (S0-10); maths hides nothing.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyromark import Markdown


@cache
def parser() -> "Markdown":
    """Return the parser, loaded when the first text is read: most uses of the package need none."""
    from pyromark import Markdown, Options

    return Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH)
