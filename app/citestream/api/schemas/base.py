"""What the models of bodies and answers share: how strictly they read and how they are written.

Must not know which models there are.
"""

from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator

STRICT: Final = ConfigDict(extra="forbid", strict=True, frozen=True)
"""A body of a fixed shape: unknown fields are refused, and no type is converted to another."""
OPEN: Final = ConfigDict(extra="ignore", strict=True, frozen=True)
"""An object of the caller's own, of which only some fields are read."""


class Shown(BaseModel):
    """An answer. It is written whole, so generated types require also fields with a default."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


def _unnamed(value: Any, check: Callable[[Any], Any]) -> Any:
    try:
        return check(value)
    except ValidationError:
        raise ValueError("must be an object with values of the type that is asked for") from None


OwnKeys: Final = WrapValidator(_unnamed)
"""For an object whose keys are the caller's own text: a refusal does not repeat the key."""
