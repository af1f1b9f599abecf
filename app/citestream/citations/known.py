"""Which sources a turn knows at the moment, by the id of a part or by the number of a source.

Must not know markers or streams.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Container


class KnownSources:
    """The ids of the parts, and for each source number the first part that has it.

    It is what the engine asks when a marker closes; it grows as parts are registered.
    """

    __slots__ = ("_ids", "_lengths", "_numbers", "_sorted")

    def __init__(self, ids: Container[str]) -> None:
        self._ids = ids
        self._lengths: set[int] = set()
        self._sorted: list[str] = []
        self._numbers: dict[str, str] = {}

    def add(self, part_id: str) -> None:
        """Take note of a part that is among the ids."""
        self._lengths.add(len(part_id))
        insort(self._sorted, part_id)

    def add_number(self, number: int, part_id: str) -> None:
        """Give a part the number of its source; of several parts the first has it."""
        self._numbers.setdefault(str(number), part_id)

    @property
    def id_lengths(self) -> Collection[int]:
        """The lengths that the ids have, each once."""
        return self._lengths

    def is_id(self, key: str) -> bool:
        """Tell whether ``key`` is the id of a part."""
        return key in self._ids

    def begins_id(self, text: str) -> bool:
        """Tell whether the id of a part begins with ``text``."""
        place = bisect_left(self._sorted, text)
        return place < len(self._sorted) and self._sorted[place].startswith(text)

    def resolve(self, key: str) -> str | None:
        """Return the id of the part that ``key`` names by its id, else by its source's number."""
        return key if key in self._ids else self._numbers.get(key)

    def __call__(self, key: str) -> bool:
        """Tell whether ``key`` names a part."""
        return self.resolve(key) is not None
