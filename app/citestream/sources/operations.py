"""The operations of S0 on plain JSON: one table, name → function, for any door that speaks JSON.

Each takes the posted object and returns the whole answer, no key more. Shapes are checked at the
door. `render` joins the table in `rendering/`, which builds on this room.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from citestream.sources.linking import link
from citestream.sources.listing import list_block
from citestream.sources.source import Source, SourceList, collect
from citestream.sources.tool_output import Page, Result, number_page, number_results

Body: TypeAlias = Mapping[str, Any]
Operation: TypeAlias = Callable[[Body], dict[str, Any]]


def sources_from_json(records: Iterable[Body]) -> list[Source]:
    """Read sources as they are stored and posted."""
    return [Source(record["index"], record["title"], record["url"]) for record in records]


def sources_to_json(sources: Iterable[Source]) -> list[dict[str, Any]]:
    """Write sources as they are stored and answered."""
    return [{"index": s.index, "title": s.title, "url": s.url} for s in sources]


def _number(body: Body) -> dict[str, Any]:
    results = [
        Result(_text(item, "title"), _text(item, "url"), _text(item, "snippet"))
        for item in body["results"]
    ]
    output = number_results(results, SourceList(sources_from_json(body["known"])))
    return {
        "text": output.text,
        "numbers": list(output.numbers),
        "added": sources_to_json(output.added),
    }


def _page(body: Body) -> dict[str, Any]:
    page = Page(body["title"], body["url"], body["body"], body.get("links") or ())
    output = number_page(page, SourceList(sources_from_json(body["known"])))
    return {
        "text": output.text,
        "number": output.numbers[0],
        "added": sources_to_json(output.added),
    }


def _collect(body: Body) -> dict[str, Any]:
    records = (sources_from_json(call.get("sources") or ()) for call in body["calls"])
    return {"sources": sources_to_json(collect(records))}


def _link(body: Body) -> dict[str, Any]:
    sources = sources_from_json(body["sources"])
    linked = link(body["markdown"], sources, marker_style=body.get("marker_style", "brackets"))
    return {"markdown": linked.markdown, "cited": list(linked.cited)}


def _list(body: Body) -> dict[str, Any]:
    style = body.get("marker_style", "brackets")
    return {"markdown": list_block(sources_from_json(body["sources"]), style)}


def _text(item: Body, field: str) -> str:
    """Return a field of a result, which is third-party data: anything but text is no text."""
    value = item.get(field)
    return value if isinstance(value, str) else ""


OPERATIONS: Final[Mapping[str, Operation]] = {
    "number": _number,
    "page": _page,
    "collect": _collect,
    "link": _link,
    "list": _list,
}
"""Operation → function, named as in the addresses `/v1/sources/<operation>`."""
