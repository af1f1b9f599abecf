"""The shapes of stored turns and sessions, as the OpenAPI document names them."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from citestream.api.schemas.answers import Answer, Citation, NumberedSource, RefusedList, ToolOutput
from citestream.api.schemas.base import STRICT, Shown
from citestream.api.schemas.events import RegisteredPart
from citestream.api.schemas.targets import Target
from citestream.parts import MAX_ID_LENGTH
from citestream.turns import EndReason
from citestream.wire.input.events import InputLine
from citestream.wire.input.parts import IncludeList, OptionsInput, Whole

ID_PATTERN: Final = r"^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$"
MAX_PUSH_EVENTS: Final = 10_000
MAX_CARRIED: Final = 2000

GivenId = Annotated[str, Field(pattern=ID_PATTERN)]
Label = Annotated[str, Whole(256)]
CarriedId = Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]


class CreateTurnBody(BaseModel):
    """A turn to be created. Every field may be left out."""

    model_config = STRICT

    turn_id: GivenId | None = Field(
        None,
        description="The turn's id: 1 to 128 letters, digits, `_`, `-`, `~` and `.`, not "
        "beginning with `.`; a random one of 128 bits when none is given.",
        examples=["turn-7"],
    )
    session_id: GivenId | None = Field(
        None,
        description="The session it belongs to, of the same form; it is created when it is new, "
        "and a random one is when none is given.",
        examples=["session-1"],
    )
    options: OptionsInput = Field(
        default_factory=lambda: OptionsInput(), description="How the text is treated."
    )
    include: IncludeList = Field(default_factory=list)
    labels: dict[Annotated[str, Whole(64)], Label] = Field(
        default_factory=dict,
        max_length=16,
        description="Your own words for the turn, at most 16 of 256 characters; given back with "
        "it and never interpreted.",
        examples=[{"tenant": "north"}],
    )
    carry: bool | Annotated[list[CarriedId], Field(max_length=MAX_CARRIED)] = Field(
        False,
        description="Whether the turn may cite parts of earlier turns of its session, under the "
        "ids that they have there: those of all of them (`true`), or the parts with these ids. "
        "They take no slot among its own, and are in the artifact when cited. At most the newest "
        "2,000, and 64 MiB of JSON. Without it a turn cites its own parts alone.",
        examples=[True],
    )


class PushBody(BaseModel):
    """Input events, numbered from `seq`."""

    model_config = STRICT

    seq: int = Field(
        ge=1,
        description="The number of the first of these events; a turn's events count from 1.",
        examples=[1],
    )
    events: list[InputLine] = Field(
        max_length=MAX_PUSH_EVENTS,
        description="At most 10,000 input events, in order.",
        examples=[[{"type": "delta", "text": "Fact."}]],
    )


class CreatedTurn(Shown):
    """A turn that has been created."""

    id: str = Field(description="The turn's id.", examples=["turn-7"])
    session_id: str = Field(description="Its session's id.", examples=["session-1"])
    next: int = Field(description="The number of the next input event, from 1.", examples=[1])


class PushAnswer(BaseModel):
    """What a producer learns from a push."""

    model_config = ConfigDict(extra="forbid")

    next: int = Field(description="The number of the next input event, from 1.", examples=[3])
    parts: list[RegisteredPart] = Field(description="The parts of this push, in order.")
    tool_output: list[ToolOutput] = Field(description="For the model, in order.")
    prompt: str | None = Field(
        None,
        description="The address, on this service, of the instructions and all parts of the turn "
        "for the model; `?part_id=` chooses some. There when the push has parts.",
        examples=["/v1/turns/turn-7/prompt"],
    )
    refused: RefusedList = None
    status: Literal["open", "completed", "retry_required", "interrupted"] = Field(
        description="`retry_required`: the answer cites only what is the user's and has no text; "
        "the turn waits for another answer.",
        examples=["open"],
    )


class NextInput(Shown):
    """Where a producer continues."""

    next: int = Field(description="The number of the next input event, from 1.", examples=[3])
    status: Literal["open", "completed", "retry_required", "interrupted"] = Field(
        description="The status of the turn.", examples=["open"]
    )


class StoredAnswer(Answer):
    """A stored turn: the answer so far, and what belongs to it."""

    id: str = Field(description="The turn's id.", examples=["turn-7"])
    session_id: str | None = Field(description="Its session's id.", examples=["session-1"])
    labels: dict[str, str] = Field(description="As given.", examples=[{"tenant": "north"}])
    created: float = Field(
        description="When it was created, in seconds since 1970 UTC.", examples=[1795982225.3]
    )
    ended: float | None = Field(
        description="When it ended, in seconds since 1970 UTC; null while it runs.",
        examples=[1795982231.9],
    )
    next: int = Field(description="The number of the next input event, from 1.", examples=[3])


class RawText(Shown):
    """What the model wrote."""

    text: str = Field(
        description="The raw answer, markers and all.",
        examples=["Fact\ue200cite\ue202tool_data_01\ue201."],
    )


class MessageBody(BaseModel):
    """A user message."""

    model_config = STRICT

    id: GivenId | None = Field(
        None, description="The message's id; a random one if none is given.", examples=["m-1"]
    )
    text: str = Field(description="What the user wrote.", examples=["Is it safe?"])
    context: Any = Field(
        None,
        description="The records that the text refers to, at most 200, with at most 16,000,000 "
        "characters of JSON.",
        examples=[{"version": 1, "records": []}],
    )
    attachments: dict[str, str] = Field(
        default_factory=dict,
        max_length=200,
        description="Ids of attachments in the records, each with the id it is stored under.",
        examples=[{"pending_1": "stored_1"}],
    )


class CreatedMessage(Shown):
    """A message that has been kept."""

    id: str = Field(description="Its id.", examples=["m-1"])
    position: int = Field(description="Its place among the session's items, from 1.", examples=[1])
    unavailable: list[str] = Field(
        description="The ids that no record can be read under: the text refers to them, or a "
        "record that was sent under them breaks a rule of its kind.",
        examples=[[]],
    )


class CitedSource(BaseModel):
    """A source that an answer cites, once however many parts of it are cited."""

    data_part_id: str = Field(
        description="The part of it that is cited first.", examples=["tool_data_01"]
    )
    data_part_ids: list[str] | None = Field(
        None,
        description="All its cited parts in order of first citation, where there are several.",
        examples=[["tool_data_01", "tool_data_02"]],
    )
    tool_name: str = Field(description="The tool that returned it.", examples=["search"])
    title: str | None = Field(description="Its title, if it has one.", examples=["Dose limits"])
    url: str | None = Field(
        description="Its address, if it has one.", examples=["https://example.org/dose-limits"]
    )
    source: str | None = Field(
        None,
        description="What its tool calls it, where the tool says so; the same in all parts of it.",
        examples=["silvia://your-account/checking"],
    )
    target: Target | None = Field(
        None,
        description="What it points at, where that is known.",
        examples=[{"kind": "web", "url": "https://example.org/dose-limits"}],
    )


class SessionMessage(Shown):
    """A user message of a session."""

    type: Literal["message"] = Field(description="The kind of this item.")
    position: int = Field(description="Its place in the session, from 1.", examples=[1])
    id: str = Field(description="Its id.", examples=["m-1"])
    created: float = Field(
        description="When it was sent, in seconds since 1970 UTC.", examples=[1795982225.3]
    )
    text: str = Field(description="What the user wrote.", examples=["Is it safe?"])
    context: Any = Field(
        description="Its context: the records as they came, without bytes, image and file records "
        "bound to the attachments as they are stored.",
        examples=[None],
    )
    attachments: dict[str, str] = Field(
        description="Ids of attachments with those they are stored under.", examples=[{}]
    )
    unavailable: list[str] = Field(
        description="The ids that no record can be read under.", examples=[[]]
    )


class SessionTurn(Shown):
    """An answer of a session."""

    type: Literal["turn"] = Field(description="The kind of this item.")
    position: int = Field(description="Its place in the session, from 1.", examples=[2])
    id: str = Field(description="The turn's id.", examples=["turn-7"])
    created: float = Field(
        description="When it was created, in seconds since 1970 UTC.", examples=[1795982225.3]
    )
    ended: float | None = Field(
        description="When it ended, in seconds since 1970 UTC; null while it runs.",
        examples=[1795982231.9],
    )
    status: Literal["open", "completed", "retry_required", "interrupted"] = Field(
        description="Its status.", examples=["completed"]
    )
    reason: EndReason | None = Field(description="Why it ended.", examples=["complete"])
    text: str = Field(description="The clean text.", examples=["Fact."])
    citations: list[CitedSource] = Field(
        description="The distinct sources, in order of first citation."
    )
    inline_citations: list[Citation] = Field(description="One entry a marker, by offset.")
    sources: list[NumberedSource] = Field(
        description="The numbered web pages that the turn gathered, as stored with it."
    )
    labels: dict[str, str] = Field(description="As given.", examples=[{}])


class Session(Shown):
    """A session, or a page of it."""

    id: str = Field(description="Its id.", examples=["session-1"])
    created: float = Field(
        description="When it began, in seconds since 1970 UTC.", examples=[1795982225.3]
    )
    items: list[Annotated[SessionMessage | SessionTurn, Field(discriminator="type")]] = Field(
        description="Messages and turns, in order."
    )
    next: int | None = Field(
        description="The `after` of the next page, a position from 1; null when this is the last.",
        examples=[None],
    )


class ListedSession(Shown):
    """A session of a list."""

    id: str = Field(description="Its id.", examples=["session-1"])
    created: float = Field(
        description="When it began, in seconds since 1970 UTC.", examples=[1795982225.3]
    )
    items: int = Field(description="How many messages and turns it has had.", examples=[2])


class SessionList(Shown):
    """A page of the sessions."""

    sessions: list[ListedSession] = Field(description="The newest first.")
    next: str | None = Field(
        description="The `before` of the next page; null when this is the last.", examples=[None]
    )


class HistoryMessage(Shown):
    """One message as a model provider takes it."""

    role: Literal["user", "assistant"] = Field(description="Whose it is.", examples=["user"])
    content: str = Field(description="Its text.", examples=["Is it safe?"])


class History(Shown):
    """The conversation for the next call of a model."""

    messages: list[HistoryMessage] = Field(description="In order.")
    text: str | None = Field(description="The same as one text, with `for=text`.", examples=[None])
