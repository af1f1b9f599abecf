"""What a product chooses about its context references: names, and the limit of what a model reads.

Every link, envelope and clipboard fragment of the package takes its names from one value. What the
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


PROVIDER_TEXT_LIMIT = 120_000
"""Code points of a message as a provider reads it, unless a product chooses another limit."""


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Names on the wire, and the limit of a projected text.

    `scheme` opens the address of a context link, `quote_scheme` that of an assistant quote,
    `envelope` is the element that follows the projected text, `fragment_type` the clipboard's media
    type. `text_limit` is the most code points that a provider reads of a message with references.
    Raises ContextError for a name that cannot be written or a limit below 1.
    """

    scheme: str = "t3-context"
    quote_scheme: str = "t3-citation"
    envelope: str = "t3_context"
    fragment_type: str = "web application/x-t3-context-fragment+json"
    text_limit: int = PROVIDER_TEXT_LIMIT

    def __post_init__(self) -> None:
        for field in ("scheme", "quote_scheme"):
            if not _SCHEME.fullmatch(getattr(self, field)):
                raise ContextError(field, "a lower-case letter, then letters, digits, + . -")
        if not _ENVELOPE.fullmatch(self.envelope):
            raise ContextError("envelope", "an ASCII letter or _, then letters, digits, _")
        # Readers tell the envelope from what is in it and after it by its name.
        if self.envelope.lower() in {ENTRY, QUOTES}:
            raise ContextError("envelope", f"neither {ENTRY} nor {QUOTES}")
        if self.text_limit < 1:
            raise ContextError("text_limit", "at least 1")


DEFAULT_SETTINGS = ContextSettings()
