"""A turn as values: input events in, output events out, an answer at the end.

Floor 2, pure: no I/O, no clock, no environment, no logging. Knows the engine and the parts; knows
nothing of streams, stores or HTTP.
"""

from citestream.turns.answer import Answer, Diagnostics
from citestream.turns.citation import Citation, Dropped, DropReason, Include, Offsets, Source
from citestream.turns.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    ErrorEvent,
    GatheredInput,
    InputEvent,
    OutputEvent,
    PartInput,
    ResultsInput,
    StartInput,
    TextDelta,
    input_event,
)
from citestream.turns.gathering import gather
from citestream.turns.reading import output_event
from citestream.turns.status import EndReason, Status
from citestream.turns.turn import SEMANTICS, Turn, TurnOrderError, TurnOverflowError

__all__ = [
    "SEMANTICS",
    "Answer",
    "ArtifactEvent",
    "Citation",
    "CitationEvent",
    "CitationsSummary",
    "CustomEvent",
    "CustomInput",
    "DeltaInput",
    "Diagnostics",
    "DropReason",
    "Dropped",
    "EndInput",
    "EndReason",
    "ErrorEvent",
    "GatheredInput",
    "Include",
    "InputEvent",
    "Offsets",
    "OutputEvent",
    "PartInput",
    "ResultsInput",
    "Source",
    "StartInput",
    "Status",
    "TextDelta",
    "Turn",
    "TurnOrderError",
    "TurnOverflowError",
    "gather",
    "input_event",
    "output_event",
]
