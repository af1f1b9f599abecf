"""The text that a model provider reads in place of a user's message (S2, "Provider projection").

Links become markers where they stand, what they point at follows in one envelope, quotes of earlier
answers in a block behind it. Everything captured (records, labels, quotes) is data: it cannot open
or close any of these elements. The message's own words are the user's and stay as they are.
"""

import re
from functools import cache

from citestream.context.encoding import encodable
from citestream.context.entries import entry_rows
from citestream.context.errors import ProviderTextLimitError
from citestream.context.quotes import QuoteLink, find_quotes, quote_block
from citestream.context.records import Record, decode_records
from citestream.context.references import Reference, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ENTRY, QUOTES, ContextSettings

PROVIDER_TEXT_LIMIT = 120_000
"""Code points of a message as a provider reads it."""

_MARKER_ONLY = frozenset({"mention", "skill"})
_UNSAFE_IN_MARKER = re.compile(r"[;\s]+")


def project(
    text: str,
    records: list[object],
    *,
    mention_entries: bool = False,
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> str:
    """Return what the provider reads of a message.

    `records` are those of the message, as they came. Every id that the text refers to has one
    entry, in the order of first reference; without a record, or with several, it is unavailable.
    Mentions and skills have a marker alone unless `mention_entries`. A text without references and
    quotes is returned unchanged. Raises ProviderTextLimitError over `PROVIDER_TEXT_LIMIT`.
    """
    text = encodable(text)
    references = parse_references(text, settings)
    quotes = find_quotes(text, settings)
    found = decode_records(records).by_id() if references else {}
    quote_ids = _quote_ids(quotes)

    sections = [_body(text, references, quotes, found, quote_ids, settings)]
    entries = _entries(references, found, mention_entries, settings)
    if entries:
        rows = [f'<{settings.envelope} version="1">', *entries, f"</{settings.envelope}>"]
        sections.append("\n".join(rows))
    if quotes:
        citations = {quote_ids[quote.source]: quote.citation for quote in quotes}
        sections.append(quote_block(citations.items()))

    projected = "\n\n".join(sections)
    if len(projected) > PROVIDER_TEXT_LIMIT:
        raise ProviderTextLimitError(len(projected) - PROVIDER_TEXT_LIMIT, PROVIDER_TEXT_LIMIT)
    return projected


def _body(
    text: str,
    references: list[Reference],
    quotes: list[QuoteLink],
    found: dict[str, Record],
    quote_ids: dict[str, str],
    settings: ContextSettings,
) -> str:
    markers = [
        (link.start, link.end, _marker(link, found.get(link.context_id), settings))
        for link in references
    ]
    markers += [(link.start, link.end, f"[{quote_ids[link.source]}]") for link in quotes]
    pieces = []
    done = 0
    # Neither kind of link can hold the other: no bracket opens inside either.
    for start, end, marker in sorted(markers):
        pieces += [text[done:start], marker]
        done = end
    return "".join([*pieces, text[done:]])


def _marker(reference: Reference, record: Record | None, settings: ContextSettings) -> str:
    # The kind of the record decides: a link may have been written before it was known.
    kind = record["kind"] if record else reference.kind
    # A semicolon would let a label write the `ref` of its marker.
    label = _UNSAFE_IN_MARKER.sub(" ", reference.label).strip() or reference.kind
    words = kind.replace("-", " ").capitalize()
    return f"[{words}: {_escape(label, settings)}; ref={reference.context_id}]"


def _entries(
    references: list[Reference],
    found: dict[str, Record],
    mention_entries: bool,
    settings: ContextSettings,
) -> list[str]:
    entries = []
    first: dict[str, Reference] = {}
    for reference in references:
        first.setdefault(reference.context_id, reference)
    for context_id, reference in first.items():
        record = found.get(context_id)
        if record is None:
            head = f'<{ENTRY} kind="{reference.kind}" id="{context_id}"'
            entries.append(f'{head} unavailable="true"/>')
        elif mention_entries or record["kind"] not in _MARKER_ONLY:
            head = f'<{ENTRY} kind="{record["kind"]}" id="{context_id}">'
            rows = [_escape(row, settings) for row in entry_rows(record)]
            entries.append("\n".join([head, *rows, f"</{ENTRY}>"]))
    return entries


def _quote_ids(quotes: list[QuoteLink]) -> dict[str, str]:
    sources = dict.fromkeys(quote.source for quote in quotes)
    return {source: f"assistant-quote-{number}" for number, source in enumerate(sources, 1)}


@cache
def _elements(envelope: str) -> re.Pattern[str]:
    # ASCII alone: `ſ` is no `s` to a reader of elements.
    names = "|".join(map(re.escape, (envelope, ENTRY, QUOTES)))
    return re.compile(rf"<(?=/?(?:{names})(?![A-Za-z0-9_]))", re.ASCII | re.IGNORECASE)


def _escape(text: str, settings: ContextSettings) -> str:
    return _elements(settings.envelope).sub("&lt;", text)
