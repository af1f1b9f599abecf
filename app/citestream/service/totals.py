"""What a turn may hold of input, counted as it is accepted.

Must not know whether the turn is stored.
"""

from dataclasses import dataclass

from citestream.turns import DeltaInput, InputEvent, PartInput, SettledResults
from citestream.wire.input.errors import FieldProblem, InputError
from citestream.wire.input.parts import MAX_DELTAS, MAX_PARTS_SIZE, MAX_TEXT, json_size, utf8_size


@dataclass(slots=True)
class Totals:
    """What has been accepted into a turn: bytes of text, deltas, bytes of parts."""

    text: int = 0
    deltas: int = 0
    parts: int = 0

    def admit(self, event: InputEvent) -> None:
        """Count an event; raise :class:`InputError` when a turn may not hold it."""
        if isinstance(event, DeltaInput):
            self.deltas += 1
            self.text += utf8_size(event.text)
            if self.text > MAX_TEXT:
                raise _over("text", MAX_TEXT, "bytes of UTF-8 in a turn")
            if self.deltas > MAX_DELTAS:
                raise _over("deltas", MAX_DELTAS, "deltas in a turn")
            return
        for part in parts_of(event):
            self.parts += json_size(part.data)
            if self.parts > MAX_PARTS_SIZE:
                raise _over("data", MAX_PARTS_SIZE, "bytes of JSON in the parts of a turn")


def _over(name: str, limit: int, unit: str) -> InputError:
    return InputError([FieldProblem(name, f"at most {limit} {unit}")])


def parts_of(event: InputEvent) -> tuple[PartInput, ...]:
    """Return the parts of an event."""
    if isinstance(event, PartInput):
        return (event,)
    return event.parts if isinstance(event, SettledResults) else ()
