"""The shapes of the way back, as the OpenAPI document names them."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, PlainValidator

from citestream.api.schemas.base import OPEN, STRICT, OwnKeys, Shown
from citestream.citations import MarkerInputError, checked_dialect
from citestream.wire.input.parts import DialectInput

_RAW: Final = "Fact.\ue200cite\ue202tool_data_01\ue201 Next"
_LONG: Final = f"{_RAW}\ue200cite\ue202tool_data_02\ue201."
_DIALECT: Final = (
    "How markers are written: `guide`, `chatgpt`, `lenticular`, `numbers`, `tags`, `escaped`, or a "
    "template."
)
_PREFIXED: Final = (
    "How markers are written: `guide`, `chatgpt`, `escaped`, or a template. The others have no "
    "room for a prefix."
)
_KNOWN: Final = "The ids of the parts that are known, for the dialects that ask."


def _dialect(value: Any) -> Any:
    try:
        return checked_dialect(value)
    except MarkerInputError as error:  # the field is in the place already
        raise ValueError(str(error).removeprefix("dialect").lstrip(".: ")) from None


Dialect = Annotated[Any, PlainValidator(_dialect, json_schema_input_type=DialectInput)]


class PlacedCitation(BaseModel):
    """A citation as an answer has it; other fields of it are ignored."""

    model_config = OPEN

    data_part_id: str = Field(description="The cited part.", examples=["tool_data_01"])
    offset: int = Field(description="Code points of the text before it.", examples=[5])
    locator: str = Field("", description="The place in the part.", examples=["L8-L13"])


class MarkersRestoreBody(BaseModel):
    """A clean text with its citations."""

    model_config = STRICT

    text: str = Field(description="The clean text.", examples=["Fact. Next"])
    citations: list[PlacedCitation] = Field(
        description="Its citations, in any order.",
        examples=[[{"data_part_id": "tool_data_01", "offset": 5, "locator": ""}]],
    )
    dialect: Dialect = Field("guide", description=_DIALECT, examples=["guide"])
    numbers: Annotated[dict[str, int], OwnKeys] | None = Field(
        None,
        description="The source numbers of parts, from 1, for the dialect `numbers`. An id that is "
        "a number needs none.",
        examples=[{"tool_data_01": 1}],
    )


class MarkersTruncateBody(BaseModel):
    """A raw answer and how long it may be."""

    model_config = STRICT

    raw: str = Field(description="The answer as the model wrote it.", examples=[_LONG])
    limit: int = Field(ge=0, description="Code points at most.", examples=[40])
    dialect: Dialect = Field("guide", description=_DIALECT, examples=["guide"])
    ids: list[str] = Field(default_factory=list, description=_KNOWN, examples=[["tool_data_01"]])


class MarkersNamespaceBody(BaseModel):
    """A raw answer and the prefix for its ids."""

    model_config = STRICT

    raw: str = Field(description="The answer as the model wrote it.", examples=[_RAW])
    prefix: str = Field(description="1 to 32 letters, digits, `_` and `-`.", examples=["agent-1"])
    ids: list[str] = Field(
        default_factory=list,
        description="The ids of that model's parts: they decide which later field of a marker is "
        "a source.",
        examples=[["tool_data_01"]],
    )
    dialect: Dialect = Field("guide", description=_PREFIXED, examples=["guide"])


class RawAnswer(Shown):
    """A raw answer."""

    raw: str = Field(
        description="The text with its markers.",
        examples=[_RAW],
    )


class NamespacedAnswer(Shown):
    """A raw answer with its ids under a prefix."""

    raw: str = Field(
        description="The text with its markers.",
        examples=["Fact.\ue200cite\ue202agent-1.tool_data_01\ue201 Next"],
    )
