"""The errors with which a caller's input is refused; none of them repeats what was sent.

Must not know the models that check an input: the library reads parts and streams without them.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from citestream.parts import PartError
from citestream.turns import TurnOrderError, TurnOverflowError
from citestream.wire.json_text import JsonInputError
from citestream.wire.ndjson import LineTooLongError


class FieldProblem(NamedTuple):
    """What is wrong with one field of an input. Repeats nothing of what was sent."""

    field: str
    problem: str


class InputError(ValueError):
    """An input is not what it may be; ``problems`` names the fields."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{field}: {problem}" for field, problem in problems))
        self.problems = problems


INPUT_ERRORS: Final = (
    InputError,
    JsonInputError,
    LineTooLongError,
    PartError,
    TurnOrderError,
    TurnOverflowError,
)
"""Everything with which reading and registering refuse a caller's input."""


def unknown_field(known: Iterable[str]) -> str:
    """Return what is said of a field that is not known, where ``known`` are those that are."""
    return f"unknown field; known fields: {', '.join(known)}"


def place_of(steps: Iterable[int | str]) -> str:
    """Return a place as a caller reads it: ``parts[0].id``; ``body`` for the whole."""
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return field.lstrip(".") or "body"
