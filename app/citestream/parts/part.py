"""A data part as a value, and how one is made from what a caller brings.

Must not know where parts are kept or who cites them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from citestream.parts.ids import MAX_ID_LENGTH, is_part_id
from citestream.parts.locators import has_envelope
from citestream.parts.text import (
    REPLACEMENT,
    JsonValueError,
    replace_surrogates,
    sealed,
    without_signs,
)

Origin = Literal["tool", "user"]

MAX_DEPTH: Final = 64
"""Objects and arrays of a part's data may be nested this deep."""
MAX_PARTS: Final = 2000
"""Parts of one turn at most: as many as its markers may name sources."""


class PartError(ValueError):
    """A part is not what it may be; the message names the field and the limit."""


class PartDataError(PartError):
    """The data of a part cannot be kept: it is no JSON, nested too deep, or a number is too large.

    ``problem`` is the rule alone; the message begins with the place, such as ``data/rows/0/when``,
    where only a caller in the same process can bring what is there.
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"data{place}: {problem}")
        self.problem = problem


@dataclass(frozen=True, slots=True)
class DataPart:
    """What a tool (or the user) brought, as it may be cited and passed through (S1).

    ``data`` is a JSON value; every string in it is whole and holds no marker sign. ``signs`` counts
    the signs that were replaced when the part was made. ``source`` is what the tool calls it, where
    the tool says so. ``columns`` were read of the rows in ``data["rows"]`` to find the target; an
    excerpt of the whole part leaves them out.
    """

    id: str
    tool_name: str
    data: Any
    origin: Origin = "tool"
    title: str | None = None
    url: str | None = None
    target: Any = None
    signs: int = 0
    source: str | None = None
    columns: tuple[str, ...] = ()

    @property
    def root(self) -> Any:
        """What locators are read against first: ``data`` without the guide's envelope."""
        return self.data["value"] if has_envelope(self.data) else self.data

    def as_json(self) -> dict[str, Any]:
        """Return the part as a JSON object of its fields; the data is not copied."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the part that :meth:`as_json` gave."""
        return cls(**{**fields, "columns": tuple(fields["columns"])})

    def enveloped(self) -> dict[str, Any]:
        """Return the data as a reader gets it: an object whose sole key is ``value`` (S1)."""
        return {"value": self.root}

    def json_size(self) -> int:
        """Return how many bytes the data takes as compact JSON."""
        return len(json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode())


def _check_id(part_id: str) -> None:
    if not is_part_id(part_id):
        raise PartError(
            f"id: 1 to {MAX_ID_LENGTH} characters, no white space, control character or marker "
            "sign, not starting with '/'"
        )


def make_part(
    part_id: str,
    tool_name: str,
    data: Any,
    *,
    origin: Origin = "tool",
    title: str | None = None,
    url: str | None = None,
    target: Any = None,
    source: str | None = None,
    columns: tuple[str, ...] = (),
) -> DataPart:
    """Make a part that nothing downstream needs to distrust.

    Marker signs become U+FFFD and are counted, surrogate halves are mended, NUL in names becomes
    U+FFFD. Raises :class:`PartError` for an id outside the grammar, and its child
    :class:`PartDataError` for data nested more than 64 deep and for data that is no JSON value.
    """
    _check_id(part_id)
    signs = 0

    def name(text: str | None) -> str | None:
        nonlocal signs
        if text is None:
            return None
        clean, found = without_signs(replace_surrogates(text))
        signs += found
        return clean.replace("\x00", REPLACEMENT)

    try:
        clean_data, found = sealed(data, depth_limit=MAX_DEPTH)
    except JsonValueError as error:
        raise PartDataError(str(error), error.place) from None
    clean_tool = name(tool_name) or ""
    clean_title, clean_url, clean_source = name(title), name(url), name(source)
    return DataPart(
        part_id,
        clean_tool,
        clean_data,
        origin,
        clean_title,
        clean_url,
        target,
        signs + found,
        clean_source,
        columns,
    )
