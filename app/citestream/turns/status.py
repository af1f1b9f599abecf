"""Why an answer ended, and what that makes of it."""

from types import MappingProxyType
from typing import Final, Literal

EndReason = Literal["complete", "length", "stopped", "failed", "timeout"]
"""``complete``: the model was done. ``length``: it reached its limit. ``stopped``: somebody stopped
it. ``failed``: it broke off. ``timeout``: nothing more came."""

Status = Literal["open", "completed", "retry_required", "interrupted"]

STATUS: Final = MappingProxyType[EndReason, Status](
    {
        "complete": "completed",
        "length": "completed",
        "stopped": "interrupted",
        "failed": "interrupted",
        "timeout": "interrupted",
    }
)
"""The model reached its own end, or something ended it from outside."""
