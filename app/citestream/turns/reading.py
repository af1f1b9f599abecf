"""Output events read back from the JSON that they were written as.

The inverse of their ``as_json``, for a reader who follows a stored turn in another format than the
stored one. Must not know where the JSON was kept.
"""

from collections.abc import Mapping
from typing import Any

from citestream.claims import Check
from citestream.parts import DataPart, Excerpt
from citestream.sources import Source as NumberedSource
from citestream.turns.answer import Answer, Diagnostics, PartLink, Refused
from citestream.turns.citation import Citation, Dropped, Source
from citestream.turns.claiming import Covered
from citestream.turns.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    ErrorEvent,
    OutputEvent,
    RegisteredEvent,
    SourceEvent,
    TextDelta,
)
from citestream.turns.offsets import Offsets


def output_event(written: Mapping[str, Any]) -> OutputEvent:
    """Return the output event whose ``as_json`` was ``written``."""
    match written["type"]:
        case "delta":
            return TextDelta(written["text"])
        case "citation":
            return CitationEvent(_citation(written["citation"]))
        case "registered":
            return _registered(written)
        case "source":
            return SourceEvent(NumberedSource(written["index"], written["title"], written["url"]))
        case "custom":
            return CustomEvent(written["name"], written["value"])
        case "citations_summary":
            return CitationsSummary(tuple(map(_citation, written["citations"])))
        case "artifact":
            return ArtifactEvent(_answer(written))
        case "error":
            return ErrorEvent(written["error"])
        case unknown:
            raise ValueError(f"type: {unknown!r} is no output event")


def _registered(written: Mapping[str, Any]) -> RegisteredEvent:
    return RegisteredEvent(
        tuple((one["id"], one["tool_name"]) for one in written["parts"]),
        tuple((one["tool_name"], one["text"]) for one in written["tool_output"]),
        _refused(written),
    )


def _refused(written: Mapping[str, Any]) -> tuple[Refused, ...]:
    return tuple(Refused(**one) for one in written.get("refused", ()))


def _citation(written: Mapping[str, Any]) -> Citation:
    found, offsets, source = (written.get(name) for name in ("excerpt", "offsets", "source"))
    return Citation(
        written["data_part_id"],
        written["offset"],
        written["locator"],
        Excerpt(written["resolution"], **found) if found else None,
        Offsets(**offsets) if offsets else None,
        Source(**source) if source else None,
        written.get("target"),
        _claim(written["claim"]) if "claim" in written else None,
        Check(*(tuple(written["check"][name]) for name in Check._fields))
        if "check" in written
        else None,
    )


def _claim(written: Mapping[str, Any]) -> Covered:
    offsets = written.get("offsets")
    both = offsets and (Offsets(**offsets["start"]), Offsets(**offsets["end"]))
    return Covered(written["start"], written["end"], both)


def _answer(written: Mapping[str, Any]) -> Answer:
    text: Mapping[str, Any] = {"text": "", "metadata": {"citations": []}}
    text, *parts = written["artifact"]["parts"] or [text]
    metadata = written["artifact"].get("metadata", {"sources": [], "cited": []})
    diagnostics = written.get("diagnostics")
    return Answer(
        status=written["status"],
        reason=written["reason"],
        text=text["text"],
        citations=tuple(map(_citation, text["metadata"]["citations"])),
        cited_parts=tuple(map(_part, parts)),
        dropped=tuple(Dropped(**one) for one in written["dropped"]),
        invalid_markers=written["invalid_markers"],
        diagnostics=diagnostics
        and Diagnostics(
            tuple(diagnostics["invalid_marker_offsets"]),
            diagnostics["replaced_signs"],
            diagnostics["stray_signs"],
        ),
        sources=tuple(NumberedSource(**one) for one in metadata["sources"]),
        cited_sources=tuple(metadata["cited"]),
        unsupported=written.get("unsupported"),
        refused=_refused(written),
    )


def _part(written: Mapping[str, Any]) -> DataPart | PartLink:
    metadata = written["metadata"]
    if "href" in written:
        return PartLink(metadata["dataPartId"], metadata["toolName"], written["href"])
    return DataPart(metadata["dataPartId"], metadata["toolName"], written["data"])
