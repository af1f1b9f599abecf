"""What the shapes of bodies and answers have in common.

Must not know any of them, nor how a body arrives.
"""

from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator

STRICT: Final = ConfigDict(extra="forbid", strict=True, frozen=True)
"""A body of a fixed shape."""
OPEN: Final = ConfigDict(extra="ignore", strict=True, frozen=True)
"""An object of the caller's own, of which only some fields are read."""


class Shown(BaseModel):
    """An answer: written whole, a field with a default is there all the same."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


def _unnamed(value: Any, check: Callable[[Any], Any]) -> Any:
    try:
        return check(value)
    except ValidationError:
        raise ValueError("must be an object with values of the type that is asked for") from None


OwnKeys: Final = WrapValidator(_unnamed)
"""For an object whose keys are the caller's own text: a problem is reported without the key."""
