"""Citations by offset put into a text, in any form of marker.

Must not know of sources or of numbers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from citestream.markdown import structure
from citestream.parts.text import replace_surrogates
from citestream.rendering.landing import Landing, Landings, OffsetError
from citestream.rendering.numbering import CitationObject
from citestream.sources import Edit, apply_edits, check_length

C = TypeVar("C", bound=Mapping[str, Any] | CitationObject)


def place(text: str, citations: Iterable[C], fn: Callable[[C], str]) -> str:
    """Return a clean Markdown text with ``fn(citation)`` at the place of each citation.

    A citation is a :class:`~citestream.Citation` or a dict with its keys; ``offset`` counts code
    points of ``text``. A marker is put there, but never inside a code span, a fence, a link, a tag
    or a table's delimiter row: then right after it, after a block as a paragraph of its own. At the
    edge of emphasis it is put on the side where emphasis stays. Several at one place keep the order
    given, with nothing between. Raises ``OffsetError`` and ``OutputTooLongError``.
    """
    check_length(text)
    text = replace_surrogates(text)
    landings = Landings(text, structure(text))
    edits = (
        Edit(landing.at, landing.at, piece)
        for landing, group in landed(text, list(citations), landings)
        for piece in (landing.before, *map(fn, group), landing.behind)
    )
    return apply_edits(text, edits)


def landed(
    text: str, citations: Sequence[C], landings: Landings, shift: Callable[[int], int] = int
) -> list[tuple[Landing, list[C]]]:
    """Return the landings of some citations in text order, each with its citations.

    ``shift`` maps an offset to the text that ``landings`` knows, when that is not ``text``.
    """
    groups: dict[Landing, list[C]] = {}
    for index, citation in enumerate(citations):
        entry = citation if isinstance(citation, Mapping) else citation.as_json()
        offset = entry["offset"]
        if not 0 <= offset <= len(text):
            raise OffsetError(f"citations[{index}].offset", len(text))
        groups.setdefault(landings.of(shift(offset)), []).append(citation)
    return sorted(groups.items(), key=lambda group: group[0].at)
