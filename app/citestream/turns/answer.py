"""The answer a turn comes to: clean text, citations, and the artifact a reader gets.

Lives here: the shape of the artifact (S1). Must not know deltas or how the citations were found.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import quote

from citestream.parts import DataPart
from citestream.sources import Source
from citestream.turns.citation import Citation, Dropped
from citestream.turns.status import EndReason, Status

_FOLDERS: Final = (".", "..")
"""Ids that every client takes for folders at the end of an address."""
MAX_INLINE_PART: Final = 256 * 1024
"""Bytes of JSON of a part that is passed through in a stored turn's artifact itself."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What was out of order in the answer and in the data it was made from."""

    invalid_marker_offsets: tuple[int, ...]
    """Code points of clean text before each of the first 100 failed candidates."""
    replaced_signs: int
    """Marker signs in data parts that were replaced by U+FFFD."""
    stray_signs: int = 0
    """Marker signs that stayed visible in the clean text."""
    widgets: int | None = None
    """Markers of "chatgpt" that name and show nothing a reader gets; None without that dialect."""

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        diagnostics: dict[str, Any] = {
            "invalid_marker_offsets": list(self.invalid_marker_offsets),
            "replaced_signs": self.replaced_signs,
            "stray_signs": self.stray_signs,
        }
        if self.widgets is not None:
            diagnostics["widgets"] = self.widgets
        return diagnostics


@dataclass(frozen=True, slots=True)
class Refused:
    """A part or a result that could not be registered; the rest of the input was."""

    id: str | None
    """The id that it was given."""
    tool_name: str
    problem: str
    """The field and the rule, such as ``results[3]: nested more than 64 deep``."""

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"id": self.id, "tool_name": self.tool_name, "problem": self.problem}


MAX_REFUSED: Final = 20
"""Parts that could not be registered and are named, as many as problems of an input."""


def refused_json(refused: Iterable[Refused]) -> dict[str, Any]:
    """Return the field that names what was refused, or no field when nothing was."""
    listed = [one.as_json() for one in refused]
    return {"refused": listed} if listed else {}


@dataclass(frozen=True, slots=True)
class PartLink:
    """A cited part whose data is read elsewhere, at the address ``href`` of this service."""

    id: str
    tool_name: str
    href: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a turn came to, or how far it has come (``status`` "open", ``reason`` None)."""

    status: Status
    reason: EndReason | None
    text: str
    """The clean text; offsets of the citations index it."""
    citations: tuple[Citation, ...]
    """Sorted by offset."""
    cited_parts: tuple[DataPart | PartLink, ...]
    """In order of first citation, each once. Links are in an answer that was read back."""
    dropped: tuple[Dropped, ...]
    invalid_markers: int
    """Candidates that failed to become a marker."""
    diagnostics: Diagnostics | None = None
    sources: tuple[Source, ...] = ()
    """The numbered web sources of the turn (S0)."""
    cited_sources: tuple[int, ...] = ()
    """The numbers of those that the answer cites, in number order."""
    refused: tuple[Refused, ...] = ()
    """The first 20 parts and results that could not be registered."""
    part_href: str | None = None
    """What the address of a big part begins with; its id follows. None: parts have none."""
    unsupported: int | None = None
    """Citations whose check found nothing of the claim and something missing, if asked for."""

    def artifact(self) -> dict[str, Any]:
        """Return what the reader gets, a JSON object with ``parts`` and perhaps ``metadata``.

        ``parts`` are the text part and the cited data parts; an answer with neither text nor
        citations has none, and so has one that is to be given again (S1). ``metadata`` is there
        when the turn has numbered sources: ``sources`` (``index``, ``title``, ``url``) and
        ``cited``, their numbers that the answer cites.
        """
        artifact: dict[str, Any] = {"parts": self._parts()}
        if self.sources and self.status != "retry_required":
            artifact["metadata"] = {
                "sources": [asdict(source) for source in self.sources],
                "cited": list(self.cited_sources),
            }
        return artifact

    def _parts(self) -> list[dict[str, Any]]:
        if self.status == "retry_required" or not (self.text or self.citations):
            return []
        parts: list[dict[str, Any]] = [
            {
                "text": self.text,
                "metadata": {"citations": [one.as_json() for one in self.citations]},
            }
        ]
        parts += map(self._passed_through, self.cited_parts)
        return parts

    def _passed_through(self, part: DataPart | PartLink) -> dict[str, Any]:
        metadata = {"dataPartId": part.id, "toolName": part.tool_name}
        if isinstance(part, PartLink):
            return {"href": part.href, "metadata": metadata}
        href = self.part_href if part.id not in _FOLDERS else None
        if href is not None and part.json_size() > MAX_INLINE_PART:
            return {"href": href + quote(part.id, safe=""), "metadata": metadata}
        return {"data": part.enveloped(), "metadata": metadata}

    def closing_json(self) -> dict[str, Any]:
        """Return what the closing event says, as a JSON object.

        The keys are ``artifact``, ``status``, ``reason``, ``dropped``, ``invalid_markers``, and
        where there is something to say ``refused``, ``unsupported`` and ``diagnostics``.
        """
        closing: dict[str, Any] = {
            "artifact": self.artifact(),
            "status": self.status,
            "reason": self.reason,
            "dropped": [one.as_json() for one in self.dropped],
            "invalid_markers": self.invalid_markers,
            **refused_json(self.refused),
        }
        if self.unsupported is not None:
            closing["unsupported"] = self.unsupported
        if self.diagnostics:
            closing["diagnostics"] = self.diagnostics.as_json()
        return closing

    def as_json(self) -> dict[str, Any]:
        """Return the whole answer as a JSON object."""
        closing = self.closing_json()
        return {
            "status": closing.pop("status"),
            "reason": closing.pop("reason"),
            "text": self.text,
            "citations": [one.as_json() for one in self.citations],
            **closing,
        }
