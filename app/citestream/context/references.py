"""Context references: the Markdown links that point at records.

    [label](t3-context://v1/<kind>/<contextId>)       and the same with `!` in front

Only links are known here, not what they point at.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice

from citestream.context.encoding import encodable
from citestream.context.errors import ContextError
from citestream.context.long_text import PIECE, Unit, find, matches, utf16_places
from citestream.context.records import CONTEXT_ID, KIND, LABEL_LIMIT
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

_UNSAFE_IN_LABEL = re.compile(r"[\[\]\\\s]+")


@dataclass(frozen=True, slots=True)
class Reference:
    """One occurrence of a context link in a text, from `start` to before `end`.

    `label` is display text, cleaned, and never identity; `image` is whether the link has a `!` in
    front. The places count code points unless the caller asked for another unit.
    """

    kind: str
    context_id: str
    label: str
    image: bool
    start: int
    end: int


REFERENCES_LIMIT = 100_000
"""Links of one text. Each takes some 500 bytes of memory, so they stay under 64 MiB."""

_WRITTEN_LABEL_LIMIT = 512
_ADDRESS_LIMIT = 256
"""More code points than the address of a link has after its scheme."""


@cache
def _links(scheme: str) -> re.Pattern[str]:
    # A label holds neither brackets nor line ends, so the scan from one bracket stops at the next
    # one at the latest and a text of nothing but brackets takes linear time.
    return re.compile(
        rf"(!?)\[([^\[\]\r\n]{{0,{_WRITTEN_LABEL_LIMIT}}})\]\("
        + re.escape(scheme)
        + rf"://v1/({KIND.pattern})/({CONTEXT_ID.pattern})\)"
    )


def parse_references(
    text: str, settings: ContextSettings = DEFAULT_SETTINGS, *, unit: Unit = "rune"
) -> list[Reference]:
    """Find every context link of `text`, in order.

    Code spans and fenced blocks are searched as well: a client puts a chip wherever the caret is.
    Anything that is not exactly a link of the grammar (another version, a query, a port, a further
    segment) is ordinary text. The nearest bracket opens the link. With `unit="utf16"` the places
    count UTF-16 units, as JavaScript does, instead of code points. Raises ContextError for a text
    of more than `REFERENCES_LIMIT` links.
    """
    text = encodable(text)
    found = list(islice(_references(text, settings), REFERENCES_LIMIT + 1))
    if len(found) > REFERENCES_LIMIT:
        raise ContextError("text", f"at most {REFERENCES_LIMIT:,} references")
    if unit == "rune":
        return found
    ends = chain.from_iterable((reference.start, reference.end) for reference in found)
    places = utf16_places(text, ends)
    return [replace(link, start=next(places), end=next(places)) for link in found]


def _references(text: str, settings: ContextSettings) -> Iterator[Reference]:
    # Most texts have no link; looking for a fixed string is a hundred times as fast.
    if find(text, f"]({settings.scheme}://v1/") < 0:
        return
    longest = _WRITTEN_LABEL_LIMIT + len(settings.scheme) + _ADDRESS_LIMIT
    for match in matches(_links(settings.scheme), text, longest=longest):
        bang, label, kind, context_id = match.groups()
        label = sanitize_label(label, kind)
        yield Reference(kind, context_id, label, bool(bang), match.start(), match.end())


def format_reference(
    kind: str,
    context_id: str,
    label: str,
    *,
    image: bool | None = None,
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> str:
    """Write the canonical link; `image` chooses the form, else images have the `!`.

    Raises ContextError when kind or id cannot stand in a link.
    """
    if not KIND.fullmatch(kind):
        raise ContextError("kind", "a lower-case letter, then at most 39 letters, digits or -")
    check_context_id("contextId", context_id)
    bang = "!" if (kind == "image" if image is None else image) else ""
    address = f"{settings.scheme}://v1/{kind}/{context_id}"
    return f"{bang}[{sanitize_label(label, kind)}]({address})"


def check_context_id(field: str, value: str) -> None:
    """Raise ContextError naming `field` unless `value` can be the id of a record."""
    if not CONTEXT_ID.fullmatch(value):
        raise ContextError(field, "1 to 128 ASCII letters, digits, _ or -")


def sanitize_label(label: str, kind: str) -> str:
    """Make a label that survives in a link: at most 200 characters, never empty.

    Brackets, backslashes and white space become one blank a run, blanks at the ends go; a label
    with nothing left is the kind.
    """
    cleaned = ""
    for start in range(0, len(label), PIECE):
        piece = encodable(cleaned + label[start : start + PIECE])
        cleaned = _UNSAFE_IN_LABEL.sub(" ", piece).lstrip()
        if len(cleaned) > LABEL_LIMIT:
            break
    # The cut may be after a blank; without the second trim a label read back would differ.
    return cleaned.rstrip()[:LABEL_LIMIT].rstrip() or kind


def reference_changes(
    text: str, settings: ContextSettings, replacement: Callable[[Reference], str]
) -> Iterator[tuple[int, int, str]]:
    """Yield `(start, end, replacement)` for each context link of a clean `text`, in order."""
    for reference in parse_references(text, settings):
        yield reference.start, reference.end, replacement(reference)
