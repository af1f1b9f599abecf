"""What a caller of this room can do wrong.

Only the caller's mistakes live here. A bad record, link or block is data and never raises; and no
message repeats what was given, it names the field and the limit.

    ContextError              a field of the call breaks a rule
    └── ProviderTextLimitError   the projected text is over its limit
"""


class ContextError(ValueError):
    """The field `field` of a call breaks the rule `rule`."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field


class ProviderTextLimitError(ContextError):
    """What the model would read is `over` code points longer than `limit`."""

    def __init__(self, over: int, limit: int) -> None:
        super().__init__(
            "text",
            f"{over:,} characters over the {limit:,} that a model provider reads;"
            " shorten the message or send it in parts",
        )
        self.over = over
        self.limit = limit
