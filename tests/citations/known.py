"""Sources that a test knows: ids, and numbers that stand for some of them."""

from collections.abc import Collection, Iterable


class Sources:
    """What the engine asks in a test; ``ids`` may grow."""

    def __init__(self, ids: Iterable[str] = (), numbers: Iterable[str] = ()) -> None:
        self.ids = list(ids)
        self.numbers = list(numbers)

    @property
    def id_lengths(self) -> Collection[int]:
        return {len(one) for one in self.ids}

    def __call__(self, key: str, /) -> bool:
        return key in self.ids or key in self.numbers

    def is_id(self, key: str, /) -> bool:
        return key in self.ids

    def begins_id(self, text: str, /) -> bool:
        return any(one.startswith(text) for one in self.ids)
