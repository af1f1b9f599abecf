"""How an answer is treated: the options of a turn, checked once, and the dialects they name.

Lives here: which values an option may have. It must not know text, offsets or streams.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from citestream.citations.dialects import (
    BARE_RESIDUE,
    DIALECTS,
    GUIDE,
    NUMBERS,
    STRIPPED_NUMBERS,
    Dialect,
    Template,
    template_of,
)

InvalidMarkers = Literal["keep", "drop"]
Whitespace = Literal["keep", "tidy"]
Numbers = Literal["keep", "strip"]
OneDialect: TypeAlias = str | Template | Mapping[str, Any]
"""The name of a dialect, or a template: ``open``, ``close``, and ``separator`` if there is one."""

MAX_DIALECTS: Final = 8
"""Dialects in one list."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the text is treated; fixed for the whole of one answer.

    ``invalid_markers``: "keep" shows a broken marker as the literal text it is, "drop" removes its
    signs and ids. ``whitespace``: "keep" removes nothing but markers, "tidy" also the blanks that a
    removed marker leaves dangling. ``dialect``: what markers look like; a name from the table of
    dialects, a template (an object with ``open``, ``close`` and, if there is one, ``separator``),
    or a list of 1 to 8 of these without repeats, in order of rank. ``numbers``: of the dialect
    "numbers" "keep" leaves the markers in the text, "strip" removes them. ``bare_residue``: whether
    words such as ``citeturn0search0``, left of markers that lost their signs, are markers. Raises
    ``ValueError``, which names the option, for any other value.
    """

    invalid_markers: InvalidMarkers = "keep"
    whitespace: Whitespace = "keep"
    dialect: OneDialect | Sequence[OneDialect] = GUIDE.name
    numbers: Numbers = "keep"
    bare_residue: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("invalid_markers", self.invalid_markers, ("keep", "drop")),
            ("whitespace", self.whitespace, ("keep", "tidy")),
            ("numbers", self.numbers, ("keep", "strip")),
        ):
            if value not in known:
                raise ValueError(f"{name}: must be one of {', '.join(known)}")
        if self.bare_residue not in (True, False):
            raise ValueError("bare_residue: must be true or false")
        object.__setattr__(self, "dialect", _checked(self.dialect))

    def dialects(self) -> tuple[Dialect, ...]:
        """Return the dialects to look for, in order of rank."""
        asked = self.dialect if isinstance(self.dialect, tuple) else (self.dialect,)
        found = [one if isinstance(one, Template) else DIALECTS[one] for one in asked]
        if self.numbers == "strip":
            found = [STRIPPED_NUMBERS if one is NUMBERS else one for one in found]
        return (*found, BARE_RESIDUE) if self.bare_residue else tuple(found)

    def as_json(self) -> dict[str, Any]:
        """Return the options as a JSON object.

        Keys: ``invalid_markers``, ``whitespace``, ``dialect``; ``numbers`` and ``bare_residue``
        where they are not the default.
        """
        asked = self.dialect
        options: dict[str, Any] = {
            "invalid_markers": self.invalid_markers,
            "whitespace": self.whitespace,
            "dialect": list(map(_as_json, asked)) if isinstance(asked, tuple) else _as_json(asked),
        }
        if self.numbers != "keep":
            options["numbers"] = self.numbers
        if self.bare_residue:
            options["bare_residue"] = True
        return options


def _checked(value: object) -> str | Template | tuple[str | Template, ...]:
    if isinstance(value, str | Mapping | Template):
        return _checked_one(value)
    if not isinstance(value, Sequence) or not 1 <= len(value) <= MAX_DIALECTS:
        raise ValueError(f"dialect: must be a name, a template, or a list of 1 to {MAX_DIALECTS}")
    found = tuple(map(_checked_one, value))
    if len(set(found)) < len(found):
        raise ValueError("dialect: must not name the same dialect twice")
    return found


def _checked_one(value: object) -> str | Template:
    if isinstance(value, Template):
        return value
    if isinstance(value, Mapping):
        return template_of(value)
    if not isinstance(value, str) or value not in DIALECTS:
        raise ValueError(f"dialect: must be a template or one of {', '.join(DIALECTS)}")
    return value


def _as_json(dialect: Any) -> Any:
    return dialect.as_json() if isinstance(dialect, Template) else dialect
