"""The file of ``citestream strip --parts``: a JSON list of the parts that an answer may cite.

Read by the library alone. Must not know what is done with the parts.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from citestream import PartError, PartInput, Turn
from citestream.cli.outcomes import WRONG, Failure
from citestream.parts import MAX_PARTS
from citestream.parts.part import MAX_DEPTH
from citestream.targets import Preset
from citestream.turns import part_input
from citestream.wire.json_text import JsonInputError, JsonSizeError, loads
from citestream.wire.lenient_json import RepeatedKeys, loads_leniently, unreadable_in

MAX_BYTES: Final = 64 * 1024 * 1024
"""Of a file; as much as the service takes for all the data of a turn."""
_LEVELS_AROUND_DATA: Final = 2
"""The list, and the part."""


def read_parts(path: str, preset: Preset) -> list[PartInput]:
    """Return the parts of a file, which a turn with ``preset`` takes.

    Raises :class:`Failure` with the file, the place and the rule that was broken.
    """
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise Failure(WRONG, f"{path}: at most {MAX_BYTES} bytes")
    try:
        return list(_parts(content, preset))
    except (JsonInputError, PartError) as error:
        raise Failure(WRONG, f"{path}: {error}") from None


def _parts(content: bytes, preset: Preset) -> Iterator[PartInput]:
    given = _loads(content)
    if not isinstance(given, list):
        raise PartError("must be a JSON list of parts")
    if len(given) > MAX_PARTS:
        raise PartError(f"at most {MAX_PARTS} parts")
    tried = Turn(preset=preset)
    for index, one in enumerate(given):
        try:
            part = _part(one)
            if part.unreadable is None:
                tried.register_input(part)
        except PartError as error:
            separator = "." if error.args[0].partition(":")[0].isidentifier() else ": "
            raise PartError(f"[{index}]{separator}{error}") from None
        yield part


def _part(given: Any) -> PartInput:
    """Return one part; data that cannot be held costs only itself."""
    if isinstance(given, RepeatedKeys):
        raise PartError("a key is given twice in one object")
    part = part_input(given)
    unreadable = unreadable_in(part.data)
    return replace(part, data=None, unreadable=unreadable.problem) if unreadable else part


def _loads(content: bytes) -> Any:
    depth = MAX_DEPTH + _LEVELS_AROUND_DATA
    try:
        return loads(content, depth_limit=depth)
    except JsonSizeError:
        raise
    except JsonInputError as refusal:
        try:
            return loads_leniently(
                content, depth_limit=depth, too_deep=f"nested more than {MAX_DEPTH} deep"
            )
        except JsonInputError:
            raise refusal from None
