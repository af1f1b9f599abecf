"""Kinds of target that a preset declares: their fields, how one is read, and its value.

This file knows neither the file format of a preset nor the kinds that every product has.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from citestream.targets.addresses import is_openable

FieldType = Literal["string", "url"]

MAX_STRING: Final = 2_048
"""Code points of a `string` field at most: as long as an address that may be linked."""

_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTarget:
    """A target of a declared kind: its fields by name, in the order of the declaration."""

    kind: str
    fields: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One field of a declared kind.

    A `string` has 1 to 2,048 code points and is whole Unicode, a `url` is an address that may be
    opened. A field that is `nullable` may be null.
    """

    name: str
    type: FieldType
    nullable: bool = False

    def accepts(self, value: object) -> bool:
        """Return whether the field may have this value."""
        if value is None:
            return self.nullable
        if self.type == "url":
            return is_openable(value)
        return (
            isinstance(value, str)
            and 1 <= len(value) <= MAX_STRING
            and _LONE_SURROGATE.search(value) is None
        )


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """A kind that a preset declares, with its fields in order."""

    name: str
    fields: tuple[DeclaredField, ...]

    def read(self, values: Mapping[str, object]) -> DeclaredTarget | None:
        """Return the target with these values, or None when a field has a value it may not have.

        A missing field is null; keys that are no fields are dropped.
        """
        read: list[tuple[str, str | None]] = []
        for field in self.fields:
            value = values.get(field.name)
            if not field.accepts(value):
                return None
            read.append((field.name, value if isinstance(value, str) else None))
        return DeclaredTarget(kind=self.name, fields=tuple(read))
