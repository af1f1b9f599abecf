"""Context references: the Markdown links that point at records (S2, "Canonical reference syntax").

    [label](t3-context://v1/<kind>/<contextId>)       and the same behind a `!`

Only links are known here, not what they point at. Offsets count code points.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from citestream.context.encoding import encodable
from citestream.context.errors import ContextError
from citestream.context.records import CONTEXT_ID, KIND, LABEL_LIMIT
from citestream.context.settings import DEFAULT_SETTINGS, ContextSettings

_UNSAFE_IN_LABEL = re.compile(r"[\[\]\\\s]+")


@dataclass(frozen=True, slots=True)
class Reference:
    """One occurrence of a context link in a text, from `start` to before `end`.

    `label` is display text, cleaned, and never identity; `image` tells the `!` form.
    """

    kind: str
    context_id: str
    label: str
    image: bool
    start: int
    end: int


@cache
def _links(scheme: str) -> re.Pattern[str]:
    # A label holds neither brackets nor line ends, so the scan from one bracket stops at the next
    # one at the latest and a text of nothing but brackets takes linear time.
    return re.compile(
        r"(!?)\[([^\[\]\r\n]{0,512})\]\("
        + re.escape(scheme)
        + rf"://v1/({KIND.pattern})/({CONTEXT_ID.pattern})\)"
    )


def parse_references(text: str, settings: ContextSettings = DEFAULT_SETTINGS) -> list[Reference]:
    """Find every context link of `text` in order, inside code as well.

    Anything that is not exactly a link of the grammar (another version, a query, a port, a further
    segment) is ordinary text. The nearest bracket opens the link.
    """
    return [
        Reference(
            kind=match[3],
            context_id=match[4],
            label=sanitize_label(match[2], match[3]),
            image=bool(match[1]),
            start=match.start(),
            end=match.end(),
        )
        for match in _links(settings.scheme).finditer(encodable(text))
    ]


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
    cleaned = _UNSAFE_IN_LABEL.sub(" ", encodable(label)).strip()
    # The cut may fall behind a blank; without the second trim a label read back would differ.
    return cleaned[:LABEL_LIMIT].rstrip() or kind


def replace_references(
    text: str,
    replacement: Callable[[Reference], str],
    settings: ContextSettings = DEFAULT_SETTINGS,
) -> str:
    """Return `text` with each context link replaced and everything between kept."""
    text = encodable(text)
    pieces = []
    done = 0
    for reference in parse_references(text, settings):
        pieces += [text[done : reference.start], replacement(reference)]
        done = reference.end
    return "".join([*pieces, text[done:]])


def plain_text(text: str, settings: ContextSettings = DEFAULT_SETTINGS) -> str:
    """Replace each context link by its label, for places that draw no links."""
    return replace_references(text, lambda reference: reference.label, settings)
