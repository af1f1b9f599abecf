"""The one vocabulary of a turn: what may come in, what goes out.

Frozen values and two unions; no behaviour beyond writing themselves as JSON objects.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from dataclasses import fields as fields_of
from types import NoneType
from typing import Any, ClassVar, Final, Literal, get_args

from citestream.citations import EngineOptions
from citestream.parts import Origin, PartError
from citestream.sources import Source
from citestream.turns.answer import Answer, Refused, refused_json
from citestream.turns.citation import Citation, Include
from citestream.turns.status import EndReason

_PART_FIELDS: Final = ("tool_name", "data", "id", "origin", "title", "url", "target")
"""Of a part, as a caller may give them."""


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
            "options": self.options.as_json(),
            "include": sorted(self.include),
        }


@dataclass(frozen=True, slots=True)
class PartInput:
    """Registers a data part: what a tool returned. ``id`` None: one is assigned.

    ``unreadable`` says why the data could not be read (a number out of range, nesting without
    end); ``data`` is then None and nothing is registered.
    """

    type: ClassVar[Literal["part"]] = "part"
    tool_name: str
    data: Any
    id: str | None = None
    origin: Origin = "tool"
    title: str | None = None
    url: str | None = None
    target: dict[str, Any] | None = None
    unreadable: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object; the data is not copied."""
        shown = {"type": self.type} | {one.name: getattr(self, one.name) for one in fields_of(self)}
        if self.unreadable is None:
            del shown["unreadable"]
        return shown


@dataclass(frozen=True, slots=True)
class SettledPart(PartInput):
    """A ``part`` event with its id, and with what follows from its fields and the table of targets.

    ``address`` is where a reader opens it, ``own_target`` the target that it has of its own.
    ``source`` and ``columns`` are as in :class:`~citestream.parts.DataPart`.
    """

    address: str | None = None
    own_target: dict[str, Any] | None = None
    source: str | None = None
    columns: tuple[str, ...] = ()


def part_input(given: PartInput | Mapping[str, Any]) -> PartInput:
    """Return a part that may be given as a dict: ``tool_name``, ``data`` and optional fields.

    Raises :class:`~citestream.parts.PartError` for a field that is unknown, missing or not a text.
    """
    if isinstance(given, PartInput):
        return given
    if not isinstance(given, Mapping):
        raise PartError("must be a PartInput or a dict of its fields")
    if not given.keys() <= set(_PART_FIELDS):
        raise PartError(f"unknown field; known fields: {', '.join(_PART_FIELDS)}")
    for name in ("tool_name", "data"):
        if name not in given:
            raise PartError(f"{name}: field required")
    for name in ("tool_name", "id", "title", "url"):
        if not isinstance(given.get(name, ""), str | NoneType if name != "tool_name" else str):
            raise PartError(f"{name}: must be a string")
    if given.get("origin", "tool") not in get_args(Origin):
        raise PartError(f"origin: must be one of {', '.join(get_args(Origin))}")
    return PartInput(**given)


