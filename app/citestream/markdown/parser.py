"""The one CommonMark parser of the package, with the extensions that every room agrees on.

Tables and strikethrough are on, footnotes are off (S0-10); maths hides nothing.
"""

from typing import Final

from pyromark import Markdown, Options

PARSER: Final = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH)
