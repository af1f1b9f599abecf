"""Which addresses may be linked, and how one is written as a link destination.

An address comes from a result and is not trusted (S0-51 to S0-54). Must not know where it stands.
"""

import re
from html.entities import html5
from typing import Final

from citestream.sources.source import clean

MAX_ADDRESS_LENGTH: Final = 2_048
"""Code points of an address that may be linked."""

# `https://` or `http://` and a host without user info: `https://bank.example@evil.example` shows a
# host that it does not open. Nowhere white space, an angle bracket, a backslash, a control
# character, or a character that is not shown (Unicode's Default_Ignorable_Code_Point, which has the
# zero-width signs and those that turn the direction of a line, and the interlinear U+FFF9 to
# U+FFFB), which would make the address read as another.
_UNSHOWN: Final = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
_SAFE: Final = rf"[^\s<>\\\x00-\x1f\x7f-\x9f{_UNSHOWN}"
_LINKABLE: Final = re.compile(rf"[hH][tT][tT][pP][sS]?://{_SAFE}@/?#]++(?:[/?#]{_SAFE}]*+)?")

# Signs that would end a link, a table cell or a code span. The address is not rewritten otherwise.
_ENCODED: Final = re.compile(r"[()|`]")
_ENCODED_WITH_QUOTES: Final = re.compile(r"[()|`\"']")
_ENTITY: Final = re.compile(
    r"&(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|([A-Za-z][A-Za-z0-9]{0,40}));)"
)


def is_linkable(url: str) -> bool:
    """Tell whether an address may become a link: http or https, nothing that breaks the form."""
    return len(url) <= MAX_ADDRESS_LENGTH and _LINKABLE.fullmatch(url) is not None


def destination(url: str, *, encode_quotes: bool = False) -> str:
    """Return a linkable address as a Markdown link destination.

    Round brackets, bars and backticks are percent-encoded, as are quotes when asked for; an
    ampersand that would read as an entity (CommonMark 2.5) is ``&amp;``.
    """
    signs = _ENCODED_WITH_QUOTES if encode_quotes else _ENCODED
    encoded = signs.sub(lambda sign: f"%{ord(sign[0]):02X}", clean(url))
    return _ENTITY.sub(_ampersand, encoded)


def _ampersand(sign: re.Match[str]) -> str:
    name = sign[1]
    return "&amp;" if name is None or f"{name};" in html5 else "&"
