"""The names that a product puts on its context references.

Every link, envelope and clipboard fragment of the room takes its names from one value; what the
names mean is the business of the files that write them.
"""

import re
from dataclasses import dataclass

from citestream.context.errors import ContextError

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_ENVELOPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

ENTRY = "context"
"""The element that holds one record inside the envelope."""

QUOTES = "assistant_citations"
"""The element that holds the quotes from earlier answers."""


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Names on the wire; the defaults are those of S2.

    `scheme` opens the address of a context link, `quote_scheme` that of an assistant quote,
    `envelope` is the element behind the projected text, `fragment_type` the clipboard's media type.
    """

    scheme: str = "t3-context"
    quote_scheme: str = "t3-citation"
    envelope: str = "t3_context"
    fragment_type: str = "web application/x-t3-context-fragment+json"

    def __post_init__(self) -> None:
        for field in ("scheme", "quote_scheme"):
            if not _SCHEME.fullmatch(getattr(self, field)):
                raise ContextError(field, "a lower-case letter, then letters, digits, + . -")
        if not _ENVELOPE.fullmatch(self.envelope):
            raise ContextError("envelope", "an ASCII letter or _, then letters, digits, _")
        # Readers tell the envelope from what is in and behind it by its name.
        if self.envelope.lower() in {ENTRY, QUOTES}:
            raise ContextError("envelope", f"neither {ENTRY} nor {QUOTES}")


DEFAULT_SETTINGS = ContextSettings()
