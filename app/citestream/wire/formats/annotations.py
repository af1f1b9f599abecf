"""The annotations that OpenAI's two interfaces share.

Lives here: ours as values, and the vendor's own with their positions moved. Must not know where
they stand in a stream.
"""

from typing import Any, Final

from citestream.wire.formats.clean_text import CleanText
from citestream.wire.formats.ranges import Cited

_RANGE: Final = ("start_index", "end_index")


def _positions(annotation: dict[str, Any]) -> dict[str, int]:
    """Return the fields that are places in the answer: the ``index`` of a ``file_path`` is none."""
    names = (*_RANGE, "index") if annotation.get("type") == "file_citation" else _RANGE
    return {name: annotation[name] for name in names if isinstance(annotation.get(name), int)}


def url_citation(one: Cited) -> dict[str, Any]:
    """Return the annotation of a part that has an address."""
    return {
        "type": "url_citation",
        "start_index": one.start,
        "end_index": one.end,
        "url": one.url,
        "title": one.title or one.url or "",
    }


def chat_annotation(one: Cited) -> dict[str, Any] | None:
    """Return an annotation as chat completions have it; a part without an address has none."""
    if one.url is None:
        return None
    made = url_citation(one)
    return {"type": made.pop("type"), "url_citation": made}


def annotation_of(one: Cited) -> dict[str, Any]:
    """Return the annotation of any part."""
    if one.url is not None:
        return url_citation(one)
    part_id = one.citation.data_part_id
    return {
        "type": "file_citation",
        "file_id": part_id,
        "filename": one.title or part_id,
        "index": one.at,
    }


def moved_annotation(text: CleanText, annotation: dict[str, Any]) -> dict[str, Any]:
    """Return an annotation of the vendor's with its positions, code points, moved."""
    places = _positions(annotation)
    return annotation | {name: text.moved(place, "rune") for name, place in places.items()}


def is_decided(text: CleanText, annotation: dict[str, Any]) -> bool:
    """Tell whether an annotation of the vendor's reaches into no open candidate."""
    return all(text.is_decided(place, "rune") for place in _positions(annotation).values())
