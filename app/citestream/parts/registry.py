"""The parts of one turn, by id, in the order they came.

Must not know markers; it answers only what an id means.
"""

from collections.abc import Iterator

from citestream.parts.part import DataPart, PartError


class PartConflictError(PartError):
    """The same id was registered again with other data (the caller's mistake)."""


def same_json(left: object, right: object) -> bool:
    """Tell whether two JSON values are written alike, but for the order of keys.

    Python holds 1, 1.0 and True equal; JSON does not. Walks with a stack of its own: a comparison
    of large values in one call would keep the interpreter's lock.
    """
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += [(inner, other[key]) for key, inner in one.items()]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        # A float is compared as it is written: -0.0 and 0.0 are two.
        elif one != other or (isinstance(one, float) and repr(one) != repr(other)):
            return False
    return True


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
        return known is None or same_json(known.data, data)

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
