"""What tools return as lists, as JSON: the models that check it, and the values it becomes.

Must not know events or how the bytes arrived.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, field_validator

from citestream import turns
from citestream.parts import MAX_PARTS, is_part_id
from citestream.wire.input.parts import (
    ID_RULE,
    MAX_NAME,
    MAX_PART,
    MAX_ROWS,
    MAX_TITLE,
    MAX_URL,
    Strict,
    json_size,
)

ResultId = Annotated[
    str | None,
    Field(description="The id of its part; one is assigned if none is given.", examples=["r1"]),
]


class SearchItem(Strict):
    """A result of a search."""

    id: ResultId = None
    title: str = Field(max_length=MAX_TITLE, description="Its title.", examples=["Tide tables"])
    url: str = Field(
        max_length=MAX_URL, description="Its address.", examples=["https://example.org/tides"]
    )
    snippet: str | None = Field(
        None, description="What the search shows of it.", examples=["High water at noon."]
    )


class PageItem(Strict):
    """A page that was fetched."""

    id: ResultId = None
    title: str = Field(max_length=MAX_TITLE, description="Its title.", examples=["Buoys"])
    url: str = Field(
        max_length=MAX_URL, description="Its address.", examples=["https://example.org/buoys"]
    )
    body: str = Field(
        description="Its text, citable by lines.", examples=["All buoys by area.\nNorth: 12"]
    )
    links: list[Annotated[str, Field(max_length=MAX_URL)]] | None = Field(
        None,
        max_length=1000,
        description="Addresses it links to; shown to the model, no sources themselves.",
        examples=[["https://example.org/north"]],
    )


class TypedItem(Strict):
    """A result of a tool that names its source (S3)."""

    id: ResultId = None
    source: str = Field(
        max_length=MAX_URL,
        description="What the tool calls it.",
        examples=["silvia://your-account/checking"],
    )
    title: str | None = Field(
        None, max_length=MAX_TITLE, description="Its title.", examples=["Checking"]
    )
    rows: list[Any] | None = Field(
        None,
        max_length=MAX_ROWS,
        description="The rows behind it, any JSON values; account ids are read from them.",
        examples=[[{"account_id": "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx", "balance": 10}]],
    )
    body: str | None = Field(
        None,
        description="Its text, citable by lines; with or without rows.",
        examples=["One account.\nChecking: 10"],
    )
    url: str | None = Field(
        None,
        max_length=MAX_URL,
        description="The address of the document it was read from.",
        examples=["https://www.example.org/document"],
    )


def _kind_of_result(item: Any) -> str:
    if isinstance(item, dict):
        if "source" in item:
            return "typed"
        if "body" in item:
            return "page"
    return "search"


ResultItem = Annotated[
    Annotated[SearchItem, Tag("search")]
    | Annotated[PageItem, Tag("page")]
    | Annotated[TypedItem, Tag("typed")],
    Discriminator(_kind_of_result),
]


class ResultsFields(Strict):
    """What a tool returned as a list; each item becomes a part that can be cited."""

    tool_name: str = Field(
        max_length=MAX_NAME,
        description="The tool. Results of a web tool are numbered sources.",
        examples=["web_search"],
    )
    results: list[ResultItem] = Field(
        max_length=MAX_PARTS,
        description="At most 256 results.",
        examples=[[{"title": "Tide tables", "url": "https://example.org/tides"}]],
    )

    @field_validator("results")
    @classmethod
    def _results(cls, results: list[Any]) -> list[Any]:
        for index, result in enumerate(results):
            if result.id is not None and not is_part_id(result.id):
                raise ValueError(f"[{index}].id: {ID_RULE}")
            if json_size(result.model_dump(exclude_none=True)) > MAX_PART:
                raise ValueError(f"[{index}]: at most {MAX_PART} bytes of JSON")
        return results

    def value(self) -> turns.ResultsInput:
        """Return the results as the turn takes them."""
        return turns.ResultsInput(
            self.tool_name,
            tuple(result.model_dump(exclude_none=True) for result in self.results),
        )


ResultsList = Annotated[
    list[ResultsFields],
    Field(max_length=MAX_PARTS, description="What tools returned as lists."),
]
