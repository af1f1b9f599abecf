"""Raw answers cut and renamed without breaking their markers.

Lives here: what is done to a raw answer between two models. What a marker looks like is the
dialects'; where the markers are is found by the scanner itself.
"""

import re
from collections.abc import Iterable
from typing import Final

from citestream.citations.dialects import Marker, Template, template
from citestream.citations.dialects.guide import MAX_MARKER
from citestream.citations.fields import read_fields
from citestream.citations.finding import find_markers
from citestream.citations.known import KnownSources
from citestream.citations.restoring import (
    DialectName,
    MarkerInputError,
    checked_dialect,
    known_ids,
)
from citestream.citations.spelling import spell
from citestream.parts import MAX_ID_LENGTH, is_user_origin_id
from citestream.parts.ids import is_source_id
from citestream.parts.text import DELIM, START, STOP, replace_surrogates

_PREFIX: Final = re.compile("[A-Za-z0-9_-]{1,32}")
_RENAMED: Final = ("guide", "chatgpt", "escaped")
_WRITTEN_AS_CITE: Final = ("cite", "filecite")
_TITLED: Final = ("url", "video", "link_title")


def truncate(raw: str, limit: int, dialect: DialectName = "guide", ids: Iterable[str] = ()) -> str:
    """Return the longest beginning of a raw answer that ends inside no marker.

    It has at most ``limit`` code points. A broken marker is text. Where the cut itself would make a
    marker (``[1]`` of ``[1](x)``), it is before that one. Surrogate halves are joined first, a lone
    one is U+FFFD. ``ids`` are the known parts, for the dialects that ask. Raises
    :class:`MarkerInputError` for a negative limit or a dialect that is none.
    """
    name = checked_dialect(dialect)
    if limit < 0:
        raise MarkerInputError("limit: must be 0 or more")
    raw = replace_surrogates(raw)
    known = known_ids(ids)
    found = find_markers(raw, name, known)
    cut = min(limit, len(raw))
    cut = next((one.start for one in found if one.start < cut < one.end), cut)
    ends = {one.end for one in found}
    while (
        cut not in ends
        and (last := find_markers(raw[:cut], name, known)[-1:])
        and last[0].end == cut
    ):
        cut = last[0].start
    return raw[:cut]


def namespace(
    raw: str, prefix: str, ids: Iterable[str] = (), dialect: DialectName = "guide"
) -> str:
    """Return a raw answer with each id put under a prefix: ``a`` becomes ``prefix.a``.

    Each source gets a marker of its own, so that another model can quote it; families of "chatgpt"
    that show text keep their marker. ``ids`` are the parts of the model that wrote the answer: they
    decide which later field of a marker is a source. Ids of the user's own (``user_data_``,
    ``user_text_``) keep their names, so that they stay refused. Raises :class:`MarkerInputError`
    for a prefix that is not 1 to 32 letters, digits, ``_`` and ``-``, for a dialect without room
    for a prefix ("lenticular", "numbers", "tags"), and where an id would have more than 128
    characters or a marker more than its dialect allows.
    """
    name = checked_dialect(dialect)
    if not _PREFIX.fullmatch(prefix):
        raise MarkerInputError("prefix: must be 1 to 32 letters, digits, _ or -")
    if isinstance(name, str) and name not in _RENAMED:
        raise MarkerInputError(f"dialect: must be a template or one of {', '.join(_RENAMED)}")
    raw = replace_surrogates(raw)
    known = known_ids(ids)
    pieces: list[str] = []
    reached = 0
    for start, end, marker in find_markers(raw, name, known):
        if marker.named:
            renamed = _renamed(raw[start:end], marker, name, prefix, known)
            pieces += (raw[reached:start], renamed)
            reached = end
    return "".join(pieces) + raw[reached:]


def _renamed(
    written: str, marker: Marker, dialect: str | Template, prefix: str, known: KnownSources
) -> str:
    family = written[len(START) :].partition(DELIM)[0] if dialect == "chatgpt" else "cite"
    if family not in _WRITTEN_AS_CITE:
        return _bounded(_with_fields_renamed(written, prefix), dialect)
    sources = [
        pair
        for source_id, locator, undecided in marker.named
        for pair in read_fields(source_id, locator, undecided, known.is_id) or ()
    ]
    return "".join(
        _bounded(spell(dialect, _under(prefix, source_id), locator, family), dialect)
        for source_id, locator in sources
    )


def _with_fields_renamed(written: str, prefix: str) -> str:
    """Rename the ids of a family that has them from its second field on."""
    family, first, *fields = written[len(START) : -len(STOP)].split(DELIM)
    renamed = [
        field.replace(source_id, _under(prefix, source_id))
        if is_source_id(source_id := field.strip(" "))
        and not (family in _TITLED and ":" in source_id)
        else field
        for field in fields
    ]
    return START + DELIM.join([family, first, *renamed]) + STOP


def _under(prefix: str, source_id: str) -> str:
    if is_user_origin_id(source_id):
        return source_id
    renamed = f"{prefix}.{source_id}"
    if len(renamed) > MAX_ID_LENGTH:
        raise MarkerInputError(f"raw: an id would have more than {MAX_ID_LENGTH} characters")
    return renamed


def _bounded(marker: str, dialect: str | Template) -> str:
    bound = MAX_MARKER if isinstance(dialect, str) else template.MAX_MARKER
    if len(marker) > bound:
        raise MarkerInputError(f"raw: a marker would have more than {bound} characters")
    return marker
