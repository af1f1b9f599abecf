"""A turn as values: input events in, output events out, an answer at the end.

Floor 2, pure: no I/O, no clock, no environment, no logging. Knows the engine and the parts; knows
nothing of streams, stores or HTTP.
"""

from citestream.turns.answer import Answer, Diagnostics, Refused, refused_json
from citestream.turns.citation import INCLUDES, Citation, Dropped, DropReason, Include, Source
from citestream.turns.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    EndInput,
    ErrorEvent,
    InputEvent,
    OutputEvent,
    PartInput,
    RegisteredEvent,
    ResultsInput,
    SettledPart,
    SettledResults,
    SourceEvent,
    StartInput,
    TextDelta,
    input_event,
    part_input,
)
from citestream.turns.intake import Assign, Intake, Registration, TurnOverflowError, refusals
from citestream.turns.offsets import Offsets
from citestream.turns.prompt import PromptStyle, prompt_of
from citestream.turns.reading import output_event
from citestream.turns.results import WEB_TOOLS, settle_results
from citestream.turns.status import EndReason, Status
from citestream.turns.turn import SEMANTICS, PresetMismatchError, Turn, TurnOrderError

__all__ = [
    "INCLUDES",
    "SEMANTICS",
    "WEB_TOOLS",
    "Answer",
    "ArtifactEvent",
    "Assign",
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
    "Include",
    "InputEvent",
    "Intake",
    "Offsets",
    "OutputEvent",
    "PartInput",
    "PresetMismatchError",
    "PromptStyle",
    "Refused",
    "RegisteredEvent",
    "Registration",
    "ResultsInput",
    "SettledPart",
    "SettledResults",
    "Source",
    "SourceEvent",
    "StartInput",
    "Status",
    "TextDelta",
    "Turn",
    "TurnOrderError",
    "TurnOverflowError",
    "input_event",
    "output_event",
    "part_input",
    "prompt_of",
    "refusals",
    "refused_json",
    "settle_results",
]
