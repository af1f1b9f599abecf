"""Input events as JSON, one a line: the models, told apart by ``type``, and how a line is read.

Must not know how the lines arrived.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, RootModel, field_validator

from citestream import turns
from citestream.turns import EndReason
from citestream.wire.input.parts import (
    MAX_CUSTOM,
    MAX_DELTA,
    IncludeList,
    OptionsInput,
    PartFields,
    Strict,
    Whole,
    json_size,
    replace_surrogates_in,
    utf8_size,
)
from citestream.wire.input.reading import read_as
from citestream.wire.input.results import ResultsFields
from citestream.wire.lenient_json import unreadable_in

TAG: Final = "Tells what kind of event this is."


def _at_most(text: str, limit: int) -> str:
    # Only a text that could be too long is measured.
    if len(text) > limit // 4 and utf8_size(text) > limit:
        raise ValueError(f"at most {limit} bytes of UTF-8")
    return text


class StartInput(Strict):
    """First, when present: how the turn is treated."""

    type: Literal["start"] = Field(description=TAG)
    options: OptionsInput = Field(
        default_factory=lambda: OptionsInput(), description="How the text is treated."
    )
    include: IncludeList = Field(default_factory=list)

    def value(self) -> turns.StartInput:
        """Return the event as the turn takes it."""
        return turns.StartInput(self.options.value(), frozenset(self.include))


class PartInput(PartFields):
    """Registers a data part."""

    type: Literal["part"] = Field(description=TAG)


class ResultsInput(ResultsFields):
    """Registers what a tool returned as a list."""

    type: Literal["results"] = Field(description=TAG)


class DeltaInput(Strict):
    """A piece of the model's raw answer, markers and all."""

    type: Literal["delta"] = Field(description=TAG)
    text: str = Field(
        description="At most 1 MiB of UTF-8. Half of a surrogate pair at its end is joined with "
        "the half that begins the next delta.",
        examples=["Fact\ue200cite\ue202tool_data_01\ue201."],
    )

    @field_validator("text")
    @classmethod
    def _text(cls, value: str) -> str:
        return _at_most(value, MAX_DELTA)

    def value(self) -> turns.DeltaInput:
        """Return the event as the turn takes it."""
        return turns.DeltaInput(self.text)


class CustomInput(Strict):
    """The application's own event, carried in order and never interpreted."""

    type: Literal["custom"] = Field(description=TAG)
    name: Annotated[str, Whole(128)] = Field(description="Its name.", examples=["tool_started"])
    value_: Any = Field(
        alias="value", description="Any JSON value, at most 64 KiB.", examples=[{"tool": "search"}]
    )

    @field_validator("value_")
    @classmethod
    def _value(cls, value: Any) -> Any:
        if unreadable := unreadable_in(value):
            raise ValueError(unreadable.problem)
        if json_size(value) > MAX_CUSTOM:
            raise ValueError(f"at most {MAX_CUSTOM} bytes of JSON")
        return value

    def value(self) -> turns.CustomInput:
        """Return the event as the turn takes it."""
        return turns.CustomInput(self.name, replace_surrogates_in(self.value_))


class EndInput(Strict):
    """The answer is over."""

    type: Literal["end"] = Field(description=TAG)
    reason: EndReason = Field(
        "complete",
        description="`complete`: the model was done. `length`: it reached its limit. `stopped`: "
        "somebody stopped it. `failed`: it broke off. `timeout`: nothing more came.",
        examples=["complete"],
    )

    def value(self) -> turns.EndInput:
        """Return the event as the turn takes it."""
        return turns.EndInput(self.reason)


class InputLine(
    RootModel[
        Annotated[
            StartInput | PartInput | ResultsInput | DeltaInput | CustomInput | EndInput,
            Field(discriminator="type"),
        ]
    ]
):
    """One line of an NDJSON body: one input event, told apart by `type`.

    `start` comes first, when it comes; nothing follows `end`.
    """


def read_event(line: bytes) -> turns.InputEvent:
    """Read one input event from a line of JSON.

    Raises :class:`~citestream.wire.json_text.JsonInputError` when the line is no JSON, and
    :class:`~citestream.wire.input.errors.InputError` when the JSON is no event.
    """
    return read_as(line, InputLine, skip=1).root.value()
