"""The one vocabulary of a turn: what may come in, what goes out.

Frozen values and two unions; no behaviour beyond writing themselves as JSON objects.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final, Literal

from citestream.citations import EngineOptions
from citestream.parts import Origin
from citestream.sources import Source
from citestream.targets import Target, parse_target
from citestream.turns.answer import Answer
from citestream.turns.citation import Citation, Include
from citestream.turns.status import EndReason


@dataclass(frozen=True, slots=True)
class StartInput:
    """First of all, when present: how the turn is treated, fixed from here on."""

    type: ClassVar[Literal["start"]] = "start"
    options: EngineOptions = field(default_factory=EngineOptions)
    include: frozenset[Include] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {
            "type": self.type,
            "options": asdict(self.options),
            "include": sorted(self.include),
        }


@dataclass(frozen=True, slots=True)
class PartInput:
    """Registers a data part: what a tool returned. ``id`` None: one is assigned."""

    type: ClassVar[Literal["part"]] = "part"
    tool_name: str
    data: Any
    id: str | None = None
    origin: Origin = "tool"
    title: str | None = None
    url: str | None = None
    target: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, **asdict(self)}


@dataclass(frozen=True, slots=True)
class ResultsInput:
    """What a tool returned as a list: each item becomes a part, a numbered source where the tool
    is a web tool (S0), and gets a target where the table knows one (S3).

    Items are JSON objects: ``{id?, title, url, snippet?}``, ``{id?, title, url, body, links?}`` or
    ``{id?, source, title?, rows?, url?}``.
    """

    type: ClassVar[Literal["results"]] = "results"
    tool_name: str
    results: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "tool_name": self.tool_name, "results": list(self.results)}


@dataclass(frozen=True, slots=True)
class Written:
    """The source that a result was written under, and its target as a JSON object or None."""

    source: str
    target: dict[str, Any] | None

    @property
    def parsed(self) -> Target | None:
        """The target as a value."""
        return parse_target(self.target)


@dataclass(frozen=True, slots=True)
class GatheredInput:
    """A ``results`` event whose ids, numbers, targets and text are settled, one entry a result."""

    type: ClassVar[Literal["results"]] = "results"
    tool_name: str
    results: tuple[dict[str, Any], ...]
    parts: tuple[PartInput, ...]
    numbers: tuple[int | None, ...]
    added: tuple[Source, ...]
    written: tuple[Written | None, ...]
    text: str
    """What the model is to read."""

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object, with all that was settled."""
        return {
            "type": self.type,
            "tool_name": self.tool_name,
            "results": list(self.results),
            "parts": [part.as_json() for part in self.parts],
            "numbers": list(self.numbers),
            "added": [[one.index, one.title, one.url] for one in self.added],
            "written": [one and [one.source, one.target] for one in self.written],
            "text": self.text,
        }


@dataclass(frozen=True, slots=True, init=False)
class DeltaInput:
    """A piece of the model's raw answer: a string of code points, surrogate halves included."""

    type: ClassVar[Literal["delta"]] = "delta"
    text: str

    def __init__(self, text: str) -> None:
        _set_input_text(self, text)

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object; a half of a surrogate pair stays one."""
        return {"type": self.type, "text": self.text}


@dataclass(frozen=True, slots=True)
class CustomInput:
    """The application's own event, carried in order and never interpreted."""

    type: ClassVar[Literal["custom"]] = "custom"
    name: str
    value: Any

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "name": self.name, "value": self.value}


@dataclass(frozen=True, slots=True)
class EndInput:
    """The answer is over."""

    type: ClassVar[Literal["end"]] = "end"
    reason: EndReason = "complete"

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "reason": self.reason}


InputEvent = (
    StartInput | PartInput | ResultsInput | GatheredInput | DeltaInput | CustomInput | EndInput
)
"""Everything that may come into a turn."""


def input_event(recorded: dict[str, Any]) -> InputEvent:
    """Return the input event whose ``as_json`` was ``recorded``."""
    fields = {name: value for name, value in recorded.items() if name != "type"}
    match recorded["type"]:
        case "start":
            return StartInput(EngineOptions(**fields["options"]), frozenset(fields["include"]))
        case "part":
            return PartInput(**fields)
        case "results":
            return _gathered(fields)
        case "delta":
            return DeltaInput(**fields)
        case "custom":
            return CustomInput(**fields)
        case _:
            return EndInput(**fields)


def _gathered(fields: dict[str, Any]) -> GatheredInput:
    parts = (
        PartInput(**{name: value for name, value in part.items() if name != "type"})
        for part in fields["parts"]
    )
    return GatheredInput(
        tool_name=fields["tool_name"],
        results=tuple(fields["results"]),
        parts=tuple(parts),
        numbers=tuple(fields["numbers"]),
        added=tuple(Source(*one) for one in fields["added"]),
        written=tuple(one and Written(*one) for one in fields["written"]),
        text=fields["text"],
    )


@dataclass(frozen=True, slots=True, init=False)
class TextDelta:
    """Clean text to append: never empty, no valid marker in it."""

    type: ClassVar[Literal["delta"]] = "delta"
    text: str

    def __init__(self, text: str) -> None:
        _set_text(self, text)

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "text": self.text}


@dataclass(frozen=True, slots=True)
class CitationEvent:
    """A citation whose offset is settled and whose part is known, told while the answer runs."""

    type: ClassVar[Literal["citation"]] = "citation"
    citation: Citation

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "citation": self.citation.as_json()}


@dataclass(frozen=True, slots=True)
class CustomEvent:
    """The application's own event, as it came."""

    type: ClassVar[Literal["custom"]] = "custom"
    name: str
    value: Any

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "name": self.name, "value": self.value}


@dataclass(frozen=True, slots=True)
class CitationsSummary:
    """All citations of the answer, sorted by offset."""

    type: ClassVar[Literal["citations_summary"]] = "citations_summary"
    citations: tuple[Citation, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "citations": [one.as_json() for one in self.citations]}


@dataclass(frozen=True, slots=True)
class ArtifactEvent:
    """The closing event: the consolidated answer, which replaces the deltas."""

    type: ClassVar[Literal["artifact"]] = "artifact"
    answer: Answer

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, **self.answer.closing_json()}


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """Terminal: the stream ends here, and what was sent before stays valid.

    ``error`` is a problem object (RFC 9457).
    """

    type: ClassVar[Literal["error"]] = "error"
    error: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, "error": self.error}


OutputEvent = (
    TextDelta | CitationEvent | CustomEvent | CitationsSummary | ArtifactEvent | ErrorEvent
)
"""Everything that a reader may get."""

# Nine of ten events are a delta in and a delta out. The ``__init__`` of a frozen dataclass finds
# the slot by its name; with the slot at hand a line of an HTTP stream costs 5 % less.
_set_input_text: Final = vars(DeltaInput)["text"].__set__
_set_text: Final = vars(TextDelta)["text"].__set__
