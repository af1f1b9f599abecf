"""The one exception for a caller's mistake in this room.

It names the field and the limit, never the value: targets and account ids are private.

    ValueError
    ├── TargetInputError   a field of the caller has the wrong shape
    └── PresetError        a preset file has a wrong line (preset.py)
"""


class TargetInputError(ValueError):
    """A field that the caller gave cannot be used; `field` says which, `problem` why."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} {problem}")
        self.field = field
        self.problem = problem
