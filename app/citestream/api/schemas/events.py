"""The events of a stream, as the OpenAPI document names them.

Must not know how events are framed.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from citestream.api.schemas.answers import Citation, Closing, RefusedList, ToolOutput
from citestream.api.schemas.base import Shown
from citestream.api.schemas.problems import Problem
from citestream.turns import EndReason
from citestream.wire.input.events import TAG


class TextDelta(Shown):
    """Clean text to append: never empty, no valid marker in it."""

    type: Literal["delta"] = Field(description=TAG)
    text: str = Field(min_length=1, description="Clean text.", examples=["Fact."])


class CitationEvent(Shown):
    """A citation whose offset is settled and whose part is known. It is never withdrawn."""

    type: Literal["citation"] = Field(description=TAG)
    citation: Citation = Field(description="The citation.")


class RegisteredPart(Shown):
    """A part that was registered."""

    id: str = Field(description="Its id, given or assigned.", examples=["tool_data_01"])
    tool_name: str = Field(description="The tool that returned it.", examples=["search"])


class RegisteredEvent(BaseModel):
    """What a `part` or `results` event registered. Sent with `include: registered`."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["registered"] = Field(description=TAG)
    parts: list[RegisteredPart] = Field(description="The parts, in order.")
    tool_output: list[ToolOutput] = Field(
        description="For the model, of `results`; empty for a `part`."
    )
    refused: RefusedList = None


class SourceEvent(Shown):
    """A numbered web source that became known. Sent with `include: sources`."""

    type: Literal["source"] = Field(description=TAG)
    index: int = Field(ge=1, description="Its number in this turn, from 1.", examples=[1])
    title: str = Field(
        description="Its title; its address when it has none.", examples=["Tide tables"]
    )
    url: str = Field(description="Its address.", examples=["https://example.org/tides"])


class CustomEvent(Shown):
    """The application's own event, unchanged."""

    type: Literal["custom"] = Field(description=TAG)
    name: str = Field(description="Its name.", examples=["tool_started"])
    value: Any = Field(description="Any JSON value.", examples=[{"tool": "search"}])


class CitationsSummary(Shown):
    """All citations of the answer; each has been sent before."""

    type: Literal["citations_summary"] = Field(description=TAG)
    citations: list[Citation] = Field(description="Sorted by offset.")


class ArtifactEvent(Closing):
    """The closing event: its artifact's text replaces the deltas."""

    type: Literal["artifact"] = Field(description=TAG)
    status: Literal["completed", "retry_required", "interrupted"] = Field(
        description="The status of the turn.", examples=["completed"]
    )
    reason: EndReason = Field(description="Why the answer ended.", examples=["complete"])


class ErrorEvent(Shown):
    """Terminal: the stream ends here; what was sent before stays valid."""

    type: Literal["error"] = Field(description=TAG)
    error: Problem = Field(description="What went wrong.")


class StreamEvent(
    RootModel[
        Annotated[
            TextDelta
            | CitationEvent
            | RegisteredEvent
            | SourceEvent
            | CustomEvent
            | CitationsSummary
            | ArtifactEvent
            | ErrorEvent,
            Field(discriminator="type"),
        ]
    ]
):
    """One server-sent event: `event:` is its type, `data:` this object, `id:` a gapless integer.

    The last event is exactly one `artifact` or `error`. Ignore types and fields that you do not
    know.
    """
