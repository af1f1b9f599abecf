"""Why a request was refused, as the OpenAPI document names it.

Must not know which problems there are.
"""

from pydantic import BaseModel, ConfigDict, Field

from citestream.api.schemas.base import Shown


class FieldProblem(Shown):
    """One field that is not what it may be."""

    field: str = Field(description="Its place in the body.", examples=["parts[0].id"])
    problem: str = Field(description="The rule and the limit.", examples=["at most 128"])


class Problem(BaseModel):
    """What is wrong with a request (RFC 9457). It never repeats what was sent."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(
        description="Stable; use it to distinguish problems.",
        examples=["urn:citestream:problem:invalid-input"],
    )
    title: str = Field(
        description="The problem in words.",
        examples=["Invalid request field"],
    )
    status: int = Field(description="The HTTP status.", examples=[422])
    detail: str = Field(
        description="This occurrence: the field and the limit.",
        examples=["parts[0].id: 1 to 128 characters"],
    )
    errors: list[FieldProblem] | None = Field(None, description="The fields, at most 20.")
    line: int | None = Field(
        None, ge=1, description="The line of an NDJSON body, from 1.", examples=[3]
    )
    limit: int | None = Field(
        None,
        ge=1,
        description="Of a result that is too long: how many characters or bytes it may have.",
        examples=[120_000],
    )
    over: int | None = Field(
        None, ge=1, description="How many characters it is longer than that.", examples=[17]
    )
    next: int | None = Field(
        None,
        ge=1,
        description="Of a push out of sequence, or into a turn that has ended: the number of the "
        "next input event, from 1. Continue from it.",
        examples=[3],
    )
