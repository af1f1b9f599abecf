"""The shapes of bodies and answers, as the OpenAPI document names them.

Bodies are read through these models. Answers are written by the turn itself; a test holds what it
writes against these models.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from citestream import turns
from citestream.api.schemas.base import STRICT, Shown
from citestream.api.schemas.targets import Target
from citestream.turns import EndReason
from citestream.wire.input.parts import (
    MAX_DELTA,
    MAX_DELTAS,
    MAX_TEXT,
    IncludeList,
    OptionsInput,
    PartList,
    utf8_size,
)
from citestream.wire.input.results import ResultsList


class AnswerBody(BaseModel):
    """A raw answer and the data it was made from. Give `deltas` or `text`, not both."""

    model_config = STRICT

    parts: PartList = Field(default_factory=list)
    results: ResultsList = Field(default_factory=list)
    deltas: list[str] | None = Field(
        None,
        max_length=MAX_DELTAS,
        description="The raw answer as the model's tokens cut it, each at most 1 MiB of UTF-8, "
        "together at most 8 MiB. How it is cut changes nothing in the answer.",
        examples=[["Fact\ue200ci", "te\ue202tool_data_01\ue201."]],
    )
    text: str | None = Field(
        None,
        description="The raw answer as one text, at most 8 MiB of UTF-8.",
        examples=["Fact\ue200cite\ue202tool_data_01\ue201."],
    )
    options: OptionsInput = Field(
        default_factory=lambda: OptionsInput(), description="How the text is treated."
    )
    include: IncludeList = Field(default_factory=list)

    @field_validator("deltas")
    @classmethod
    def _deltas(cls, deltas: list[str] | None) -> list[str] | None:
        total = 0
        for index, delta in enumerate(deltas or ()):
            size = utf8_size(delta)
            total += size
            if size > MAX_DELTA:
                raise ValueError(f"[{index}]: at most {MAX_DELTA} bytes of UTF-8")
        if total > MAX_TEXT:
            raise ValueError(f"together at most {MAX_TEXT} bytes of UTF-8")
        return deltas

    @field_validator("text")
    @classmethod
    def _text(cls, text: str | None) -> str | None:
        if text is not None and utf8_size(text) > MAX_TEXT:
            raise ValueError(f"at most {MAX_TEXT} bytes of UTF-8")
        return text

    @model_validator(mode="after")
    def _one_of_both(self) -> "AnswerBody":
        if (self.deltas is None) == (self.text is None):
            raise ValueError("give either deltas or text")
        return self

    def events(self) -> list[turns.InputEvent]:
        """Return what follows the parts: the deltas and the end."""
        deltas = [self.text] if self.text is not None else self.deltas or []
        return [*map(turns.DeltaInput, deltas), turns.EndInput()]


class ExcerptText(Shown):
    """What the cited place says."""

    text: str = Field(description="At most 2,000 characters.", examples=["450 mg/m²"])
    truncated: bool = Field(description="Whether there was more.", examples=[False])


class OffsetUnits(Shown):
    """One place of the clean text, counted from its beginning in three units."""

    rune: int = Field(ge=0, description="Code points.", examples=[61])
    utf16: int = Field(ge=0, description="UTF-16 code units, as JavaScript counts.", examples=[61])
    utf8: int = Field(ge=0, description="Bytes of UTF-8.", examples=[62])


class ClaimUnits(Shown):
    """Both ends of a claim in three units."""

    start: OffsetUnits = Field(description="Where the claim begins.")
    end: OffsetUnits = Field(description="Where it ends.")


class Claim(BaseModel):
    """The words that a citation covers. A claim without a letter or number is empty."""

    model_config = ConfigDict(extra="forbid")

    start: int = Field(
        ge=0, description="Code points of the clean text before the claim.", examples=[28]
    )
    end: int = Field(
        ge=0, description="Code points of the clean text up to its end.", examples=[61]
    )
    offsets: ClaimUnits | None = Field(
        None, description="Both ends in three units. With `include: claim, offsets`."
    )


class Check(Shown):
    """Which numbers and quoted strings of the claim the cited place holds, as the answer writes
    them, each once, in order. The comparison is lexical: it knows no meaning.
    """

    found: list[str] = Field(description="Those that are there.", examples=[["450"]])
    missing: list[str] = Field(description="Those that are not.", examples=[[]])


class PartSource(BaseModel):
    """Where the cited part came from."""

    model_config = ConfigDict(extra="forbid")

    tool_name: str = Field(description="The tool that returned it.", examples=["pubmed_search"])
    title: str | None = Field(description="Its title, if it has one.", examples=["Dose limits"])
    url: str | None = Field(
        description="Its address, if it has one.", examples=["https://example.org/dose-limits"]
    )
    source: str | None = Field(
        None,
        description="What the tool calls it, where the tool says so: a client that does not know "
        "the target falls back to this and the title.",
        examples=["silvia://your-account/checking"],
    )


class Citation(BaseModel):
    """A marker, resolved. The fields after `locator` are present when `include` asks for them."""

    model_config = ConfigDict(extra="forbid")

    data_part_id: str = Field(
        description="The cited part; join it with the part's `metadata.dataPartId`.",
        examples=["tool_data_02"],
    )
    offset: int = Field(
        ge=0,
        description="Code points of the joined clean text up to where the marker stood, moved "
        "past closing punctuation.",
        examples=[61],
    )
    locator: str = Field(
        description="The place in the part, as the model wrote it: a JSON Pointer, a line range "
        "such as `L8-L13`, or empty for the whole part.",
        examples=["/results/0/findings"],
    )
    target: Target | None = Field(
        None,
        description="What the part points at, where that is known. Ignore kinds you do not know.",
        examples=[{"kind": "web", "url": "https://example.org/dose-limits"}],
    )
    resolution: Literal["whole", "resolved", "unresolved"] | None = Field(
        None,
        description="Whether the locator names a place in the part; if not, the whole part is "
        "what is cited. With `include: excerpt`.",
        examples=["resolved"],
    )
    excerpt: ExcerptText | None = Field(None, description="With `include: excerpt`.")
    offsets: OffsetUnits | None = Field(None, description="With `include: offsets`.")
    source: PartSource | None = Field(None, description="With `include: source`.")
    claim: Claim | None = Field(None, description="With `include: claim`.")
    check: Check | None = Field(None, description="With `include: check`.")


class DroppedCitation(Shown):
    """What a marker named and no reader gets."""

    data_part_id: str = Field(description="The id in the marker.", examples=["tool_data_77"])
    offset: int = Field(ge=0, description="Where it stood, in code points.", examples=[61])
    locator: str = Field(description="The locator in the marker.", examples=[""])
    reason: Literal["unknown_part", "user_origin", "limit"] = Field(
        description="`unknown_part`: no part of this turn has the id. `user_origin`: the part is "
        "the user's own. `limit`: 2,000 sources had been named before.",
        examples=["unknown_part"],
    )


class RefusedPart(Shown):
    """A part or a result that could not be registered; the rest of the input was."""

    id: str | None = Field(description="The id that it was given.", examples=["tool_data_02"])
    tool_name: str = Field(description="Its tool.", examples=["sensor_log"])
    problem: str = Field(
        description="The field and the rule. Of results the index says which one.",
        examples=["data: a number is too large"],
    )


RefusedList = Annotated[
    list[RefusedPart] | None,
    Field(
        description="Parts and results whose data cannot be held (a number out of range, nested "
        "more than 64 deep), at most 20; left out when there are none.",
    ),
]


class TextMetadata(Shown):
    """What belongs to the text part."""

    citations: list[Citation] = Field(description="Sorted by offset.")


class ArtifactText(Shown):
    """The clean text of the answer; the first part of an artifact."""

    text: str = Field(description="Clean text.", examples=["Fact."])
    metadata: TextMetadata = Field(description="What belongs to the text.")


class DataMetadata(Shown):
    """What names a cited part."""

    data_part_id: str = Field(
        alias="dataPartId", description="The part's id.", examples=["tool_data_02"]
    )
    tool_name: str = Field(
        alias="toolName", description="The tool that returned it.", examples=["pubmed_search"]
    )


class PartValue(Shown):
    """The data of a part in its envelope: locators are applied to ``value``."""

    value: Any = Field(
        description="What was registered, any JSON value; an object with the sole key `value` is "
        "not wrapped again.",
        examples=[{"results": []}],
    )


class ArtifactData(Shown):
    """A cited part, passed through."""

    data: PartValue = Field(description="The part's data.")
    metadata: DataMetadata = Field(description="What names the part.")


class ArtifactLink(Shown):
    """A cited part of a stored turn, too large to be passed through here: over 256 KiB of JSON."""

    href: str = Field(
        description="The address, on this service, that answers with the part itself.",
        examples=["/v1/turns/turn-7/parts/tool_data_02"],
    )
    metadata: DataMetadata = Field(description="What names the part.")


class NumberedSource(Shown):
    """A numbered web page of a turn."""

    index: int = Field(ge=1, description="Its number in this turn, from 1.", examples=[1])
    title: str = Field(description="Its title, as given.", examples=["Tide tables"])
    url: str = Field(description="Its address.", examples=["https://example.org/tides"])


class ArtifactMetadata(Shown):
    """What the turn gathered from the web."""

    sources: list[NumberedSource] = Field(description="All of them, in number order.")
    cited: list[int] = Field(
        description="The numbers, counted from 1, that the answer cites, in order.", examples=[[1]]
    )


class Artifact(BaseModel):
    """What the reader gets: the text part, then the cited parts in order of first citation."""

    parts: list[ArtifactText | ArtifactData | ArtifactLink] = Field(
        description="Empty when there is neither text nor a citation."
    )
    metadata: ArtifactMetadata | None = Field(
        None, description="There when the turn gathered numbered sources."
    )


class Diagnostics(BaseModel):
    """What was out of order in the answer and its data."""

    model_config = ConfigDict(extra="forbid")

    invalid_marker_offsets: list[int] = Field(
        description="Code points of clean text before each of the first 100 broken markers.",
        examples=[[12]],
    )
    replaced_signs: int = Field(
        ge=0,
        description="How many marker signs in the data were replaced by U+FFFD.",
        examples=[0],
    )
    stray_signs: int = Field(
        ge=0,
        description="How many marker signs stayed visible in the clean text.",
        examples=[0],
    )
    widgets: int | None = Field(
        None,
        ge=0,
        description="With the dialect `chatgpt`: how many markers named and showed nothing that a "
        "reader gets.",
        examples=[0],
    )


class ToolOutput(Shown):
    """What the model is to read of a tool's results."""

    tool_name: str = Field(description="The tool.", examples=["web_search"])
    text: str = Field(
        description="The text. Each id, number, line and pointer in it resolves when the model "
        "cites it as printed.",
        examples=["[1] Tide tables\n    https://example.org/tides"],
    )


class Closing(BaseModel):
    """What an answer and its closing event both say."""

    model_config = ConfigDict(extra="forbid")

    artifact: Artifact = Field(description="What the reader gets.")
    dropped: list[DroppedCitation] = Field(description="In text order.")
    invalid_markers: int = Field(
        ge=0, description="How many candidates failed to become a marker.", examples=[0]
    )
    unsupported: int | None = Field(
        None,
        ge=0,
        description="How many citations have something missing from their check and nothing found. "
        "With `include: check`.",
        examples=[0],
    )
    diagnostics: Diagnostics | None = Field(None, description="With `include: diagnostics`.")
    refused: RefusedList = None


_REASON = "Why the answer ended; null while it runs."


class Answer(Closing):
    """What a turn came to."""

    status: Literal["open", "completed", "retry_required", "interrupted"] = Field(
        description="`retry_required`: all that was cited is the user's own and there is no text.",
        examples=["completed"],
    )
    reason: EndReason | None = Field(description=_REASON, examples=["complete"])
    text: str = Field(description="The clean text.", examples=["Fact."])
    citations: list[Citation] = Field(description="Sorted by offset.")
    tool_output: list[ToolOutput] | None = Field(
        None, description="For the model, in order; there when `results` were given."
    )
