"""The annotations that OpenAI's two interfaces share.

Lives here: ours as values, and the vendor's own with their positions moved. Must not know where
they stand in a stream.
"""

from typing import Any, Final

from citestream.wire.formats.clean_text import Cited, CleanText

_POSITIONS: Final = ("start_index", "end_index", "index")


def url_citation(one: Cited) -> dict[str, Any]:
    """Return the annotation of a part that has an address."""
    return {
        "type": "url_citation",
        "start_index": one.start,
        "end_index": one.end,
        "url": one.url,
        "title": one.part.title or one.url or "",
    }


def annotation_of(one: Cited) -> dict[str, Any]:
    """Return the annotation of any part."""
    if one.url is not None:
        return url_citation(one)
    part = one.part
    return {
        "type": "file_citation",
        "file_id": part.id,
        "filename": part.title or part.id,
        "index": one.at,
    }


def moved_annotation(text: CleanText, annotation: dict[str, Any]) -> dict[str, Any]:
    """Return an annotation of the vendor's with its positions, code points, moved."""
    return {
        name: text.moved(value, "rune") if name in _POSITIONS and isinstance(value, int) else value
        for name, value in annotation.items()
    }


def is_decided(text: CleanText, annotation: dict[str, Any]) -> bool:
    """Tell whether an annotation of the vendor's reaches into no open candidate."""
    places = [annotation.get(name) for name in _POSITIONS]
    return all(text.is_decided(place, "rune") for place in places if isinstance(place, int))
