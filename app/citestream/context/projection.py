"""The text that a model provider or a person reads in place of a user's message.

For a provider links become markers in their places, what they point at follows in one envelope, and
quotes of earlier answers in a block after it. Everything captured (records, labels, quotes) is
data: it cannot open or close any of these elements. The message's own words stay as they are.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from heapq import merge

from citestream.context.encoding import encodable
from citestream.context.entries import entry_rows
from citestream.context.errors import ProviderTextLimitError
from citestream.context.long_text import joined, spliced
from citestream.context.quotes import QuoteLink, parse_quotes, quote_block, readable
from citestream.context.records import Record, decode_records
from citestream.context.references import Reference, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ENTRY, QUOTES, ContextSettings

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

    `records` are those of the message, as they came: objects with `version`, `contextId`, `kind`,
    `label` and the fields of their kind. Every id that the text refers to has one entry, in the
    order of first reference; without a record, or with several, it is unavailable. Mentions and
    skills have a marker alone unless `mention_entries`. A text without references and quotes is
    returned unchanged, whatever its length. Raises ProviderTextLimitError when any other text is
    over the limit of the settings.
    """
    text = encodable(text)
    references = parse_references(text, settings)
    quotes = parse_quotes(text, settings)
    if not references and not quotes:
        return text
    pieces = list(_projected(text, references, quotes, records, mention_entries, settings))
    length = sum(map(len, pieces))
    if length > settings.text_limit:
        raise ProviderTextLimitError(length - settings.text_limit, settings.text_limit)
    return joined(pieces)


def plain_text(text: str, settings: ContextSettings = DEFAULT_SETTINGS) -> str:
    """Return a text as a person reads it, for places that draw no links.

    Each context link is its label. Each quote of an earlier answer is its words and, where the user
    commented on it, a new line `Comment: …`.
    """
    text = encodable(text)
    references, quotes = parse_references(text, settings), parse_quotes(text, settings)
    return joined(
        _replaced(text, references, quotes, lambda r: r.label, lambda q: readable(q.citation))
    )


def _projected(
    text: str,
    references: list[Reference],
    quotes: list[QuoteLink],
    records: list[object],
    mention_entries: bool,
    settings: ContextSettings,
) -> Iterator[str]:
    found = decode_records(records).by_id() if references else {}
    quote_ids = _quote_ids(quotes)
    yield from _replaced(
        text,
        references,
        quotes,
        lambda reference: _marker(reference, found.get(reference.context_id), settings),
        lambda link: f"[{quote_ids[link.source]}]",
    )
    entries = _entries(references, found, mention_entries, settings)
    if entries:
        yield f'\n\n<{settings.envelope} version="1">\n'
        for entry in entries:
            yield f"{entry}\n"
        yield f"</{settings.envelope}>"
    if quotes:
        citations = {quote_ids[quote.source]: quote.citation for quote in quotes}
        yield f"\n\n{quote_block(citations.items())}"


def _replaced(
    text: str,
    references: list[Reference],
    quotes: list[QuoteLink],
    of_reference: Callable[[Reference], str],
    of_quote: Callable[[QuoteLink], str],
) -> Iterator[str]:
    # Neither kind of link can hold the other: no bracket opens inside either.
    return spliced(
        text,
        merge(
            ((link.start, link.end, of_reference(link)) for link in references),
            ((link.start, link.end, of_quote(link)) for link in quotes),
        ),
    )


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
