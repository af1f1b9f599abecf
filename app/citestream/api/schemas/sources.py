"""The shapes of numbered sources and of rendering, as the OpenAPI document names them."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from citestream.api.schemas.answers import NumberedSource
from citestream.api.schemas.base import OPEN, STRICT, OwnKeys, Shown
from citestream.context.schema import SAFE_INTEGER
from citestream.rendering import MAX_CITATIONS, Form
from citestream.sources import MAX_SOURCES, MarkerStyle

_TIDES: Final = {"index": 1, "title": "Tide tables", "url": "https://example.org/tides"}
_BUOYS: Final = {"index": 2, "title": "Buoy register", "url": "https://example.org/buoys"}
_SOURCES: Final = "The sources of the turn."
_CITED: Final = "The numbers that the text cites, counted from 1, in ascending order."
_LISTED: Final = "The numbers in the list, counted from 1."
_STYLE: Final = "Whether numbers are shown in brackets, in the text and in the list."
_ANSWER: Final = "The answer with its markers `[n]`, Markdown."
_ADDED: Final = "The sources that were new, in the order in which they were found."
_LINKED: Final = r"High water is at noon [\[¹\]](https://example.org/tides)."
_LIST: Final = "_Sources_\n\n" r"- [\[1\]](https://example.org/tides) Tide tables"

Number = Annotated[int, Field(ge=1, le=SAFE_INTEGER)]


class SourceInput(BaseModel):
    """A numbered web page of a turn."""

    model_config = STRICT

    index: Number = Field(description="Its number, from 1.", examples=[1])
    title: str = Field(description="Its title.", examples=["Tide tables"])
    url: str = Field(
        description="Its address; never fetched.", examples=["https://example.org/tides"]
    )


Sources = Annotated[list[SourceInput], Field(max_length=MAX_SOURCES)]


class SearchResult(BaseModel):
    """One result of a search, third-party data: other fields are allowed and not read, and a value
    that is not text is read as missing.
    """

    model_config = OPEN

    title: Any = Field(
        None, description="Its title; without one its address.", examples=["Tide tables"]
    )
    url: Any = Field(
        None,
        description="Its address; without one it has no number.",
        examples=["https://example.org/tides"],
    )
    snippet: Any = Field(
        None, description="What it says, if anything.", examples=["High water at noon."]
    )


class SourcesNumberBody(BaseModel):
    """Search results to be numbered."""

    model_config = STRICT

    known: list[SourceInput] = Field(
        description="What the turn has gathered so far, empty at first.", examples=[[_TIDES]]
    )
    results: list[SearchResult] = Field(
        description="The results, in order.",
        examples=[
            [
                {
                    "title": "Tides",
                    "url": "https://example.org/tides",
                    "snippet": "High water at noon.",
                },
                {"title": "Buoy register", "url": "https://example.org/buoys"},
            ]
        ],
    )


class SourcesNumberAnswer(Shown):
    """The results, numbered."""

    text: str = Field(
        description="What the model reads.",
        examples=[
            "[1] Tides\n    https://example.org/tides\n    High water at noon.\n\n"
            "[2] Buoy register\n    https://example.org/buoys"
        ],
    )
    numbers: list[int | None] = Field(
        description="The number of each result, from 1; null for one without an address.",
        examples=[[1, 2]],
    )
    added: list[NumberedSource] = Field(description=_ADDED, examples=[[_BUOYS]])


class SourcesPageBody(BaseModel):
    """A page that was read."""

    model_config = STRICT

    known: list[SourceInput] = Field(
        description="What the turn has gathered so far, empty at first.", examples=[[_TIDES]]
    )
    title: str = Field(description="Its title.", examples=["Buoy register"])
    url: str = Field(description="Its address.", examples=["https://example.org/buoys"])
    body: str = Field(description="Its text.", examples=["All buoys by area."])
    links: list[str] | None = Field(
        None, description="The addresses it links to.", examples=[["https://example.org/north"]]
    )


class SourcesPageAnswer(Shown):
    """The page, numbered."""

    text: str = Field(
        description="What the model reads.",
        examples=[
            "[2] Buoy register\nURL: https://example.org/buoys\n\nAll buoys by area.\n\n"
            "Links on page:\n- https://example.org/north"
        ],
    )
    number: int | None = Field(
        description="Its number, from 1; null without an address.", examples=[2]
    )
    added: list[NumberedSource] = Field(description=_ADDED, examples=[[_BUOYS]])


class ToolCall(BaseModel):
    """A call of a tool; only the sources it added are read."""

    model_config = OPEN

    sources: list[SourceInput] | None = Field(
        None, description="What the call added, as `number` and `page` answered it."
    )


class SourcesCollectBody(BaseModel):
    """The calls of a turn."""

    model_config = STRICT

    calls: list[ToolCall] = Field(
        description="The calls in any order.",
        examples=[[{"sources": [_BUOYS]}, {}, {"sources": [_TIDES]}]],
    )


class SourcesCollectAnswer(Shown):
    """The sources of a turn."""

    sources: list[NumberedSource] = Field(
        description="In the order of numbers.", examples=[[_TIDES, _BUOYS]]
    )


class SourcesLinkBody(BaseModel):
    """An answer with markers, and what they may name."""

    model_config = STRICT

    markdown: str = Field(description=_ANSWER, examples=["High water is at noon [1]."])
    sources: Sources = Field(description=_SOURCES, examples=[[_TIDES, _BUOYS]])
    marker_style: MarkerStyle = Field("brackets", description=_STYLE, examples=["brackets"])


class SourcesLinkAnswer(Shown):
    """The answer, its markers linked."""

    markdown: str = Field(description="Markdown.", examples=[_LINKED])
    cited: list[int] = Field(description=_CITED, examples=[[1]])


class SourcesListBody(BaseModel):
    """Sources to be listed."""

    model_config = STRICT

    sources: Sources = Field(description=_SOURCES, examples=[[_TIDES]])
    marker_style: MarkerStyle = Field(
        "brackets",
        description="Whether the numbers of the list show their brackets.",
        examples=["brackets"],
    )


class SourcesListAnswer(Shown):
    """The list."""

    markdown: str = Field(description="Markdown; empty without sources.", examples=[_LIST])


class SourcesRenderBody(BaseModel):
    """An answer with markers, to be shown with its sources."""

    model_config = STRICT

    markdown: str = Field(description=_ANSWER, examples=["High water is at noon [1]."])
    sources: Sources = Field(description=_SOURCES, examples=[[_TIDES, _BUOYS]])
    tools_line: str | None = Field(
        None,
        description="A line after the list.",
        examples=["_Tools: search_"],
    )
    marker_style: MarkerStyle = Field("brackets", description=_STYLE, examples=["brackets"])


class SourcesRenderAnswer(Shown):
    """The answer, its markers linked and its sources listed."""

    markdown: str = Field(
        description="Markdown.", examples=[f"{_LINKED}\n\n{_LIST}\n\n_Tools: search_"]
    )
    cited: list[int] = Field(description=_CITED, examples=[[1]])
    listed: list[int] = Field(description=_LISTED, examples=[[1]])


class CitedPage(BaseModel):
    """Where a cited part came from, as `include: source` answers it."""

    model_config = OPEN

    tool_name: str | None = Field(
        None, description="The tool that returned it.", examples=["harbour_log"]
    )
    title: str | None = Field(None, description="Its title.", examples=["Harbour log"])
    url: str | None = Field(None, description="Its address.", examples=["https://example.org/log"])
    source: str | None = Field(
        None,
        description="What its tool calls it; parts of one source share an entry.",
        examples=["harbour://log/2026-11-30"],
    )


class CitationInput(BaseModel):
    """A citation as it was answered; further fields are allowed and not read."""

    model_config = OPEN

    data_part_id: str = Field(description="The cited part.", examples=["tool_data_01"])
    offset: int = Field(ge=0, description="Its offset, in code points of the text.", examples=[17])
    source: CitedPage | None = Field(
        None,
        description="What the list shows of the part: its title, else its address, else its tool. "
        "Where neither this nor `parts` says anything of it, the part's id.",
    )
    target: Any = Field(
        None,
        description="What it points at, as answered. The marker leads there, by the product's "
        "templates of links or to the target's own address; an unknown kind is ignored.",
        examples=[{"kind": "web", "url": "https://example.org/log"}],
    )


class RenderPart(BaseModel):
    """A part of the turn; its data and other fields are allowed and not read."""

    model_config = OPEN

    id: str = Field(description="Its id.", examples=["tool_data_01"])
    tool_name: str = Field(description="The tool that returned it.", examples=["harbour_log"])
    title: str | None = Field(None, description="Its title.", examples=["Harbour log"])
    url: str | None = Field(None, description="Its address.", examples=["https://example.org/log"])
    source: str | None = Field(
        None,
        description="What its tool calls it; parts of one source share an entry.",
        examples=["harbour://log/2026-11-30"],
    )


class RenderBody(BaseModel):
    """A clean text, with citations by offset, markers `[n]` of numbered sources, or both."""

    model_config = STRICT

    text: str = Field(
        description="Clean text, Markdown.",
        examples=["It is open again. High water is at noon [1]."],
    )
    citations: list[CitationInput] = Field(
        default_factory=list,
        max_length=MAX_CITATIONS,
        description="The citations of the text.",
        examples=[
            [
                {
                    "data_part_id": "tool_data_01",
                    "offset": 17,
                    "locator": "L2",
                    "source": {
                        "tool_name": "harbour_log",
                        "title": "Harbour log",
                        "url": "https://example.org/log",
                    },
                }
            ]
        ],
    )
    sources: Sources = Field(
        default_factory=list, description=_SOURCES, examples=[[_TIDES, _BUOYS]]
    )
    parts: list[RenderPart] = Field(
        default_factory=list,
        max_length=MAX_SOURCES,
        description="The parts of the turn, for citations that do not say themselves where they "
        "came from. A part whose address is that of a source takes the source's number.",
        examples=[
            [
                {
                    "id": "tool_data_01",
                    "tool_name": "harbour_log",
                    "title": "Harbour log",
                    "url": "https://example.org/log",
                }
            ]
        ],
    )
    part_numbers: Annotated[dict[str, Number], OwnKeys] = Field(
        default_factory=dict,
        description="Data part id → number of the source that the part is, from 1.",
        examples=[{"tool_data_02": 1}],
    )
    to: Form = Field(
        description="The form of the answer. `html` is sanitised and fit for a page; `text` leaves "
        "Markdown as it is written and shows numbers and addresses.",
        examples=["text"],
    )
    marker_style: MarkerStyle = Field("brackets", description=_STYLE, examples=["brackets"])


class Rendered(Shown):
    """The text with its markers, and the list of what it cites under it."""

    text: str = Field(
        description="In the form asked for.",
        examples=[
            "It is open again.[3] High water is at noon [1].\n\nSources\n\n"
            "[1] Tide tables <https://example.org/tides>\n[3] Harbour log <https://example.org/log>"
        ],
    )
    cited: list[int] = Field(description=_CITED, examples=[[1, 3]])
    listed: list[int] = Field(description=_LISTED, examples=[[1, 3]])
