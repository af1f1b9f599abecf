"""One result of a tool, whatever JSON it is: what it says of itself, and how the model sees it.

Lives here: which fields of a result mean something (title, address, text, rows) and what becomes of
all the others. A field that is not what it may be is data like any other. Must not know ids that
were given to others, or the turn.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from citestream.citations import format_part
from citestream.parts import DataPart, is_part_id, is_user_origin_id, make_part
from citestream.sources import Page, Result, SourceList, ToolOutput, number_page, number_results
from citestream.targets import is_openable
from citestream.turns.events import PartInput

MAX_TITLE: Final = 10_000
"""Code points of a title; the rest of a longer one is left out."""
MAX_ADDRESS: Final = 10_000
"""Code points of an address; a longer one is none."""
MAX_LINKS: Final = 1_000
"""Links of a page that the model sees."""

_UNNAMED: Final = "result"
"""The id of a part whose id is not settled yet."""


@dataclass(frozen=True, slots=True)
class Item:
    """One result, read. ``part`` is what it becomes, without its id."""

    part: DataPart
    data: Any
    """The data as it was given: the part's own has no marker signs left."""
    given_id: str | None
    """The id that it brought, where a part may have it."""
    snippet: str
    links: tuple[str, ...]
    is_page: bool
    source: str | None
    """What its tool calls it (S3)."""
    rows: Any
    """The rows of a result that names its source (S3)."""

    def as_input(self, part_id: str) -> PartInput:
        """Return the event that registers the result."""
        part = self.part
        return PartInput(part.tool_name, self.data, part_id, title=part.title, url=part.url)


def read_item(tool_name: str, item: Any) -> Item:
    """Read one result.

    Raises :class:`~citestream.parts.PartDataError` for one that cannot be held.
    """
    if not isinstance(item, dict):
        part = make_part(_UNNAMED, tool_name, item)
        return Item(part, item, None, "", (), is_page=False, source=None, rows=None)
    given = item.get("id")
    usable = isinstance(given, str) and is_part_id(given) and not is_user_origin_id(given)
    body = item.get("body")
    dropped = {name for name in _MEANT if item.get(name) is None} | ({"id"} if usable else set())
    if isinstance(body, str):
        # A page is its text, so that its lines can be cited; what was said about it is shown.
        dropped |= {"body", *(name for name in ("title", "url", "source") if _text(item, name))}
        dropped |= {"links"} if isinstance(item.get("links"), list) else set()
    data = {name: value for name, value in item.items() if name not in dropped}
    if isinstance(body, str):
        data = {"value": body, **data}
    title, links = _text(item, "title"), item.get("links")
    part = make_part(
        _UNNAMED, tool_name, data, title=title and title[:MAX_TITLE], url=_address(item)
    )
    return Item(
        part,
        data,
        given if usable else None,
        _text(item, "snippet") or "",
        _texts(links) if isinstance(links, list) else (),
        is_page=isinstance(body, str),
        source=_text(item, "source"),
        rows=item.get("rows"),
    )


def _texts(links: list[Any]) -> tuple[str, ...]:
    return tuple(link for link in links if isinstance(link, str))[:MAX_LINKS]


_MEANT: Final = ("id", "title", "url", "snippet", "body", "links", "source", "rows")
"""Fields that mean something here; null says that one is not there."""


def _text(item: dict[str, Any], name: str) -> str | None:
    """Return a field that is a text and not blank."""
    value = item.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _address(item: dict[str, Any]) -> str | None:
    url = _text(item, "url")
    if url is None:
        source = item.get("source")
        url = source if isinstance(source, str) and is_openable(source) else None
    return url if url is not None and len(url) <= MAX_ADDRESS else None


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
        body = "\n".join(filter(None, (head.text, format_part(unnamed))))
        links = number_page(Page("", "", "", item.links), SourceList()).text
        return replace(head, text="\n\n".join(filter(None, (body, links))))
    head = number_results([Result(title, url, item.snippet)], sources)
    if not url:
        return replace(head, text=format_part(unnamed))
    said = {name for name in ("title", "url", "snippet") if isinstance(part.data.get(name), str)}
    if "url" not in said:
        said.add("source")  # it is the address
    if said >= part.data.keys():
        return head
    return replace(head, text=f"{head.text}\n{format_part(unnamed, leave_out=said)}")
