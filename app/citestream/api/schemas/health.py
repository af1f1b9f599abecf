"""Whether the service works, as the OpenAPI document names it.

Must not know what is looked at.
"""

from typing import Literal

from pydantic import Field

from citestream.api.schemas.base import Shown


class Health(Shown):
    """The state of the process."""

    status: Literal["ok"] = Field(description="Always `ok`.", examples=["ok"])
