"""Context references in user messages: the wire contract and the pure operations.

A message's text points at typed records from exact positions. This package reads and writes the
links, checks the records, turns both into what a model provider reads, and brings older messages
and drafts into the same form. It knows no store, no clock and no network. `OPERATIONS` has each
operation on plain JSON, under the name that it has in HTTP.
"""

from citestream.context.clipboard import (
    Fragment,
    decode_fragment,
    encode_fragment,
    read_fragment,
)
from citestream.context.drafts import (
    Draft,
    prune_draft,
    rebind_attachments,
    remove_records,
    remove_reference,
)
from citestream.context.errors import ContextError, ProviderTextLimitError
from citestream.context.ids import fold_context_id
from citestream.context.legacy.drafts import hydrate_draft
from citestream.context.legacy.messages import UpgradedMessage, upgrade_message
from citestream.context.long_text import Unit
from citestream.context.messages import (
    ResolvedMessage,
    bound_context,
    resolve_message,
    storable_message,
)
from citestream.context.operations import OPERATIONS
from citestream.context.pasting import Fetch, Imported, import_fragment
from citestream.context.projection import plain_text, project
from citestream.context.quotes import QuoteLink, format_quote, parse_quotes
from citestream.context.records import (
    KNOWN_KINDS,
    DecodedContext,
    Record,
    decode_context,
    decode_record,
    decode_records,
)
from citestream.context.references import (
    Reference,
    format_reference,
    parse_references,
    sanitize_label,
)
from citestream.context.settings import DEFAULT_SETTINGS, PROVIDER_TEXT_LIMIT, ContextSettings

__all__ = [
    "DEFAULT_SETTINGS",
    "KNOWN_KINDS",
    "OPERATIONS",
    "PROVIDER_TEXT_LIMIT",
    "ContextError",
    "ContextSettings",
    "DecodedContext",
    "Draft",
    "Fetch",
    "Fragment",
    "Imported",
    "ProviderTextLimitError",
    "QuoteLink",
    "Record",
    "Reference",
    "ResolvedMessage",
    "Unit",
    "UpgradedMessage",
    "bound_context",
    "decode_context",
    "decode_fragment",
    "decode_record",
    "decode_records",
    "encode_fragment",
    "fold_context_id",
    "format_quote",
    "format_reference",
    "hydrate_draft",
    "import_fragment",
    "parse_quotes",
    "parse_references",
    "plain_text",
    "project",
    "prune_draft",
    "read_fragment",
    "rebind_attachments",
    "remove_records",
    "remove_reference",
    "resolve_message",
    "sanitize_label",
    "storable_message",
    "upgrade_message",
]