@dataclass(frozen=True, slots=True)
class ResultsInput:
    """What a tool returned as a list: each item becomes a part, a numbered source where the tool
    is a web tool (S0), and gets a target where the table knows one (S3).

    Items are any JSON values, usually objects such as ``{id?, title, url, snippet?}``,
    ``{id?, title, url, body, links?}`` or ``{id?, source, title?, rows?, body?, url?}``. ``web``
    says whether the tool is a web tool; None leaves it to the turn's ``web_tools``. ``unreadable``
    has ``(index, problem)`` of each item that could not be read; the item itself is then None.
    """

    type: ClassVar[Literal["results"]] = "results"
    tool_name: str
    results: tuple[Any, ...]
    web: bool | None = None
    unreadable: tuple[tuple[int, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {
            "type": self.type,
            "tool_name": self.tool_name,
            "results": list(self.results),
            "web": self.web,
            "unreadable": [list(one) for one in self.unreadable],
        }


@dataclass(frozen=True, slots=True)
class Written:
    """The source that a result was written under, and its target as a JSON object or None."""

    source: str
    target: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class SettledResults:
    """A ``results`` event whose ids, numbers, targets and text are settled.

    ``parts``, ``numbers`` and ``written`` have one entry for each result that became a part;
    ``refused`` has ``(index, problem)`` of the others.
    """

    type: ClassVar[Literal["results"]] = "results"
    given: ResultsInput
    parts: tuple[SettledPart, ...]
    numbers: tuple[int | None, ...]
    added: tuple[Source, ...]
    written: tuple[Written | None, ...]
    refused: tuple[tuple[int, str], ...]
    text: str
    """What the model is to read."""

    @property
    def tool_name(self) -> str:
        """The tool."""
        return self.given.tool_name

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object, with all that was settled."""
        return {
            **self.given.as_json(),
            "parts": [part.as_json() for part in self.parts],
            "numbers": list(self.numbers),
            "added": [[one.index, one.title, one.url] for one in self.added],
            "written": [one and [one.source, one.target] for one in self.written],
            "refused": [list(one) for one in self.refused],
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
    StartInput | PartInput | ResultsInput | SettledResults | DeltaInput | CustomInput | EndInput
)
"""Everything that may come into a turn."""


def input_event(recorded: dict[str, Any]) -> InputEvent:
    """Return the input event whose ``as_json`` was ``recorded``."""
    fields = {name: value for name, value in recorded.items() if name != "type"}
    match recorded["type"]:
        case "start":
            return StartInput(EngineOptions(**fields["options"]), frozenset(fields["include"]))
        case "part":
            return _settled_part(recorded) if "columns" in fields else PartInput(**fields)
        case "results":
            return _settled_results(fields)
        case "delta":
            return DeltaInput(**fields)
        case "custom":
            return CustomInput(**fields)
        case _:
            return EndInput(**fields)


def _settled_part(recorded: dict[str, Any]) -> SettledPart:
    fields = {name: value for name, value in recorded.items() if name != "type"}
    return SettledPart(**{**fields, "columns": tuple(fields["columns"])})


def _settled_results(fields: dict[str, Any]) -> SettledResults:
    return SettledResults(
        given=ResultsInput(
            fields["tool_name"],
            tuple(fields["results"]),
            fields["web"],
            tuple((index, problem) for index, problem in fields["unreadable"]),
        ),
        parts=tuple(map(_settled_part, fields["parts"])),
        numbers=tuple(fields["numbers"]),
        added=tuple(Source(*one) for one in fields["added"]),
        written=tuple(one and Written(*one) for one in fields["written"]),
        refused=tuple((index, problem) for index, problem in fields["refused"]),
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
class RegisteredEvent:
    """What an input event registered, sent after it when ``include`` has "registered"."""

    type: ClassVar[Literal["registered"]] = "registered"
    parts: tuple[tuple[str, str], ...]
    """Id and tool name of each part, in order."""
    tool_output: tuple[tuple[str, str], ...] = ()
    """Tool name and what the model is to read of its results."""
    refused: tuple[Refused, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object; ``refused`` is there when it has any."""
        return {
            "type": self.type,
            "parts": [{"id": part_id, "tool_name": name} for part_id, name in self.parts],
            "tool_output": [{"tool_name": name, "text": text} for name, text in self.tool_output],
            **refused_json(self.refused),
        }


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """A numbered web source that became known, sent when ``include`` has "sources"."""

    type: ClassVar[Literal["source"]] = "source"
    source: Source

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"type": self.type, **asdict(self.source)}


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
    TextDelta
    | CitationEvent
    | RegisteredEvent
    | SourceEvent
    | CustomEvent
    | CitationsSummary
    | ArtifactEvent
    | ErrorEvent
)
"""Everything that a reader may get."""

# Nine of ten events are a delta in and a delta out. The ``__init__`` of a frozen dataclass finds
# the slot by its name; with the slot at hand a line of an HTTP stream costs 5 % less.
_set_input_text: Final = vars(DeltaInput)["text"].__set__
_set_text: Final = vars(TextDelta)["text"].__set__
