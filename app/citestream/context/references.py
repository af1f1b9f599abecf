"""Context references: the Markdown links that point at records (S2, "Canonical reference syntax").

    [label](t3-context://v1/<kind>/<contextId>)       and the same with `!` in front

Only links are known here, not what they point at.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from citestream.context.encoding import encodable
from citestream.context.errors import ContextError
from citestream.context.long_text import PIECE, Unit, find, utf16_places
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


_ADDRESS = re.compile(rf"({KIND.pattern})/({CONTEXT_ID.pattern})\)")
_WRITTEN_LABEL_LIMIT = 512


def parse_references(
    text: str, settings: ContextSettings = DEFAULT_SETTINGS, *, unit: Unit = "rune"
) -> list[Reference]:
    """Find every context link of `text`, in order.

    Code spans and fenced blocks are searched as well: a client puts a chip wherever the caret is.
    Anything that is not exactly a link of the grammar (another version, a query, a port, a further
    segment) is ordinary text. The nearest bracket opens the link. With `unit="utf16"` the places
    count UTF-16 units, as JavaScript does, instead of code points.
    """
    found = list(_references(encodable(text), settings))
    if unit == "rune":
        return found
    ends = chain.from_iterable((reference.start, reference.end) for reference in found)
    places = utf16_places(encodable(text), ends)
    return [replace(found_, start=next(places), end=next(places)) for found_ in found]


def _references(text: str, settings: ContextSettings) -> Iterator[Reference]:
    # The fixed middle of a link is looked for first. What is before and after it is bounded, so a
    # text of unfinished links takes linear time.
    middle = f"]({settings.scheme}://v1/"
    done = at = 0
    while (at := find(text, middle, at)) >= 0:
        address = _ADDRESS.match(text, at + len(middle))
        opening = _opening(text, done, at) if address else -1
        if address is None or opening < 0:
            at += len("](")
            continue
        image = opening > done and text[opening - 1] == "!"
        done = at = address.end()
        label = sanitize_label(text[opening + 1 : address.start() - len(middle)], address[1])
        yield Reference(address[1], address[2], label, image, opening - image, done)


def _opening(text: str, done: int, end: int) -> int:
    """Return where the bracket is that opens the label up to `end`, or -1."""
    start = max(done, end - _WRITTEN_LABEL_LIMIT - 1)
    window = text[start:end]
    at = window.rfind("[")
    if at < 0 or any(sign in window[at:] for sign in "]\r\n"):
        return -1
    return start + at


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
