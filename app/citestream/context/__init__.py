"""Context references in user messages (S2): the wire contract and the pure codecs.

A message's text points at typed records from exact positions. This room reads and writes the links,
checks the records, turns both into what a model provider reads, and brings older messages into the
same form. It knows no store, no clock and no network.
"""

from citestream.context.clipboard import (
    Fetch,
    Fragment,
    Imported,
    decode_fragment,
    encode_fragment,
    import_fragment,
    read_fragment,
)
from citestream.context.drafts import PrunedDraft, hydrate_draft, prune_draft, rebind_attachments
from citestream.context.errors import ContextError, ProviderTextLimitError
from citestream.context.ids import fold_context_id
from citestream.context.legacy import ResolvedMessage, resolve_message, upgrade_message
from citestream.context.operations import OPERATIONS
from citestream.context.projection import PROVIDER_TEXT_LIMIT, project
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
    plain_text,
    sanitize_label,
)
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

__all__ = [
    "DEFAULT_SETTINGS",
    "KNOWN_KINDS",
    "OPERATIONS",
    "PROVIDER_TEXT_LIMIT",
    "ContextError",
    "ContextSettings",
    "DecodedContext",
    "Fetch",
    "Fragment",
    "Imported",
    "ProviderTextLimitError",
    "PrunedDraft",
    "Record",
    "Reference",
    "ResolvedMessage",
    "decode_context",
    "decode_fragment",
    "decode_record",
    "decode_records",
    "encode_fragment",
    "fold_context_id",
    "format_reference",
    "hydrate_draft",
    "import_fragment",
    "parse_references",
    "plain_text",
    "project",
    "prune_draft",
    "read_fragment",
    "rebind_attachments",
    "resolve_message",
    "sanitize_label",
    "upgrade_message",
]
