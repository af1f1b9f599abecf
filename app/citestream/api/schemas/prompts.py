"""What a model is given so that it cites, as the OpenAPI document names it.

Must not know how it is made.
"""

from pydantic import BaseModel, ConfigDict, Field

from citestream import PromptStyle
from citestream.api.schemas.answers import RefusedList
from citestream.api.schemas.base import STRICT, Shown
from citestream.wire.input.parts import (
    PartList,
)


class PromptBody(BaseModel):
    """What the model is to be taught to cite."""

    model_config = STRICT

    parts: PartList = Field(default_factory=list)
    style: PromptStyle = Field(
        "markers",
        description="How the model is to cite: `markers`, by the ids of parts; `numbers`, by the "
        "numbers of web sources that its tools printed.",
        examples=["markers"],
    )


class PromptPart(Shown):
    """A part as the model reads it."""

    id: str = Field(description="The id to cite.", examples=["tool_data_01"])
    text: str = Field(
        description="The part's data so that it can be cited by id, line and pointer.",
        examples=["[tool_data_01] pubmed_search\nL1: High water at noon."],
    )


class Prompt(BaseModel):
    """What goes into the model's context."""

    model_config = ConfigDict(extra="forbid")

    instructions: str = Field(
        description="The paragraph that teaches a model to cite.", examples=["Cite …"]
    )
    parts: list[PromptPart] = Field(
        description="In the order they were registered, or in which they were asked for."
    )
    refused: RefusedList = None
