"""citestream: the citation layer between a language model and its readers.

Feed the deltas of an answer to a :class:`Turn`, register the data it was made from, and get clean
text and citations. Nothing here does I/O; the service is in other rooms and is not loaded.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from citestream._version import __version__
from citestream.citations import (
    INSTRUCTIONS,
    Engine,
    Entry,
    MarkerInputError,
    format_part,
    namespace,
    restore_markers,
    truncate,
)
from citestream.citations import EngineOptions as Options
from citestream.parts import (
    DataPart,
    Excerpt,
    PartConflictError,
    PartError,
    Resolution,
    excerpt,
    resolve,
)
from citestream.targets import Preset
from citestream.turns import (
    Answer,
    ArtifactEvent,
    Citation,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    CustomInput,
    DeltaInput,
    Dropped,
    EndInput,
    Include,
    InputEvent,
    OutputEvent,
    PartInput,
    PresetMismatchError,
    StartInput,
    TextDelta,
    Turn,
    TurnOrderError,
    TurnOverflowError,
)

if TYPE_CHECKING:
    from citestream.rendering import place, render

__all__ = [
    "INSTRUCTIONS",
    "Answer",
    "ArtifactEvent",
    "Citation",
    "CitationEvent",
    "CitationsSummary",
    "CustomEvent",
    "CustomInput",
    "DataPart",
    "DeltaInput",
    "Dropped",
    "EndInput",
    "Engine",
    "Entry",
    "Excerpt",
    "Include",
    "InputEvent",
    "MarkerInputError",
    "Options",
    "OutputEvent",
    "PartConflictError",
    "PartError",
    "PartInput",
    "PresetMismatchError",
    "PromptStyle",
    "Resolution",
    "StartInput",
    "TextDelta",
    "Turn",
    "TurnOrderError",
    "TurnOverflowError",
    "__version__",
    "excerpt",
    "format_part",
    "namespace",
    "parse",
    "place",
    "prompt",
    "render",
    "resolve",
    "restore_markers",
    "truncate",
]

PromptStyle: TypeAlias = Literal["markers", "numbers"]
"""How a model is taught to cite."""


def __getattr__(name: str) -> Any:
    """Load what needs a library only when it is asked for, so that the face itself needs none."""
    if name in ("place", "render"):
        from citestream import rendering

        return getattr(rendering, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def parse(
    text: str,
    parts: Iterable[PartInput] = (),
    *,
    options: Options | None = None,
    include: Iterable[Include] = (),
    preset: Preset | None = None,
) -> Answer:
    """Return the answer to a whole raw text, made from ``parts``.

    ``preset`` is the product's: its kinds may be targets of ``parts``. The same as a :class:`Turn`
    fed once and finished. Raises what :meth:`Turn.register` raises for a part that is the caller's
    mistake; no text is a mistake.
    """
    turn = Turn(options=options, include=include, parts=parts, preset=preset)
    turn.feed(text)
    turn.finish()
    return turn.answer()


def prompt(
    parts: Iterable[PartInput] = (),
    *,
    style: PromptStyle = "markers",
    preset: Preset | None = None,
) -> dict[str, Any]:
    """Return ``{"instructions", "parts": [{"id", "text"}]}`` for the context of a model.

    ``instructions`` teaches the model to cite: with markers, or with the numbers of web sources
    that its tools printed. Each part is shown with its id, its lines or its JSON Pointers.
    ``preset`` is as in :func:`parse`.
    """
    instructions = INSTRUCTIONS
    if style == "numbers":
        # Here, because this room needs a library, and the face must load without one.
        from citestream import sources

        instructions = sources.INSTRUCTIONS
    shown = [
        {"id": part.id, "text": format_part(part)}
        for part in Turn(parts=parts, preset=preset).parts()
    ]
    return {"instructions": instructions, "parts": shown}
