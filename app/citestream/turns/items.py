"""One result of a tool, whatever JSON it is: what it says of itself, and how the model sees it.

Lives here: which fields of a result mean something (title, address, text, rows) and what becomes of
all the others. A field that is not what it may be is data like any other. Must not know ids that
were given to others, or the turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from citestream.citations import format_part
from citestream.parts import DataPart, PartDataError, is_part_id, is_user_origin_id
from citestream.parts.part import MAX_DEPTH
from citestream.parts.text import JsonValueError, sealed
from citestream.sources import (
    Page,
    Result,
    SourceList,
    ToolOutput,
    foreign_body,
    number_page,
    number_results,
)
from citestream.targets import is_openable

MAX_TITLE: Final = 10_000
"""Code points of a title; the rest of a longer one is left out."""
MAX_ADDRESS: Final = 10_000
"""Code points of an address; a longer one is none."""
MAX_LINKS: Final = 1_000
"""Links of a page that the model sees."""


@dataclass(frozen=True, slots=True)
class Item:
    """One result, read."""

    data: Any
    """What the part holds, as it was given."""
    clean: Any
    """The same, its strings whole and without marker signs."""
    fields: Mapping[str, Any]
    """All fields of the result, clean; none where it is no object."""
    given_id: str | None
    """The id that it brought, where a part may have it."""
    title: str | None
    url: str | None
    source: str | None
    """What its tool calls it (S3)."""
    is_page: bool

    def address(self) -> str | None:
        """Its own address, that of its source where it says none."""
        if self.url is not None:
            return self.url
        return self.source if is_openable(self.source) else None


def read_item(item: Any) -> Item:
    """Read one result.

    Raises :class:`~citestream.parts.PartDataError` for one that cannot be held.
    """
    try:
        fields, _ = sealed(item, depth_limit=MAX_DEPTH)
    except JsonValueError as error:
        raise PartDataError(str(error), error.place) from None
    if not isinstance(fields, dict):
        return Item(item, fields, {}, None, None, None, None, is_page=False)
    given = item.get("id")
    usable = isinstance(given, str) and is_part_id(given) and not is_user_origin_id(given)
    is_page = isinstance(fields.get("body"), str)
    left_out = {name for name in _MEANT if fields.get(name) is None} | ({"id"} if usable else set())
    if is_page:
        # A page is its text, so that its lines can be cited; what was said about it is shown.
        left_out |= {"body", *(name for name in ("title", "url", "source") if _text(fields, name))}
        left_out |= {"links"} if isinstance(fields.get("links"), list) else set()
    title, url = _text(fields, "title"), _text(fields, "url")
    return Item(
        _data(item, left_out, is_page=is_page),
        _data(fields, left_out, is_page=is_page),
        fields,
        given if usable else None,
        title and title[:MAX_TITLE],
        url if url and len(url) <= MAX_ADDRESS else None,
        _text(fields, "source"),
        is_page=is_page,
    )


def _data(item: dict[str, Any], left_out: set[str], *, is_page: bool) -> dict[str, Any]:
    data = {name: value for name, value in item.items() if name not in left_out}
    return {"value": item["body"], **data} if is_page else data


_MEANT: Final = ("id", "title", "url", "snippet", "body", "links", "source", "rows")
"""Fields that mean something here; null says that one is not there."""


def _text(item: Mapping[str, Any], name: str) -> str | None:
    """Return a field that is a text and not blank."""
    value = item.get(name)
    return value if isinstance(value, str) and value.strip() else None


def show_item(item: Item, part: DataPart) -> str:
    """Return what the model reads of a result that is no web source."""
    # Of a page what was said about it is not in its data, of any other result it is.
    return format_part(part if item.is_page else replace(part, title=None, url=None))


def number_item(item: Item, part: DataPart, sources: SourceList) -> ToolOutput:
    """Return what the model reads of a web source: its number, and how the rest of it is cited.

    What a search found is cited by its number alone. A page is shown with its id and the numbers of
    its lines, any other field with the id and its JSON Pointer.
    """
    title, url = part.title or part.url or "", part.url or ""
    unnamed = replace(part, title=None, url=None)
    if item.is_page:
        head = number_page(Page(title, url, ""), sources)
        # A number in brackets of the page's own must not be taken for one of ours.
        data = {**item.clean, "value": foreign_body(item.clean["value"])}
        unnamed = replace(unnamed, data=data)
        body = "\n".join(filter(None, (head.text, format_part(unnamed))))
        links = number_page(Page("", "", "", _links(item.fields)), SourceList()).text
        return replace(head, text="\n\n".join(filter(None, (body, links))))
    head = number_results([Result(title, url, _text(item.fields, "snippet") or "")], sources)
    if not url:
        return replace(head, text=format_part(unnamed))
    said = {name for name in ("title", "url", "snippet") if isinstance(item.fields.get(name), str)}
    if item.source == url:
        said.add("source")
    if said >= item.clean.keys():
        return head
    return replace(head, text=f"{head.text}\n{format_part(unnamed, leave_out=said)}")


def _links(fields: Mapping[str, Any]) -> tuple[str, ...]:
    links = fields.get("links")
    listed = links if isinstance(links, list) else []
    return tuple(link for link in listed if isinstance(link, str))[:MAX_LINKS]
