"""What guards a Markdown text against the markers put into it: they must give it no new meaning.

Nothing of it is shown: a backslash before punctuation (CommonMark 2.4), empty brackets after a
label (6.3). Must not know what the marker says.
"""

import re
from collections.abc import Iterable
from typing import Final

from citestream.rendering.landing import Landing, Landings
from citestream.rendering.ranges import Ranges
from citestream.sources import Edit, is_escaped

# What a marker could be the destination of, or the value of an attribute in a tag.
_OPEN_HEAD: Final = re.compile(r"\]([(:]\s*+)|(=\s*+)")


def guards(text: str, landings: Landings, places: Iterable[tuple[Landing, bool]]) -> list[Edit]:
    """Return the changes in text order that guard the text against its markers.

    ``places``: where markers are put, and whether the first one there is a link. A backslash guards
    what a marker would complete: the colon or bracket of `]:` and `](` (a definition or a link with
    the marker as its destination), `=` (`<a b=`, a tag with the marker as a value), `!` before a
    link (an image), and a run of `*`, `_` or `~` that is text and could become emphasis. `[label]`
    that is a link would be none before another bracket, `[label][]` is.
    """
    first_tag = text.find("<") if "<" in text else len(text)
    heads = Ranges(
        head.span(head.lastindex or 0)
        for head in _OPEN_HEAD.finditer(text)
        if head[1] or head.start() > first_tag
    )
    escaped: set[int] = set()
    edits: list[Edit] = []
    for landing, is_link in places:
        at = landing.at
        if landing.before:
            continue
        if head := heads.holding(at - 1):
            escaped.add(head[0])
        if is_link and at in landings.shortcuts:
            edits.append(Edit(at - 1, at, "][]"))
        elif is_link and text[at - 1 : at] == "!" and not is_escaped(text, at - 1):
            escaped.add(at - 1)
        if run := landings.flanking.literal_run(at):
            escaped.update(range(*run))
    edits += [Edit(at, at, "\\") for at in escaped]
    return sorted(edits, key=lambda edit: edit.start)
