"""Drafts from before references, in the form of new ones.

Such a draft has a placeholder in its text for each terminal excerpt, and no place for anything
else. This file must not know how a message was sent.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from citestream.context.drafts import draft_records, field
from citestream.context.encoding import encodable
from citestream.context.legacy.placeholders import PLACEHOLDER
from citestream.context.long_text import find, joined, replaced, spliced
from citestream.context.records import CONTEXT_ID, KIND
from citestream.context.references import format_reference, parse_references
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings


def hydrate_draft(
    text: str, records: Iterable[object], settings: ContextSettings = DEFAULT_SETTINGS
) -> str:
    """Bring the text of a draft from before references up to date.

    Placeholders become the links of the terminal excerpts among `records`, in order, and
    placeholders too many are removed. What the text does not mention is put in front of it, each id
    once; files are appended, and images get no link. One blank parts what is put in from the text.
    """
    text = encodable(text)
    by_id: dict[str, Any] = {}
    for record in draft_records(records):
        id_ = field(record, "contextId")
        if CONTEXT_ID.fullmatch(id_) and KIND.fullmatch(field(record, "kind")):
            by_id.setdefault(id_, record)
    links = {
        id_: format_reference(field(record, "kind"), id_, field(record, "label"), settings=settings)
        for id_, record in by_id.items()
        if field(record, "kind") != "image"
    }
    excerpts = [links[i] for i, record in by_id.items() if field(record, "kind") == "terminal"]
    text = _filled(text, excerpts)
    mentioned = {reference.context_id for reference in parse_references(text, settings)}
    missing = [id_ for id_ in links if id_ not in mentioned]
    front = " ".join(links[i] for i in missing if field(by_id[i], "kind") != "file")
    back = " ".join(links[i] for i in missing if field(by_id[i], "kind") == "file")
    return _spaced(_spaced(front, text), back)


def _filled(text: str, links: Sequence[str]) -> str:
    """Put the links in the place of as many placeholders and remove the others."""
    changes = []
    done = 0
    for link in links:
        at = find(text, PLACEHOLDER, done)
        if at < 0:
            break
        done = at + 1
        changes.append((at, done, link))
    bound = spliced(text[:done], changes)
    return joined([*bound, replaced(text[done:], PLACEHOLDER, "")])


def _spaced(first: str, second: str) -> str:
    """Join two texts by a blank where neither is empty nor has white space there."""
    touching = first[-1:] + second[:1]
    needed = first and second and not any(sign.isspace() for sign in touching)
    return f"{first} {second}" if needed else first + second
