"""What tools return as lists, as JSON: the models that check it, and the values it becomes.

The list is ours; its items are what others made, and are taken as they are. Must not know events or
how the bytes arrived.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from citestream import turns
from citestream.parts import MAX_PARTS
from citestream.wire.input.parts import MAX_NAME, Strict, Whole, held
from citestream.wire.lenient_json import Unreadable

MAX_RESULTS: Final = 20_000
"""Items of one event. More than the parts of a turn: those of a known address are not counted."""


class ResultItem(BaseModel):
    """One result, as its tool returned it; it becomes a part, with all fields in the part's data.

    A field that is not of the type given here is kept in the data and means nothing else.
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = Field(
        None,
        description="The id of its part. One is assigned when none is given, and when a part may "
        "not have this one or another part has it.",
        examples=["r1"],
    )
    title: str | None = Field(
        None,
        description="Its title; without one it is called by its address, else by its tool.",
        examples=["Tide tables"],
    )
    body: str | None = Field(
        None,
        description="Its text, citable by lines; with or without rows.",
        examples=["One account.\nChecking: 10"],
    )
    url: str | None = Field(
        None,
        description="Its address, at most 10,000 characters. Without a usable one the part has no "
        "number.",
        examples=["https://example.org/tides"],
    )
    snippet: str | None = Field(
        None, description="What a search shows of it.", examples=["High water at noon."]
    )
    links: list[str] | None = Field(
        None,
        description="Addresses that a page links to. The model sees the first 1,000; they are no "
        "sources themselves.",
        examples=[["https://example.org/north"]],
    )
    source: str | None = Field(
        None,
        description="What the tool calls it, such as `silvia://your-account/checking`.",
        examples=["silvia://your-account/checking"],
    )
    rows: list[Any] | None = Field(
        None,
        description="The rows of a result that names its source; account ids are read from them.",
        examples=[[{"account_id": "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx", "balance": 10}]],
    )


@dataclass(frozen=True, slots=True)
class _Described:
    """Any JSON, described by a model that does not check it."""

    model: type[BaseModel]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            lambda value, _: held(value), handler.generate_schema(self.model)
        )


class ResultsFields(Strict):
    """What a tool returned as a list; each item becomes a part that can be cited."""

    tool_name: Annotated[str, Whole(MAX_NAME)] = Field(
        description="The tool. Results of a web tool are numbered sources.",
        examples=["web_search"],
    )
    results: list[Annotated[Any, _Described(ResultItem)]] = Field(
        max_length=MAX_RESULTS,
        description="The results, each at most 4 MiB of JSON. One that cannot be held (nested "
        "more than 64 deep, a number out of range) is left out and named under `refused`.",
        examples=[[{"title": "Tide tables", "url": "https://example.org/tides"}]],
    )
    web: bool | None = Field(
        None,
        description="Whether the results are numbered web sources. By default they are when the "
        "tool is in the setting `CITESTREAM_WEB_TOOLS`.",
        examples=[True],
    )

    def value(self) -> turns.ResultsInput:
        """Return the results as the turn takes them."""
        unreadable = tuple(
            (index, item.problem)
            for index, item in enumerate(self.results)
            if isinstance(item, Unreadable)
        )
        items = (None if isinstance(item, Unreadable) else item for item in self.results)
        return turns.ResultsInput(self.tool_name, tuple(items), self.web, unreadable)


ResultsList = Annotated[
    list[ResultsFields],
    Field(max_length=MAX_PARTS, description="What tools returned as lists."),
]
