"""What a model finds wrong with an input, field by field; nothing here repeats what was sent.

Must not know which input it is; it reads what a model found.
"""

from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, ValidationError

from citestream.wire.input.errors import FieldProblem, place_of, unknown_field

Loc: TypeAlias = tuple[int | str, ...]
"""A place as pydantic gives it."""

EVENT_TYPES: Final = ("start", "part", "results", "delta", "custom", "end")
OWN_KEYS: Final = ("labels", "attachments")
"""Objects whose keys are the caller's own words, and no fields."""


def problems_of(
    error: ValidationError, model: type[BaseModel] | None = None, *, skip: int = 0
) -> list[FieldProblem]:
    """Return what a model found wrong, at most 20 problems, none of which echoes the input.

    ``model`` is the one that read the input: an unknown field is answered with the fields that it
    knows there. Of each place the first ``skip`` steps are left out: a union puts its tag there.
    """
    return [
        _problem(found["type"], found["loc"], found["msg"], model, skip)
        for found in error.errors(include_input=False, include_context=False, include_url=False)[
            :20
        ]
    ]


def _problem(
    kind: str, loc: Loc, message: str, model: type[BaseModel] | None, skip: int
) -> FieldProblem:
    place = loc[skip:]
    if kind == "extra_forbidden":
        # The name of the last field is the caller's own text.
        place, message = place[:-1], unknown_field(_known_fields(model, loc[:-1]))
    elif kind in ("model_type", "model_attributes_type"):
        message = "must be a JSON object"
    elif kind == "string_unicode":
        message = "must not hold half of a surrogate pair"
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        place, message = (*place, "type"), "must be start, part, results, delta, custom or end"
    for length, (step, key) in enumerate(pairwise(place), 1):
        if step in OWN_KEYS and isinstance(key, str):
            place = place[:length]
            break
    if place[:1] == ("events",) and place[2:3] and place[2] in EVENT_TYPES:
        # After the index of an event is the tag that told its kind; it is no field.
        place = (*place[:2], *place[3:])
    return FieldProblem(place_of(place), message.removeprefix("Value error, "))


def _known_fields(model: Any, steps: Loc) -> list[str]:
    """Return the names of the fields of the model that is at a place inside ``model``."""
    found = _plain(model)
    for step in steps:
        found = _plain(_inner(found, step))
    return [field.alias or name for name, field in getattr(found, "model_fields", {}).items()]


def _plain(annotation: Any) -> Any:
    """Return a type without what is said about it, and without the null that it may be."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, type) and issubclass(annotation, RootModel):
            annotation = annotation.model_fields["root"].annotation
        elif len(others := [one for one in _choices(annotation) if one is not NoneType]) == 1:
            (annotation,) = others
        else:
            return annotation


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()


def _inner(annotation: Any, step: int | str) -> Any:
    """Return the type of what is one step inside."""
    for choice in _choices(annotation):
        # A tagged union puts its tag before the place.
        tagged = getattr(_plain(choice), "model_fields", {}).get("type")
        if tagged and step in get_args(tagged.annotation):
            return choice
    for name, field in getattr(annotation, "model_fields", {}).items():
        if step == (field.alias or name):
            return field.annotation
    return (*get_args(annotation), None)[0]
