"""What guards a Markdown text against the markers put into it: they must give it no new meaning.

Nothing of it is shown: a backslash before punctuation (CommonMark 2.4), empty brackets after a
label (6.3). Must not know what the marker says.
"""

from collections.abc import Iterable

from citestream.rendering.landing import Landing, Landings
from citestream.sources import Edit


def guards(text: str, landings: Landings, places: Iterable[tuple[Landing, bool]]) -> list[Edit]:
    """Return the changes in text order that guard the text against its markers.

    ``places``: where markers are put, and whether the first one there is a link. A backslash guards
    what a marker would complete: the colon or bracket of `]:` and `](` (a definition or a link with
    the marker as its destination), `=` (`<a b=`, a tag with the marker as a value), `!` before a
    link (an image), and a run of `*`, `_` or `~` that is text and could become emphasis. `[label]`
    that is a link would be none before another bracket, `[label][]` is.
    """
    first_tag = text.find("<")
    escaped: set[int] = set()
    edits: list[Edit] = []
    for landing, is_link in places:
        at = landing.at
        if landing.before:
            continue
        gap = landings.runs.holding(at - 1) if text[at - 1 : at].isspace() else None
        head = gap[0] if gap else at
        is_attribute = text[head - 1 : head] == "=" and -1 < first_tag < head
        if (is_attribute and not landings.runs.is_escaped(head - 1)) or (
            head > 1 and text[head - 2 : head] in {"](", "]:"}
        ):
            escaped.add(head - 1)
        if is_link and at in landings.shortcuts:
            edits.append(Edit(at - 1, at, "][]"))
        elif is_link and text[at - 1 : at] == "!" and not landings.runs.is_escaped(at - 1):
            escaped.add(at - 1)
        if run := landings.flanking.literal_run(at):
            escaped.update(range(*run))
    edits += [Edit(at, at, "\\") for at in escaped]
    return sorted(edits, key=lambda edit: edit.start)
