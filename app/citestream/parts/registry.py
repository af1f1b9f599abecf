"""The parts of one turn, by id, in the order they came.

Must not know markers; it answers only what an id means.
"""

import json
from collections.abc import Iterator

from citestream.parts.part import DataPart, PartError


class PartConflictError(PartError):
    """The same id was registered again with other data (the caller's mistake)."""


def _same(left: object, right: object) -> bool:
    # Python holds 1, 1.0 and True equal; JSON does not.
    return left == right and json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


class PartRegistry:
    """Parts by id. An id, once registered, keeps its part for the whole turn."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: dict[str, DataPart] = {}

    def is_new(self, part: DataPart) -> bool:
        """Tell whether no part with its id is registered.

        Raises :class:`PartConflictError` when one with other data is.
        """
        if not self.admits(part.id, part.data):
            raise PartConflictError("id: a part with this id and other data is registered")
        return part.id not in self._parts

    def admits(self, part_id: str, data: object) -> bool:
        """Tell whether a part of this id may have this data: none has it, or one with the same."""
        known = self._parts.get(part_id)
        return known is None or _same(known.data, data)

    def add(self, part: DataPart) -> bool:
        """Register ``part``; return whether it is new: with the same data again it changes nothing.

        Raises :class:`PartConflictError` for a known id with other data.
        """
        new = self.is_new(part)
        if new:
            self._parts[part.id] = part
        return new

    def __getitem__(self, part_id: str) -> DataPart:
        """Return the part of exactly this id; it must be there."""
        return self._parts[part_id]

    def get(self, part_id: str) -> DataPart | None:
        """Return the part of exactly this id, or None."""
        return self._parts.get(part_id)

    def __contains__(self, part_id: object) -> bool:
        return part_id in self._parts

    def __iter__(self) -> Iterator[DataPart]:
        return iter(self._parts.values())

    def __len__(self) -> int:
        return len(self._parts)
