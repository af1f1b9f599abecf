"""The table of stream formats as it is shown."""

from pydantic import Field

from citestream.api.schemas.base import Shown
from citestream.wire.formats import FORMATS


class FormatEntry(Shown):
    """One stream format and what it offers."""

    name: str = Field(description="What `from` and `to` call it.", examples=list(FORMATS))
    media_type: str = Field(description="Of a request body in it.", examples=["text/event-stream"])
    reader: bool = Field(description="Whether it may be `from`.", examples=[True])
    writer: bool = Field(description="Whether it may be `to`.", examples=[True])
    filter: bool = Field(
        description="Whether it may be both: the same stream, clean.", examples=[False]
    )


class FormatTable(Shown):
    """All stream formats."""

    formats: list[FormatEntry] = Field(description="One entry a format.")
