"""citestream: the citation layer between a language model and its readers.

Feed the deltas of an answer to a :class:`Turn`, register the data it was made from, and get clean
text and citations. Nothing here does I/O; the service is in other rooms and is not loaded.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

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
    PromptStyle,
    Refused,
    RegisteredEvent,
    ResultsInput,
    SourceEvent,
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
    "Refused",
    "RegisteredEvent",
    "Resolution",
    "ResultsInput",
    "SourceEvent",
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


def __getattr__(name: str) -> Any:
    """Load what needs a library only when it is asked for, so that the face itself needs none."""
    if name in ("place", "render"):
        from citestream import rendering

        return getattr(rendering, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def parse(
    text: str,
    parts: Iterable[PartInput | Mapping[str, Any]] = (),
    *,
    options: Options | None = None,
    include: Iterable[Include] = (),
    preset: Preset | None = None,
) -> Answer:
    """Return the answer to a whole raw text, made from ``parts``.

    A part is a dict with ``tool_name`` and ``data`` (any JSON value), and where known ``id``,
    ``origin`` ("tool" or "user"), ``title``, ``url`` and ``target``:

        >>> parts = [{"tool_name": "harbour_log", "data": "Closed.\\nOpen again."}]
        >>> answer = parse("It is open\\ue200cite\\ue202tool_data_01\\ue202L2\\ue201.", parts)
        >>> answer.text
        'It is open.'
        >>> answer.citations[0].as_json()
        {'data_part_id': 'tool_data_01', 'offset': 11, 'locator': 'L2'}

    ``preset`` is the product's: its kinds may be targets of ``parts``. The same as a :class:`Turn`
    fed once and finished. Raises what :meth:`Turn.register` raises for a part that is the caller's
    mistake, with its place (``parts[0].data/rows/0/when``), and ``ValueError`` for an unknown name
    in ``include``. No text is a mistake.
    """
    turn = Turn(options=options, include=include, parts=parts, preset=preset)
    turn.feed(text)
    turn.finish()
    return turn.answer()


def prompt(
    parts: Iterable[PartInput | Mapping[str, Any]] = (),
    *,
    style: PromptStyle = "markers",
    preset: Preset | None = None,
) -> dict[str, Any]:
    """Return ``{"instructions": str, "parts": [{"id": str, "text": str}]}`` for a model's context.

    ``instructions`` teaches the model to cite: with markers, or with the numbers of web sources
    that its tools printed. Each part, a dict as for :func:`parse`, is shown with its id, its lines
    or its JSON Pointers, each of which resolves when the model cites it as printed:

        >>> shown = prompt([{"tool_name": "harbour_log", "data": {"wind": [3, 5]}}])
        >>> print(shown["parts"][0]["text"])
        [tool_data_01] harbour_log
        /wind/0: 3
        /wind/1: 5

    For the parts of a running turn use :meth:`Turn.prompt`: ids count over a session. ``preset`` is
    as in :func:`parse`, and so is what is raised.
    """
    return Turn(parts=parts, preset=preset).prompt(style=style)
