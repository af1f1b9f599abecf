"""What is wrong with an input, field by field; nothing here repeats what was sent.

Must not know which input it is; a model's findings come in.
"""

from itertools import pairwise
from typing import Final, NamedTuple

from pydantic import ValidationError

RESULT_KINDS: Final = ("search", "page", "typed")
"""Tags that tell results apart: they stand in a place, and are no fields."""
OWN_KEYS: Final = ("labels", "attachments")
"""Objects whose keys are the caller's own words, and no fields."""


class FieldProblem(NamedTuple):
    """What is wrong with one field of an input. Repeats nothing of what was sent."""

    field: str
    problem: str


class InputError(ValueError):
    """An input is not what it may be; ``problems`` names the fields."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{field}: {problem}" for field, problem in problems))
        self.problems = problems


def problems_of(error: ValidationError, *, behind: int = 0) -> list[FieldProblem]:
    """Return what a model found wrong, at most 20 problems, none of which echoes the input.

    Of each place the first ``behind`` steps are left out: a union puts its tag there.
    """
    return [
        _problem(found["type"], found["loc"][behind:], found["msg"])
        for found in error.errors(include_input=False, include_context=False, include_url=False)[
            :20
        ]
    ]


def _problem(kind: str, place: tuple[int | str, ...], message: str) -> FieldProblem:
    if kind == "extra_forbidden":
        # The name of the last field is the caller's own text.
        place, message = place[:-1], "has a field that is not known here"
    elif kind in ("model_type", "model_attributes_type"):
        message = "must be a JSON object"
    elif kind == "string_unicode":
        message = "must not hold half of a surrogate pair"
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        place, message = (*place, "type"), "must be start, part, results, delta, custom or end"
    for behind, (step, key) in enumerate(pairwise(place), 1):
        if step in OWN_KEYS and isinstance(key, str):
            place = place[:behind]
            break
    # Behind the index of a result stands the tag that told its kind; it is no field.
    place = tuple(
        step
        for before, step in zip((None, *place), place, strict=False)
        if not (isinstance(before, int) and step in RESULT_KINDS)
    )
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return FieldProblem(field.lstrip(".") or "body", message.removeprefix("Value error, "))
