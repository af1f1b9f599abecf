"""What a turn may hold of input, counted as it is accepted, and what the next event will cost.

Must not know whether the turn is stored.
"""

from dataclasses import dataclass
from typing import Final

from citestream.turns import DeltaInput, EndInput, InputEvent, PartInput, SettledResults
from citestream.wire.input.errors import FieldProblem, InputError
from citestream.wire.input.parts import MAX_DELTAS, MAX_PARTS_SIZE, MAX_TEXT, json_size, utf8_size

PART_BYTES: Final = 16
"""Bytes of parts that cost as much to write as one byte of text costs to read."""
CITATION_COST: Final = 64
"""What one citation costs to make and to write, in the unit of ``service.offload``."""


@dataclass(slots=True)
class Totals:
    """What has been accepted into a turn: bytes of text, deltas, bytes of parts."""

    text: int = 0
    deltas: int = 0
    parts: int = 0

    def copy(self) -> "Totals":
        """Return the same counts, to go on from."""
        return Totals(self.text, self.deltas, self.parts)

    def admit(self, event: InputEvent) -> None:
        """Count an event; raise :class:`InputError` when a turn may not hold it."""
        if isinstance(event, DeltaInput):
            self.deltas += 1
            text = event.text
            self.text += len(text) if text.isascii() else utf8_size(text)
            if self.text > MAX_TEXT:
                raise _over("text", MAX_TEXT, "bytes of UTF-8 in a turn")
            if self.deltas > MAX_DELTAS:
                raise _over("deltas", MAX_DELTAS, "deltas in a turn")
            return
        for part in parts_of(event):
            self.parts += json_size(part.data)
            if self.parts > MAX_PARTS_SIZE:
                raise _over("data", MAX_PARTS_SIZE, "bytes of JSON in the parts of a turn")

    def cost(self, event: InputEvent, named: int) -> int:
        """Return what it costs to take an event into a turn whose markers name ``named`` sources.

        A delta costs its length. What brings parts may release all citations that wait for one, and
        an end writes the whole answer.
        """
        if isinstance(event, DeltaInput):
            return len(event.text)
        if isinstance(event, EndInput):
            return self.text + self.parts // PART_BYTES + named * CITATION_COST
        return named * CITATION_COST


def _over(name: str, limit: int, unit: str) -> InputError:
    return InputError([FieldProblem(name, f"at most {limit} {unit}")])


def parts_of(event: InputEvent) -> tuple[PartInput, ...]:
    """Return the parts of an event."""
    if isinstance(event, PartInput):
        return (event,)
    return event.parts if isinstance(event, SettledResults) else ()
