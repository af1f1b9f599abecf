"""Reads a body or a line of JSON as a model: our own objects strictly, what others made as it is.

The models say which fields are which: a field of any JSON type holds what others made, and gets it
with :class:`~citestream.wire.lenient_json.Unreadable` in place of what cannot be held. Must not
know how the bytes arrived.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citestream.parts.part import MAX_DEPTH as MAX_DATA_DEPTH
from citestream.wire.input.errors import InputError, place_of
from citestream.wire.input.parts import MAX_DEPTH
from citestream.wire.input.validation import Loc, problems_of
from citestream.wire.json_text import JsonInputError, JsonSizeError, loads
from citestream.wire.lenient_json import RepeatedKeys, holds_irregular, loads_leniently

Model = TypeVar("Model", bound=BaseModel)


def read_as(
    body: bytes,
    model: type[Model],
    *,
    skip: int = 0,
    read: Callable[[bytes], Any] | None = None,
) -> Model:
    """Read a JSON text as ``model``; ``read`` reads the JSON where the rules here do not hold.

    Raises :class:`~citestream.wire.json_text.JsonInputError` when it is no JSON, and when an object
    of ours has a key twice or holds what cannot be held;
    :class:`~citestream.wire.input.errors.InputError` for anything else that the model refuses. Of
    places in a model the first ``skip`` steps are left out.
    """
    try:
        value = read(body) if read else loads(body, depth_limit=MAX_DEPTH)
    except JsonInputError as refusal:
        if read or isinstance(refusal, JsonSizeError):  # read another way it is as large
            raise
        return _read_leniently(body, model, skip, refusal)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InputError(problems_of(error, model, skip=skip)) from None


def _read_leniently(body: bytes, model: type[Model], skip: int, refusal: JsonInputError) -> Model:
    """Read what only others may write; anything else is the ``refusal`` of the whole."""
    too_deep = f"nested more than {MAX_DATA_DEPTH} deep"
    try:
        value = loads_leniently(body, depth_limit=MAX_DEPTH, too_deep=too_deep)
    except JsonInputError:
        raise refusal from None  # it names the place in the body as it was sent
    try:
        read = model.model_validate(value)
    except ValidationError as error:
        if any(_spoils(value, found["loc"]) for found in error.errors(include_url=False)):
            raise refusal from None
        raise InputError(problems_of(error, model, skip=skip)) from None
    if place := next(_given_twice(read, value, ()), None):
        raise JsonInputError(f"{place}: a key is given twice in one object")
    return read


def _spoils(value: Any, loc: Loc) -> bool:
    """Tell whether what a model refuses at ``loc`` is what JSON allows and our objects do not."""
    for step in loc:
        if isinstance(value, RepeatedKeys):
            return True
        # A tag of a union is no step of the value.
        with suppress(KeyError, IndexError, TypeError):
            value = value[step]
    return holds_irregular(value)


def _given_twice(read: Any, raw: Any, place: Loc) -> Iterator[str]:
    """Yield the places of objects of ours in which a key was given twice."""
    if isinstance(read, list):
        if isinstance(raw, list):
            for index, (one, of) in enumerate(zip(read, raw, strict=True)):
                yield from _given_twice(one, of, (*place, index))
        return
    if not isinstance(read, BaseModel):
        return
    if (root := getattr(read, "root", None)) is not None:
        yield from _given_twice(root, raw, place)
        return
    if isinstance(raw, RepeatedKeys):
        yield place_of(place)
    for name, field in type(read).model_fields.items():
        key = field.alias or name
        if key in raw:
            yield from _given_twice(getattr(read, name), raw[key], (*place, key))
